#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every header compiles alone: it includes the headers of this project that it needs. A header that a source of the build includes
before anything else is proven by the build; the others are compiled here (syntax only), each as a source that includes nothing else,
with the flags of a source near it. Of the standard library's headers this proves less: where several files are compiled as one
(TRACER_UNITY) the common ones are there, compiled, in the build and here. That each file includes those, check_includes.py proves.
    check_alone.py --build BUILD ROOT"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
NO_LAUNCHER = ("ccache", "sccache", "distcc")
MISSING = re.compile(r"fatal error: '?([^':]+)'?(?:: No such file| file not found)")
COMMON = "tracer_common_headers.dir/cmake_pch"  # the standard headers that TRACER_UNITY compiles once
OPTIONAL = ("cupti.h", "cuda.h")  # of packages that a build can do without


def rank(command):
    """Of two sources' commands the lesser is taken: with the common headers, and compiled as these are."""
    return COMMON not in command, " -O3" in command


def flags(command):
    """The compiler and those of its arguments that decide whether a text is valid. Compiled headers are taken by those alone that have the
    options with which they were compiled; others than the common ones would hide what is missing."""
    words = shlex.split(command)
    takes_common = COMMON in command
    if pathlib.Path(words[0]).name in NO_LAUNCHER:
        words = words[1:]
    kept, skip = [], 0
    for at, word in enumerate(words):
        if skip:
            skip -= 1
        elif word in ("-o", "-MT", "-MF", "-c"):
            skip = 1  # -c SOURCE is the end of CMake's commands
        elif word.startswith("-MD"):
            continue
        elif takes_common:
            kept.append(word)
        elif word == "-include" and any("cmake_pch" in file for file in words[at + 1:at + 3]):
            skip = 2 if words[at + 1] == "-Xclang" else 1
        elif word == "-Xclang" or "cmake_pch" in word or word in ("-include-pch", "-Winvalid-pch") or word.startswith(("-O", "-g")):
            continue
        else:
            kept.append(word)
    return kept


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--build", type=pathlib.Path, required=True)
    arguments.add_argument("root", type=pathlib.Path)
    options = arguments.parse_args()
    root = options.root.resolve()
    places = [root, root / "include", root / "tests"]
    commands, users, proven = {}, {}, set()
    for entry in json.loads((options.build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if not source.is_relative_to(root) or source.is_relative_to(options.build.resolve()) or source.suffix != ".cpp":
            continue
        taken = entry["command"], entry["directory"]
        commands[source.parent] = min(commands.get(source.parent, taken), taken, key=lambda one: rank(one[0]))
        for number, name in enumerate(INCLUDE.findall(source.read_text(errors="replace"))):
            for header in (str(place / name) for place in (source.parent, *places) if (place / name).is_file()):
                users[header] = min(users.get(header, taken), taken, key=lambda one: rank(one[0]))
                if number == 0:
                    proven.add(header)

    def near(header):
        """The command of a source that includes the header, of one beside it, or of one below the nearest folder around it."""
        if str(header) in users:
            return users[str(header)]
        for folder in (header.parent, *header.parents):
            found = [place for place in commands if place.is_relative_to(folder)]
            if found:
                return commands[min(found, key=lambda place: (rank(commands[place][0]), place))]
        raise SystemExit("no source of the project is in compile_commands.json")

    headers = [header for part in ("include", "tracer", "formats", "device", "tests", "bench") for header in (root / part).rglob("*.hpp")]
    alone = sorted(header for header in headers if str(header) not in proven)

    def compile_one(header):
        command, directory = near(header)
        # In a file of its own, for `#pragma once` is a warning in a main file.
        words = flags(command) + ["-fsyntax-only", "-x", "c++", "-"]
        done = subprocess.run(words, cwd=directory, input=f'#include "{header}"\n', capture_output=True, text=True)
        return header, done

    failed, left_out = 0, {}
    with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for header, done in pool.map(compile_one, alone):
            missing = MISSING.search(done.stderr)
            if done.returncode != 0 and missing and missing[1] in OPTIONAL:
                left_out.setdefault(missing[1], []).append(header)
            elif done.returncode != 0:
                failed += 1
                print(f"{header.relative_to(root)}:\n{done.stderr[:1500]}")
    for missing, without in left_out.items():
        print(f"not compiled: {len(without)} that need {missing}, which is not installed")
    print(f"{len(headers)} headers, {len(headers) - len(alone)} first in a source, {len(alone)} compiled alone, {failed} failed")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
