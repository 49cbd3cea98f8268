#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""target_on_host.py TRACER: a program of GCC with target regions on a machine without a device, on its own libgomp. What the host
runs itself is the program's work: no time of it is waiting for a device, and no finding says so."""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def main():
    tracer = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        program, archive = f"{directory}/program", f"{directory}/trace"
        built = subprocess.run(["gcc", "-g", "-O1", "-fopenmp", "-foffload=disable", HERE / "target_on_host.c", "-o", program], capture_output=True, text=True)
        if built.returncode:
            print(f"skipped: gcc: {built.stderr}")
            return 77
        done = subprocess.run([tracer, "run", "-q", "-o", archive, "--", program], capture_output=True, text=True)
        if done.returncode == 77:
            print(f"skipped: there is a device: {done.stdout}")
            return 77
        check = subprocess.run([tracer, "check", archive], capture_output=True, text=True)
        report = json.loads(subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True, text=True).stdout)
    faults = [check.stdout] if check.returncode else []
    if done.returncode or done.stdout != "right\n":
        faults.append(f"ended with {done.returncode}: {done.stdout}{done.stderr}")
    targets = sum(row["count"] for row in report["constructs"] if row["construct"] == "target")
    if targets != 4:
        faults.append(f"{targets} target constructs, not 4")
    if report["account"]["time"]["device_ns"]:
        faults.append(f"{report['account']['time']['device_ns']} ns are waiting for a device")
    if any(finding["id"] == "device-wait" for finding in report["verdict"]["findings"]):
        faults.append("a finding says so")
    print("\n".join(faults) or "the host's target regions are the program's work")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
