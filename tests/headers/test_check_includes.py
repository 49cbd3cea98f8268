#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What check_includes.py finds: for each case a file that lacks a header, and the same file with it. The first ones are what
did not compile with newer compilers."""
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).resolve().parent / "check_includes.py"
# What the file uses, what is reported, and the header that mends it.
CASES = [
    ("void* keep(void*, std::uint64_t length);", "std::uint64_t without <cstdint>", "cstdint"),
    ("int last() { for (const int number : {1, 2}) return number; return 0; }", "a braced list that `for` runs over without <initializer_list>",
     "initializer_list"),
    ("auto at(int file) { return lseek(file, 0, 1); }", "lseek() without <unistd.h>", "unistd.h"),
    ("bool gone(const char* name) { return rmdir(name) == 0; }", "rmdir() without <unistd.h>", "unistd.h"),
    ("bool mine(unsigned owner) { return geteuid() == owner; }", "geteuid() without <unistd.h>", "unistd.h"),
    ("void end(int file) { ::close(file); }", "close() without <unistd.h>", "unistd.h"),
    ("auto* end = &::write;", "write() without <unistd.h>", "unistd.h"),
    ("bool again() { return errno == 0; }", "errno without <cerrno>", "errno.h"),
    ("auto sized(std::size_t length) { return length; }", "std::size_t without <cstddef>", "cstring"),
    ("auto now() { return std::chrono::steady_clock::now(); }", "std::chrono:: without <chrono>", "chrono"),
    ("long call() { return ::syscall(SYS_gettid); }", "SYS_gettid without <sys/syscall.h>", "sys/syscall.h"),
    ('#include "near.hpp"\nstd::string_view word();', "std::string_view without <string_view>", "string_view"),
]
# What is no use of such a name.
CLEAN = [
    "// std::uint64_t in a comment, and geteuid() too\n",
    'const char* text = "std::uint64_t and lseek(";\n',
    "const char* raw = R\"(std::vector \" rmdir( )\";\n",
    "struct Writer {\n  void write(int value);\n  int fd() { return get().close(); }\n};\n",
    "int rmdir(const char* name);\nint gone(const char* name) { return rmdir(name); }\n",
    "struct perf_event_attr;\nvoid set(const perf_event_attr* attributes);\n",
    '#include "vocabulary.hpp"\nstd::int64_t number();\n',
    "const int large = 1'000'000; char letter = 'a';\n",
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "vocabulary.hpp").write_text("#include <cstdint>\n")
        (root / "near.hpp").write_text('#include "vocabulary.hpp"\n#include <string>\n')

        def checked(text):
            file = root / "file.cpp"
            file.write_text(text)
            done = subprocess.run([sys.executable, CHECK, root, file], capture_output=True, text=True)
            if done.stderr:
                print(done.stderr)
            return done.returncode, done.stdout.splitlines()[:-1]

        for use, expected, header in CASES:
            needs = "#include <unistd.h>\n" if "SYS_" in use else ""
            status, lines = checked(needs + use + "\n")
            if status != 1 or lines != [f"file.cpp: {expected}"]:
                failed += 1
                print(f"{use!r}: expected {expected!r}, status {status}: {lines}")
            status, lines = checked(f"#include <{header}>\n{needs}{use}\n")
            if status != 0 or lines:
                failed += 1
                print(f"{use!r} with <{header}>: status {status}: {lines}")
        for text in CLEAN:
            status, lines = checked(text + "std::nullptr_t something;\n#include <cstddef>\n")
            if status != 0 or lines:
                failed += 1
                print(f"{text!r}: status {status}: {lines}")
    print(f"{len(CASES) + len(CLEAN)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
