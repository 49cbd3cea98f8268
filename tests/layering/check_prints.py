#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_prints.py ROOT: what writes to standard output or error by other ways than those of tracer/cli/output/terminal.hpp and
tracer/base/log.hpp, which clean what they write: a name may be anybody's, and a terminal obeys it."""
import pathlib
import re
import sys

# Texts of the commands' own (help, completion, manual), and where the ways are.
HOMES = {"tracer/cli/output/terminal.cpp", "tracer/cli/output/output_file.cpp", "tracer/cli/help/completion.cpp", "tracer/cli/help/manual.cpp", "tracer/base/log.cpp",
         "tracer/ompd/guard.cpp",
         # texts of their own, in a process that libtracer.so may not be in
         "tracer/gomp/runtime.cpp", "tracer/gomp/unseen.cpp", "tracer/mpi/unseen.cpp"}
PRINTS = re.compile(r"\b(?:std::|::)?(?:printf|puts|putchar|vprintf|perror)\s*\(|\bf(?:printf|puts|write|putc)\s*\([^;]*\b(?:stdout|stderr)\b"
                    r"|\bstd::(?:cout|cerr|clog)\s*<<|\bd?printf\s*\(\s*[12]\s*,|\bwrite\s*\(\s*(?:[12]|STD(?:OUT|ERR)_FILENO)\s*,")


def prints(text):
    """(line, what) of each, comments aside."""
    bare = re.sub(r"//[^\n]*", "", text)
    for match in PRINTS.finditer(bare):
        yield bare[:match.start()].count("\n") + 1, match.group(0).split("(")[0].strip()


def main():
    root = pathlib.Path(sys.argv[1])
    faults = [f"{path.relative_to(root)}:{line}: {what} writes past tracer/cli/output/terminal.hpp"
              for folder in ("tracer", "formats", "device", "include") for path in sorted((root / folder).rglob("*.[ch]*"))
              if str(path.relative_to(root)) not in HOMES and path.suffix in (".cpp", ".hpp", ".h", ".c")
              for line, what in prints(path.read_text(encoding="utf-8", errors="replace"))]
    print("\n".join(faults) or "none")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
