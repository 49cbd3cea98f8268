#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Processes of one job use the same device at once, one of them with OpenMP: the archive is valid, and each process has a device
of its own in it, with its own kernels, copies, streams and threads.

check_job.py --bin DIRECTORY --tool libtracer.so --fakes DIRECTORY --plain PROGRAM --offload PROGRAM"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

AT_ONCE = '"$1" & "$1" & "$2" 10 2 & wait'
# Per process: kernels, bytes to and from the device, streams that did something.
PLAIN, OFFLOAD = (40, 4 << 16, 4 << 16, 4), (20, 20 * 256, 20 * 128, 2)


def faults_of(options, directory):
    archive = pathlib.Path(directory, "job")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER", "FAKE_CU", "CUDA_"))}
    environment.update(LD_LIBRARY_PATH=options.fakes + ":" + os.environ.get("LD_LIBRARY_PATH", ""), TRACER_LIBRARY=options.tool)
    tracer = f"{options.bin}/tracer"
    done = subprocess.run([tracer, "run", "-q", "-o", archive, "--", "sh", "-c", AT_ONCE, "sh", options.plain, options.offload],
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        yield f"the job ended with {done.returncode}: {done.stdout}{done.stderr}"
        return
    check = subprocess.run([tracer, "check", archive], capture_output=True, text=True)
    if check.returncode:
        yield check.stdout
    # Another tool that CUDA's driver is to load stays, which is said.
    other = subprocess.run([tracer, "run", "-o", archive.with_name("other"), "--", "sh", "-c", "echo $CUDA_INJECTION64_PATH"],
                           env={**environment, "CUDA_INJECTION64_PATH": "/nowhere/other.so"}, capture_output=True, text=True)
    if other.stdout != "/nowhere/other.so\n" or "CUDA_INJECTION64_PATH names another tool, /nowhere/other.so" not in other.stderr:
        yield f"beside another tool: {other.stdout}{other.stderr}"
    report = json.loads(subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True, text=True).stdout)
    processes = {p["process"]: p for p in report["processes"]}
    devices = [(d["kernels"], d["to_device"]["bytes"], d["from_device"]["bytes"], len(d["by_stream"])) for d in report["devices"]]
    if sorted(devices) != sorted([PLAIN, PLAIN, OFFLOAD]):
        yield f"devices have {devices}"
    if len({d["process"] for d in report["devices"]}) != 3:
        yield f"devices are of the processes {[d['process'] for d in report['devices']]}"
    for device in report["devices"]:
        process = processes[device["process"]]
        if any(stream["location"] not in process["streams"] for stream in device["by_stream"]):
            yield f"{process['name']} has not all streams of its device"
        if sum(stream["kernels"] for stream in device["by_stream"]) != device["kernels"]:
            yield f"the streams of {process['name']} have not the kernels of its device"
        if any(stream["busy_ns"] + sum(stream["idle"].values()) != device["total_ns"] for stream in device["by_stream"]):
            yield f"a stream of {process['name']} is not busy or idle at each moment"
        if sum(device["time"].values()) != device["total_ns"]:
            yield f"the device of {process['name']} is in no place, or two, at some moment"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--bin", "--tool", "--fakes", "--plain", "--offload"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        faults = list(faults_of(options, directory))
    print("\n".join(faults) or "three processes, each with its device")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
