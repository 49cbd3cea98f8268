# SPDX-License-Identifier: BSD-3-Clause
"""Which OpenMP runtimes tests can run on: Debian's, unpacked by cmake/scripts/runtimes.sh, and the compiler's own."""
import pathlib
import re
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]


class Runtime:
    def __init__(self, version, directory):
        self.version = version        # of LLVM, as a number
        self.directory = directory    # that LD_LIBRARY_PATH needs

    def __str__(self):
        return f"libomp {self.version}"


def version_of(library):
    """The LLVM version that a libomp.so says it was built by; all call themselves 5.0.20140926."""
    found = re.search(rb"LLVM OMP build compiler: \D*(\d+)", pathlib.Path(library).read_bytes())
    return int(found.group(1)) if found else 0


def runtime_of(program):
    """The runtime that the loader gives to a program."""
    lines = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    found = re.search(r"libomp\S* => (\S+)", lines)
    return Runtime(version_of(found.group(1)), str(pathlib.Path(found.group(1)).parent)) if found else None


def unpacked(directory):
    """Debian's versions, unpacked under `directory`; empty where that cannot be done."""
    done = subprocess.run([TOP / "cmake" / "scripts" / "runtimes.sh", directory], capture_output=True, text=True, timeout=300)
    rows = [line.split(" ", 1) for line in done.stdout.splitlines()]
    return [Runtime(int(version), path) for version, path in rows]


def all_runtimes(directory, program):
    """The unpacked ones, and the program's own when its version is not among them."""
    found = unpacked(directory)
    own = runtime_of(program)
    if own is not None and own.version not in [runtime.version for runtime in found]:
        found.append(own)
    return found
