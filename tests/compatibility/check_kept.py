#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_kept.py TRACER DIRECTORY: the archive and the raw trace in DIRECTORY, which an earlier version wrote, are read by
TRACER: the archive is valid and its report has the numbers of report.json; the raw trace becomes an archive with the same.

check_kept.py --keep TRACER LIBRARY PROGRAM DIRECTORY: writes such a directory, at a release."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def numbers(tracer, archive):
    """What a later version must find: nothing that depends on how it judges."""
    report = json.loads(subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True, text=True).stdout)
    constructs = {row["name"]: [row["count"], row["total_ns"]] for row in report["constructs"]}
    return {"schema": report["schema"], "events": report["trace"]["events"], "threads": report["trace"]["threads"],
            "wall_ns": report["wall_ns"], "constructs": constructs, "callbacks": report["callbacks"]}


def keep(tracer, library, program, directory):
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        trace = pathlib.Path(temporary, "trace")
        environment = {**os.environ, "TRACER_LIBRARY": library, "OMP_NUM_THREADS": "2", "TRACER_THREADS": "1"}
        subprocess.run([tracer, "run", "--raw", "-q", "-o", trace, "--", program, "64", "2"], check=True, env=environment, stdout=subprocess.DEVNULL)
        for name in ("raw", "archive"):
            shutil.rmtree(directory / name, ignore_errors=True)
        shutil.copytree(trace / "raw", directory / "raw")
        subprocess.run([tracer, "convert", "-o", directory / "archive", "--keep-raw", "--no-symbols", trace], check=True, stdout=subprocess.DEVNULL)
    (directory / "report.json").write_text(json.dumps(numbers(tracer, directory / "archive"), indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main():
    if sys.argv[1] == "--keep":
        return keep(sys.argv[2], sys.argv[3], sys.argv[4], pathlib.Path(sys.argv[5]))
    tracer, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    wanted = json.loads((directory / "report.json").read_text(encoding="utf-8"))
    faults = []
    with tempfile.TemporaryDirectory() as temporary:
        trace = pathlib.Path(temporary, "trace")
        shutil.copytree(directory / "raw", trace / "raw")
        converted = subprocess.run([tracer, "convert", "--no-symbols", trace], capture_output=True, text=True)
        if converted.returncode:
            raise SystemExit(f"FAILED: the raw trace is not converted: {converted.stdout}{converted.stderr}")
        for archive in (directory / "archive", trace):
            check = subprocess.run([tracer, "check", archive], capture_output=True, text=True)
            faults += [check.stdout] if check.returncode else []
            found = numbers(tracer, archive)
            faults += [f"{archive}: {name} is {found[name]}, was {value}" for name, value in wanted.items() if found[name] != value]
    print("\n".join(faults) or f"{directory.name}: {wanted['events']} events, {len(wanted['constructs'])} constructs, as written")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
