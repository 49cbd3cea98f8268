#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_loader.py ROOT: calls of dl_iterate_phdr() beside that of tracer/base/loader_gate.hpp, which no thread makes while another
one forks."""
import pathlib
import re
import sys

from product import matches

HOME = "tracer/base/loader_gate.hpp"
CALL = re.compile(r"\bdl_iterate_phdr\s*\(")


def main():
    faults = [f"{place}: calls dl_iterate_phdr() past {HOME}" for place, _ in matches(pathlib.Path(sys.argv[1]), CALL, {HOME})]
    print("\n".join(faults) or "none")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
