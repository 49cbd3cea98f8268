#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""As check_program.py, and holds what the trace says of devices against the program's own "bytes to device 123" and
against itself: groups and locations, transfers inside their host operations, kernels behind their submits, streams without
overlap, memory in use. Options are those of check_program.py, and --provider NAME (who must
have recorded the devices) and --check TRACER (the command whose `check` must find nothing)."""
import collections
import pathlib
import re
import sys

import otf2
from otf2.enums import LocationGroupType, LocationType
from otf2.events import Enter, Leave, Metric, ParameterUnsignedInt, RmaGet, RmaOpCompleteBlocking, RmaPut

import check_program
from archive import construct_of
from traced import clean, faults_of, run

HOST_OPERATIONS = {"target submit", "target data to device", "target data from device"}


def attribute(event, name):
    for key, value in (event.attributes or {}).items():
        if key.name == name:
            return value
    return None


def kind_of(region):
    """The construct of a region, also of one that has no position."""
    return construct_of(region.name).removeprefix("!$omp ")


class Devices:
    """What the devices of a trace did, and what is wrong with it."""

    def __init__(self, path):
        self.problems = []
        self.bytes = collections.Counter()       # "to device", "from device"
        self.kernels = 0
        self.streams = set()
        self.providers = set()
        self._host = {}                          # host_op_id -> (construct, begin, end, bytes)
        self._open = collections.defaultdict(list)   # location -> [(region, event)]
        self._rma = {}                           # (location, matching id) -> event
        self._device = []                        # (what, host_op_id, begin, end, bytes)
        self._memory = {}
        with otf2.reader.open(str(path)) as trace:
            self._definitions(trace.definitions)
            for location, event in trace.events:
                if location.type == LocationType.ACCELERATOR_STREAM:
                    self._on_stream(location, event)
                else:
                    self._on_host(location, event)
        self._compare()

    def wrong(self, text):
        if len(self.problems) < 50:
            self.problems.append(text)

    def _definitions(self, definitions):
        for group in definitions.location_groups:
            accelerator = group.location_group_type == LocationGroupType.ACCELERATOR
            inside = [l for l in definitions.locations if l.group == group]
            wanted = LocationType.ACCELERATOR_STREAM if accelerator else LocationType.CPU_THREAD
            for location in inside:
                if location.type != wanted:
                    self.wrong(f"{location.name} of {group.name} is a {location.type}")
            if accelerator and not inside:
                self.wrong(f"{group.name} has no stream")
            if accelerator and "Device" not in group.system_tree_parent.class_name:
                self.wrong(f"{group.name} is not under a device but under {group.system_tree_parent.name}")
        names = collections.Counter((l.group.name, l.name) for l in definitions.locations)
        for name, n in names.items():
            if n > 1:
                self.wrong(f"{n} locations are called {name}")
        self.streams = {l.name for l in definitions.locations if l.type == LocationType.ACCELERATOR_STREAM}
        for prop in definitions.location_properties:
            if prop.name == "TRACER::PROVIDER":
                self.providers.add(str(prop.value))

    def _on_host(self, location, event):
        if isinstance(event, Enter):
            self._open[location].append((kind_of(event.region), event))
        elif isinstance(event, Leave):
            construct, begin = self._open[location].pop() if self._open[location] else (None, None)
            if construct in HOST_OPERATIONS:
                self._host[attribute(begin, "HOST_OP_ID")] = (construct, begin.time, event.time,
                                                              attribute(begin, "ALLOCATION_SIZE") or 0)

    def _on_stream(self, location, event):
        stack = self._open[location]
        if isinstance(event, Enter):
            if stack:
                self.wrong(f"{location.name}: {event.region.name} overlaps {stack[-1][0]}")
            stack.append((kind_of(event.region), event))
        elif isinstance(event, Leave):
            construct, begin = stack.pop()
            if construct == "target kernel":
                self.kernels += 1
                self._device.append(("target submit", attribute(begin, "HOST_OP_ID"), begin.time, event.time, 0))
        elif isinstance(event, (RmaGet, RmaPut)):
            key = (location, event.matching_id)
            if key in self._rma:
                self.wrong(f"{location.name}: matching id {event.matching_id} twice")
            self._rma[key] = event
            if event.remote == location.group:
                self.wrong(f"{location.name}: remote is itself")
        elif isinstance(event, RmaOpCompleteBlocking):
            begin = self._rma.pop((location, event.matching_id), None)
            if begin is None:
                return self.wrong(f"{location.name}: completion of {event.matching_id} without an operation")
            direction = "to device" if isinstance(begin, RmaGet) else "from device"
            self.bytes[direction] += begin.bytes
            self._device.append(("target data " + direction, attribute(begin, "HOST_OP_ID"), begin.time, event.time,
                                 begin.bytes))
        elif isinstance(event, Metric):
            self._memory[location.group.name] = int(event.values[0] if hasattr(event, "values") else event.value)
            if not 0 <= self._memory[location.group.name] < 1 << 48:
                self.wrong(f"{location.name}: {self._memory[location.group.name]} bytes in use")
        elif not isinstance(event, ParameterUnsignedInt):
            self.wrong(f"{location.name}: {type(event).__name__}")

    def _compare(self):
        for (location, matching), _ in self._rma.items():
            self.wrong(f"{location.name}: operation {matching} never completes")
        seen = collections.Counter()
        for what, host_op, begin, end, size in self._device:
            host = self._host.get(host_op)
            if host is None:
                self.wrong(f"{what}: no host operation {host_op}")
                continue
            seen[host_op] += 1
            if host[0] != what:
                self.wrong(f"{what} belongs to {host[0]}")
            if begin < host[1] or end < begin:
                self.wrong(f"{what} {host_op} begins at {begin}, asked for at {host[1]}")
            if size != host[3] and size:
                self.wrong(f"{what} {host_op}: {size} bytes, {host[3]} asked for")
        if self.streams:
            for host_op, (what, *_) in self._host.items():
                if seen[host_op] != 1:
                    self.wrong(f"{what} {host_op} is {seen[host_op]} times on a device")
        for device, left in self._memory.items():
            if left != 0:
                self.wrong(f"{device}: {left} bytes in use at the end")


def check(options, directory):
    for fault in check_program.check(options, directory):
        if not (options.provider == "none" and fault.startswith("target kernel: 0 ")):
            yield fault
    anchor = pathlib.Path(directory, "trace", "traces.otf2")
    if not anchor.exists():
        return
    if options.check:
        rules = run([options.check, "check", str(anchor)], clean())
        if rules.returncode != 0:
            yield rules.stdout + rules.stderr
    devices = Devices(anchor)
    yield from devices.problems
    if options.provider == "none":
        if devices.streams:
            yield f"streams with TRACER_DEVICE=off: {devices.streams}"
        return
    if devices.providers != {options.provider}:
        yield f"recorded by {devices.providers}, not by {options.provider}"
    output = run(options.command, clean(**check_program.settings(options))).stdout
    for text in re.findall(r"^(?:count target kernel|kernels) (\d+)$", output, re.MULTILINE):
        if devices.kernels != int(text):
            yield f"{devices.kernels} kernels, the program asked for {text}"
    for direction, text in re.findall(r"^bytes (to device|from device) (\d+)$", output, re.MULTILINE):
        if devices.bytes[direction] != int(text):
            yield f"{devices.bytes[direction]} bytes {direction}, the program asked for {text}"


def main():
    parser = check_program.make_parser(__doc__)
    parser.add_argument("--provider", default="host")
    parser.add_argument("--check", help="the command tracer, whose rules must hold")
    options = parser.parse_args()
    faults = faults_of(check, options)
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
