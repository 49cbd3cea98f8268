#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills programs that use the fake CUDA, recovers their traces, and holds the device's records against what the host asked
for: what has no record is the newest, and is shown by the host. TRACER_STRESS=n: n times as many kills.

check_kills.py --bin DIRECTORY --tool libtracer.so --fakes DIRECTORY --offload PROGRAM [--kills N]"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import otf2
from otf2.enums import LocationType
from otf2.events import Enter

SECONDS = 1e9


def host_op(event):
    for key, value in (event.attributes or {}).items():
        if key.name == "HOST_OP_ID":
            return value
    return 0


def read(archive):
    """Submits by id with their thread and time, ids of kernels that the device recorded, and that the host stands in for."""
    submits, recorded, stand_ins = {}, set(), set()
    with otf2.reader.open(str(archive)) as trace:
        providers = {p.location: str(p.value) for p in trace.definitions.location_properties if p.name == "TRACER::PROVIDER"}
        resolution = trace.definitions.clock_properties.timer_resolution
        for location, event in trace.events:
            if not isinstance(event, Enter):
                continue
            if location.type != LocationType.ACCELERATOR_STREAM:
                if event.region.name.startswith("!$omp target submit"):
                    submits[host_op(event)] = (location.name, event.time / resolution)
            elif "kernel" in event.region.name or event.region.name.startswith("__omp"):
                (stand_ins if providers.get(location) == "host" else recorded).add(host_op(event))
    return submits, recorded - {0}, stand_ins - {0}


def devices_of(options, process, interval):
    """What `tracer top` shows of devices, and what it says."""
    top = subprocess.run([f"{options.bin}/tracer", "top", "--json", "--interval", interval, "--times", "1", str(process)],
                         capture_output=True, text=True, timeout=100)
    devices = json.loads(top.stdout.splitlines()[-1])["devices"] if top.returncode == 0 and top.stdout else []
    return devices, top


def wait_for_kernels(options, process):
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        devices, _ = devices_of(options, process.pid, "1")
        if devices and devices[0]["kernels"]:
            return
        time.sleep(0.1)


def fault_of_top(options, process):
    """`tracer top` shows what the device did, long before the program's end."""
    devices, top = devices_of(options, process, "3")
    if not devices or not all(devices[0][key] for key in ("kernels", "copies", "to_device_bytes", "from_device_bytes", "streams")):
        return f"tracer top: {devices} {top.stdout}{top.stderr}"
    return ""


def one(options, number, seconds):
    with tempfile.TemporaryDirectory() as directory:
        archive = pathlib.Path(directory, "trace")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER", "FAKE_CU", "CUDA_"))}
        environment.update(LD_LIBRARY_PATH=options.fakes + ":" + os.environ.get("LD_LIBRARY_PATH", ""),
                           OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(archive))
        program = subprocess.Popen([options.offload, "100000", "2", "2"], env=environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        wait_for_kernels(options, program)
        time.sleep(seconds)
        fault = fault_of_top(options, program.pid) if number == 0 else ""
        program.send_signal(signal.SIGKILL)
        said = program.communicate()[1]
        if fault:
            return fault, 0, 0, 0
        if program.returncode != -signal.SIGKILL:
            return f"ended with {program.returncode} before it was killed: {said}", 0, 0, 0
        recover = subprocess.run([f"{options.bin}/tracer", "recover", str(archive)], capture_output=True, text=True)
        if recover.returncode:
            return f"recover: {recover.stdout}{recover.stderr}", 0, 0, 0
        check = subprocess.run([f"{options.bin}/tracer", "check", str(archive)], capture_output=True, text=True)
        if check.returncode:
            return f"check: {check.stdout}", 0, 0, 0
        submits, recorded, stand_ins = read(archive / "traces.otf2")
        info = subprocess.run([f"{options.bin}/tracer", "info", "--all", str(archive)], capture_output=True, text=True).stdout
    lost = set(submits) - recorded
    age = max((t for _, t in submits.values()), default=0) - min((submits[i][1] for i in lost), default=1e99)
    fault = ""
    if not recorded:
        fault = f"nothing of {len(submits)} kernels was kept"
    elif lost != stand_ins:
        fault = f"{len(lost)} kernels have no record, {len(stand_ins)} are shown by the host"
    elif lost and "without_record" not in info.lower():
        fault = "what has no record is not counted"
    else:
        newest = collections.defaultdict(float)
        for i in recorded:
            newest[submits[i][0]] = max(newest[submits[i][0]], submits[i][1])
        old = [i for i in lost if submits[i][1] < newest[submits[i][0]]]
        if old:
            fault = f"{len(old)} kernels without a record are older than recorded ones of their thread"
    return fault, len(submits), len(lost), max(age, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--bin", "--tool", "--fakes", "--offload"):
        parser.add_argument(option, required=True)
    parser.add_argument("--kills", type=int, default=4 * int(os.environ.get("TRACER_STRESS", "1")))
    options = parser.parse_args()
    chance = random.Random(53)
    failed, shares, ages = 0, [], []
    with concurrent.futures.ProcessPoolExecutor(4) as pool:
        runs = [pool.submit(one, options, i, 1 + chance.random() * 2) for i in range(options.kills)]
        for number, run in enumerate(runs):
            fault, asked, lost, age = run.result()
            failed += bool(fault)
            shares.append(lost)
            ages.append(age)
            print(f"kill {number}: {asked} kernels, {lost} without a record, the oldest of them {age:.2f} s before the last"
                  + (f": {fault}" if fault else ""))
    print(f"{options.kills - failed} of {options.kills} hold; without a record at most {max(shares)} kernels, {max(ages):.2f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
