#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_thread_variables.py MOST LIBRARY: the variables that each thread has of a library that a runtime opens take room which
all such libraries of the program share: glibc has 512 bytes for them, and some hundred more. The tool's are at most MOST bytes."""
import re
import shutil
import subprocess
import sys


def main():
    most, library = int(sys.argv[1]), sys.argv[2]
    if shutil.which("readelf") is None:
        print("skipped: no readelf (binutils)")
        return 77
    headers = subprocess.run(["readelf", "-lW", library], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^\s*TLS\s+(?:0x[0-9a-f]+\s+){4}(0x[0-9a-f]+)", headers, re.M)
    size = int(found.group(1), 16) if found else 0
    print(f"{size} bytes")
    if size <= most:
        return 0
    names = subprocess.run(["readelf", "-sW", library], capture_output=True, text=True).stdout
    print("\n".join(line for line in names.splitlines() if " TLS " in line))
    return 1


if __name__ == "__main__":
    sys.exit(main())
