#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces a program on the fake CUDA and holds its calls, as regions of its threads, against what the device did of them: each
kernel and copy has the call that made it, which begins before it, and says how it was launched. Without the group device-api
the calls are counted. What the driver moves for unified memory, and what memory pools have, is as the program used it.

check_calls.py --bin DIRECTORY --tool libtracer.so --fakes DIRECTORY --offload PROGRAM"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import LocationType
from otf2.events import Enter, Leave, RmaGet, RmaPut

STEPS, THREADS = 20, 3
NODES = 20  # of a graph
SHAPE = {"GRID": "4x1x1", "BLOCK": "256x1x1", "REGISTERS": 64, "SHARED_MEMORY": 1024, "OCCUPANCY": 50, "OCCUPANCY_LIMIT": "registers"}
MANAGED, MIGRATED_AT_ONCE, POOL = 256 << 10, 64 << 10, 2 << 20  # bytes: CUDA_MEMORY of cuda_offload.cpp, and the fake driver's
EACH_STEP = ("cuMemAlloc", "cuMemcpyHtoDAsync", "cuLaunchKernel", "cuMemcpyDtoHAsync", "cuStreamSynchronize", "cuMemFree")


def attributes(event):
    return {key.name: value for key, value in (event.attributes or {}).items()}


def faults_of(options, directory):
    def traced(name, extra, steps=STEPS, threads=THREADS):
        archive = pathlib.Path(directory, name)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER", "FAKE_CU", "CUDA_"))}
        environment.update(LD_LIBRARY_PATH=options.fakes + ":" + os.environ.get("LD_LIBRARY_PATH", ""), FAKE_CUDA_MODULE_MS="30",
                           OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(archive), **extra)
        subprocess.run([options.offload, str(steps), str(threads)], env=environment, check=True, capture_output=True)
        return archive

    archive = traced("calls", {})
    check = subprocess.run([f"{options.bin}/tracer", "check", str(archive)], capture_output=True, text=True)
    if check.returncode:
        yield check.stdout
    calls, counts, open_calls, times = {}, collections.Counter(), collections.defaultdict(list), collections.Counter()
    device = []
    with otf2.reader.open(str(archive / "traces.otf2")) as trace:
        for location, event in trace.events:
            if location.type == LocationType.ACCELERATOR_STREAM:
                if isinstance(event, (RmaGet, RmaPut)) or (isinstance(event, Enter) and ("kernel" in event.region.name or event.region.name.startswith("__omp"))):
                    device.append((event, attributes(event)))
            elif isinstance(event, Enter):
                open_calls[location].append(event)
                if event.region.name.startswith("cu"):
                    counts[event.region.name] += 1
                    calls[attributes(event).get("CORRELATION_ID")] = (event.region.name, event.time, location)
            elif isinstance(event, Leave):
                begin = open_calls[location].pop()
                times[begin.region.name] += event.time - begin.time
        per_second = trace.definitions.clock_properties.timer_resolution
    for name in EACH_STEP:
        if counts[name] != STEPS * THREADS:
            yield f"{counts[name]} calls of {name}, not {STEPS * THREADS}"
    if not counts["cuModuleLoadDataEx"] or times["cuModuleLoadDataEx"] < 0.03 * per_second:
        yield "loading the module is no region, or too short"
    if counts["cuCtxSetCurrent"]:
        yield "a call that makes nothing is a region"
    if len(device) != 3 * STEPS * THREADS:
        yield f"{len(device)} kernels and copies"
    for event, of in device:
        call = calls.get(of.get("CORRELATION_ID"))
        if call is None:
            yield f"no call made {event}"
            break
        if call[1] > event.time:
            yield f"{call[0]} begins behind what it made"
            break
        if isinstance(event, Enter) and any(of.get(key) != value for key, value in SHAPE.items()):
            yield f"a kernel says {of}"
            break
        if isinstance(event, RmaGet) and of.get("HOST_MEMORY") != "pageable":
            yield f"a copy says {of}"
            break
    yield from faults_of_graphs(options, traced("graphs", {"CUDA_GRAPH": str(NODES)}), STEPS * THREADS)
    # Two threads: which graph has the last times is not the same each time.
    yield from faults_of_graphs(options, traced("timeless", {"CUDA_GRAPH": str(NODES), "FAKE_CUPTI_GRAPH_TIMES": str(NODES * 10)}), 10)
    several = traced("several", {"FAKE_CUDA_DEVICES": "3", "CUDA_UNANNOUNCED": "1"}, threads=7)
    with otf2.reader.open(str(several / "traces.otf2")) as trace:
        named = sorted(node.name for node in trace.definitions.system_tree_nodes if node.name.startswith("Device "))
    if named != [f"Device {number} (Fake GPU)" for number in range(3)]:
        yield f"devices are called {named}"
    for version in ("130001", "18"):  # each has records of its own
        memory = traced(f"memory{version}", {"CUDA_MEMORY": "1", "FAKE_CUPTI_VERSION": version, "TRACER_RECORD": "+unified-memory"})
        yield from (f"CUPTI {version}: {fault}" for fault in faults_of_memory(options, memory))
    counted = traced("counted", {"TRACER_RECORD": "-device-api"})
    info = subprocess.run([f"{options.bin}/tracer", "info", "--all", str(counted)], capture_output=True, text=True).stdout
    for kind, wanted in (("LAUNCH", 1), ("COPY", 2), ("ALLOCATION", 2)):
        if not any(f"CALLS_{kind}" in line and str(wanted * STEPS * THREADS) in line for line in info.splitlines()):
            yield f"CALLS_{kind} is not {wanted * STEPS * THREADS}:\n{info}"
    with otf2.reader.open(str(counted / "traces.otf2")) as trace:
        if any(region.name.startswith("cu") for region in trace.definitions.regions):
            yield "calls are regions though they are left out"


def faults_of_memory(options, archive):
    """Pages go to the device and back in each step, a fault for each piece; the pool keeps what it has had."""
    check = subprocess.run([f"{options.bin}/tracer", "check", str(archive)], capture_output=True, text=True)
    if check.returncode:
        yield check.stdout
    report = subprocess.run([f"{options.bin}/tracer", "report", "--json", str(archive)], capture_output=True, text=True, check=True)
    device = json.loads(report.stdout)["devices"][0]
    unified, pools = device["unified_memory"], device["memory_pools"]
    pieces = STEPS * THREADS * MANAGED // MIGRATED_AT_ONCE
    for direction in ("to_device", "from_device"):
        found = unified[direction]["count"], unified[direction]["bytes"]
        if found != (pieces, STEPS * THREADS * MANAGED):
            yield f"{direction}: {found[0]} migrations of {found[1]} bytes"
    if (unified["device_page_faults"], unified["host_page_faults"]) != (pieces, pieces):
        yield f"{unified['device_page_faults']} page faults of the device and {unified['host_page_faults']} of the host, not {pieces}"
    if device["to_device"]["count"] != STEPS * THREADS:
        yield f"{device['to_device']['count']} copies to the device: migrations are none"
    reserved, in_use = pools["reserved"], pools["in_use"]
    if not POOL <= reserved["peak_bytes"] == reserved["end_bytes"] or not 1 << 20 <= in_use["peak_bytes"] <= reserved["peak_bytes"]:
        yield f"memory pools: {reserved['peak_bytes']} reserved, {reserved['end_bytes']} in the end, {in_use['peak_bytes']} in use"
    if in_use["end_bytes"]:
        yield f"memory pools: {in_use['end_bytes']} bytes in use when all are freed"


def faults_of_graphs(options, archive, launches_with_times):
    """All kernels of a launch are of its operation and its call; those without times are there once, for the launch's interval."""
    check = subprocess.run([f"{options.bin}/tracer", "check", str(archive)], capture_output=True, text=True)
    if check.returncode:
        yield f"{archive.name}: {check.stdout}"
    launches, kernels, streams = {}, collections.Counter(), set()
    with otf2.reader.open(str(archive / "traces.otf2")) as trace:
        for location, event in trace.events:
            if not isinstance(event, Enter):
                continue
            of = attributes(event)
            if location.type == LocationType.ACCELERATOR_STREAM and "HOST_OP_ID" in of and "synchron" not in event.region.name:
                kernels[of["HOST_OP_ID"]] += 1
                streams.add(location.name)
            elif event.region.name.startswith("!$omp target submit"):
                launches[of["HOST_OP_ID"]] = event
    if len(launches) != STEPS * THREADS or set(kernels) != set(launches):
        yield f"{archive.name}: {len(launches)} launches, {len(kernels)} of them have kernels"
    whole = sum(1 for number in kernels.values() if number == NODES)
    once = sum(1 for number in kernels.values() if number == 1)
    # A launch may be cut in two where the times end.
    if whole < launches_with_times - THREADS or whole + once < len(launches) - THREADS or whole > launches_with_times:
        yield f"{archive.name}: {whole} launches with all kernels, {once} with one, of {launches_with_times} with times"
    if len(streams) > 2 * THREADS:
        yield f"{archive.name}: {len(streams)} streams for {THREADS}: {sorted(streams)[:8]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--bin", "--tool", "--fakes", "--offload"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        faults = list(faults_of(options, directory))
    print("\n".join(faults) or "all calls have what they made")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
