#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`--runtime auto` takes the LLVM runtime that has most of what compilers call: the loader's may be older than what a plug-in needs,
or newer than all others. newest_runtime.py --tracer tracer"""
import argparse
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, run  # noqa: E402

SKIPPED = 77


def names_of(library):
    """What compilers call of it, without versions."""
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines() if " __kmpc_" in line}


def make_runtime(directory, names):
    """A libomp.so.5 that has these names, and is no runtime."""
    directory.mkdir()
    source = directory / "runtime.c"
    source.write_text("\n".join(f"void {name}(void) {{}}" for name in sorted(names)) + "\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libomp.so.5", source, "-o", directory / "libomp.so.5"], check=True)
    return directory / "libomp.so.5"


def chosen(tracer, loaders, top):
    """What is preloaded into a program that has no OpenMP, where the loader finds `loaders`."""
    done = run([tracer, "run", "--runtime", "auto", "-o", str(top / "trace"), "--", "env"], clean(LD_LIBRARY_PATH=str(loaders.parent)))
    if done.returncode != 0:
        raise SystemExit(f"status {done.returncode}: {done.stderr}")
    preloads = [line.split("=", 1)[1] for line in done.stdout.splitlines() if line.startswith("LD_PRELOAD=")]
    return [name for name in ":".join(preloads).replace(" ", ":").split(":") if "libomp" in name]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    options = parser.parse_args()
    installed = [path for path in glob.glob("/usr/lib/llvm-*/lib/libomp.so.5") if os.path.exists(path)]
    if not installed or not shutil.which("nm") or not shutil.which("gcc"):
        print("skipped: no LLVM runtime below /usr/lib/llvm-*, or no nm or gcc")
        return SKIPPED
    newest = max(installed, key=lambda path: len(names_of(path)))
    names = names_of(newest)
    # The one that a plug-in needs and the older runtime lacks, whatever it is.
    last = sorted(names)[-1]
    faults = []
    with tempfile.TemporaryDirectory() as directory:
        top = pathlib.Path(directory)
        cases = (("an older one of the loader's", names - {last}, False),
                 ("one of the loader's that has half of it", set(sorted(names)[::2]), False),
                 ("a newer one of the loader's", names | {"__kmpc_of_another_time"}, True))
        for number, (what, has, is_taken) in enumerate(cases):
            loaders = make_runtime(top / str(number), has)
            taken = chosen(options.tracer, loaders, top / str(number))
            expected = str(loaders) if is_taken else newest
            if len(taken) != 1 or os.path.realpath(taken[0]) != os.path.realpath(expected):
                faults.append(f"{what}, {len(has)} names beside {len(names)} of {newest}: {taken} instead of {expected}")
    print("\n".join(faults) or f"{len(cases)} choices beside {newest}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
