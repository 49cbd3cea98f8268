#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_loader.py ROOT: calls of dl_iterate_phdr() beside that of tracer/base/loader_gate.hpp, which no thread makes while another
one forks."""
import pathlib
import re
import sys

HOME = "tracer/base/loader_gate.hpp"
CALL = re.compile(r"\bdl_iterate_phdr\s*\(")


def calls(text):
    """The line of each, comments aside."""
    bare = re.sub(r"//[^\n]*", "", text)
    for match in CALL.finditer(bare):
        yield bare[:match.start()].count("\n") + 1


def main():
    root = pathlib.Path(sys.argv[1])
    faults = [f"{path.relative_to(root)}:{line}: calls dl_iterate_phdr() past {HOME}"
              for folder in ("tracer", "formats", "device", "include") for path in sorted((root / folder).rglob("*.[ch]*"))
              if str(path.relative_to(root)) != HOME and path.suffix in (".cpp", ".hpp", ".h", ".c")
              for line in calls(path.read_text(encoding="utf-8", errors="replace"))]
    print("\n".join(faults) or "none")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
