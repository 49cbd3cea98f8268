#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program without a build id that is another file when the archive is made, or gone, gets no lines, and the archive says so; a
stripped one gets those of the debug file that it names.

check_rebuilt.py --tool libtracer.so --tracer tracer PROGRAM"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, judge, traced  # noqa: E402


def check(options, directory, change):
    """`change`: what becomes of the program before the archive is made."""
    program, output = pathlib.Path(directory, f"program{change}"), pathlib.Path(directory, f"trace{change}")
    shutil.copy(options.program, program)
    subprocess.run([program], env=traced(options, output, OMP_NUM_THREADS="2", TRACER_CONVERT="later"), capture_output=True, timeout=60)
    if change == "gone":
        program.unlink()
    elif change == "rebuilt":
        with open(program, "ab") as file:
            file.write(b"another build")
    done = subprocess.run([options.tracer, "convert", str(output)], env=clean(), capture_output=True, text=True, timeout=60)
    faults, contents = judge(output / "traces.otf2", options.tracer)
    yield from faults
    has_lines = any("@constructs.c:" in name for name in contents.regions)
    if has_lines == bool(change):
        yield f"{change}: lines {has_lines}: {sorted(contents.regions)} {done.stderr}"
    said = subprocess.run([options.tracer, "info", "--json", str(output)], env=clean(), capture_output=True, text=True, timeout=60).stdout
    reasons = {"gone": "not there any more", "rebuilt": "another file than the one that ran"}
    if ("NO_LINES" in said) != bool(change) or reasons.get(change, "") not in said:
        yield f"{change}: said {said}"


def check_debuglink(options, directory):
    """A stripped program whose debug file lies beside it."""
    program, symbols, output = (pathlib.Path(directory, name) for name in ("stripped", "stripped.debug", "stripped.trace"))
    for command in (["objcopy", "--only-keep-debug", options.program, symbols],
                    ["objcopy", "--strip-debug", f"--add-gnu-debuglink={symbols}", options.program, program]):
        subprocess.run(command, check=True)
    for has_file in (True, False):
        subprocess.run([program], env=traced(options, output, OMP_NUM_THREADS="2"), capture_output=True, timeout=60)
        faults, contents = judge(output / "traces.otf2", options.tracer)
        yield from faults
        if any("@constructs.c:" in name for name in contents.regions) != has_file:
            yield f"debug file there: {has_file}: {sorted(contents.regions)}"
        symbols.write_bytes(b"another")  # whose checksum is another
        output = output.with_name("again")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        faults = [fault for change in ("", "rebuilt", "gone") for fault in check(options, directory, change)]
        if shutil.which("objcopy"):
            faults += check_debuglink(options, directory)
        else:
            print("not tested: debug links: no objcopy")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
