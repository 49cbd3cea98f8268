#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_prints.py ROOT: what writes to standard output or error by other ways than those of tracer/cli/output/terminal.hpp and
tracer/base/log.hpp, which clean what they write: a name may be anybody's, and a terminal obeys it."""
import pathlib
import re
import sys

from product import matches

# Texts of the commands' own (help, completion, manual), and where the ways are.
HOMES = {"tracer/cli/output/terminal.cpp", "tracer/cli/output/output_file.cpp", "tracer/cli/help/completion.cpp", "tracer/cli/help/manual.cpp", "tracer/base/log.cpp",
         "tracer/ompd/guard.cpp",
         # texts of their own, in a process that libtracer.so may not be in
         "tracer/gomp/runtime.cpp", "tracer/gomp/unseen.cpp", "tracer/mpi/unseen.cpp"}
PRINTS = re.compile(r"\b(?:std::|::)?(?:printf|puts|putchar|vprintf|perror)\s*\(|\bf(?:printf|puts|write|putc)\s*\([^;]*\b(?:stdout|stderr)\b"
                    r"|\bstd::(?:cout|cerr|clog)\s*<<|\bd?printf\s*\(\s*[12]\s*,|\bwrite\s*\(\s*(?:[12]|STD(?:OUT|ERR)_FILENO)\s*,")


def main():
    faults = [f"{place}: {match.group(0).split('(')[0].strip()} writes past tracer/cli/output/terminal.hpp"
              for place, match in matches(pathlib.Path(sys.argv[1]), PRINTS, HOMES)]
    print("\n".join(faults) or "none")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
