# SPDX-License-Identifier: BSD-3-Clause
"""Reads an OTF2 archive of Tracer into pandas tables: what the scripts of this directory share.

Needs Debian's python3-otf2, python3-pandas and, for pictures, python3-matplotlib. OTF2's Python reader takes
about three seconds per million events; for large traces export to CSV or SQLite and read that instead.
"""
import argparse
import collections
import pathlib
import sys

try:
    import otf2
    import pandas as pd
except ImportError as missing:
    sys.exit(f"{missing}; on Debian: apt-get install python3-otf2 python3-pandas python3-matplotlib (and use /usr/bin/python3)")

WAITING = {"BARRIER", "IMPLICIT_BARRIER", "TASK_WAIT"}


def parser(text, *, plot=None):
    """An argument parser with what all scripts have."""
    result = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("archive", help="directory of the trace, or its traces.otf2")
    if plot:
        result.add_argument("--plot", metavar="FILE", help=plot + " (.png, .pdf, .svg)")
    return result


def anchor(path):
    path = pathlib.Path(path)
    if path.is_dir():
        path = path / "traces.otf2"
    if not path.exists():
        sys.exit(f"{path}: there is no such archive")
    return str(path)


def pyplot():
    """matplotlib without a display."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot
    return matplotlib.pyplot


class Frame:
    __slots__ = ("region", "begin", "own", "active")

    def __init__(self, region, begin):
        self.region, self.begin, self.own, self.active = region, begin, 0, 0


class Task:
    """An explicit task, or what a location does outside of explicit tasks."""
    __slots__ = ("id", "explicit", "stack", "parent", "created", "started", "ended", "region", "active", "creator", "location")

    def __init__(self, location, explicit=False, parent=None, created=0):
        self.id, self.explicit, self.parent, self.created = 0, explicit, parent, created
        self.stack, self.started, self.ended, self.active = [], None, None, 0
        self.region, self.creator, self.location = "", location, location


class Trace:
    """Tables of one archive; times are seconds since its first event.

    Locations have the names of the archive. Where several have one name, as the threads of a job's ranks, the name of
    their process stands before it ("MPI Rank 1: Master thread"). Task ids of all processes but the first are moved
    (first_id): each process counts its own.

    slices     location, region, role, file, line, begin, end, own (without regions inside), active (without other tasks)
    tasks      id, parent, region, creator, location, created, begin, end, active
    depends    source, sink (task ids)
    copies     location, direction ("to", "from"), bytes, begin, end
    locations  name, kind ("thread", "stream"), group, process (the group; of a stream that of who uses the device)
    """

    def __init__(self, path):
        self.path = anchor(path)
        slices, tasks, depends, copies = [], [], [], []
        with otf2.reader.open(self.path) as archive:
            self.resolution = archive.timer_resolution
            self.offset = archive.definitions.clock_properties.global_offset
            self.wall = archive.definitions.clock_properties.trace_length / self.resolution
            names = Names(archive.definitions.locations)
            self.locations = pd.DataFrame(
                [(names.of(l), "stream" if l.type == otf2.LocationType.ACCELERATOR_STREAM else "thread", names.group_of(l), names.process_of(l)) for l in archive.definitions.locations],
                columns=["name", "kind", "group", "process"])
            _Reader(self, names, slices, tasks, depends, copies).read(archive)
        self.slices = pd.DataFrame(slices, columns=["location", "region", "role", "file", "line", "begin", "end", "own", "active"])
        self.tasks = pd.DataFrame(tasks, columns=["id", "parent", "region", "creator", "location", "created", "begin", "end", "active"])
        self.depends = pd.DataFrame(depends, columns=["source", "sink"])
        self.copies = pd.DataFrame(copies, columns=["location", "direction", "bytes", "begin", "end"])


class Names:
    """What the locations of an archive and their groups are called: each has a name of its own."""

    def __init__(self, locations):
        locations = list(locations)
        groups = {l.group._ref: l.group for l in locations}
        called = {ref: self._creator(group) + group.name for ref, group in groups.items()}
        self.groups = self._distinct(called, lambda ref: f"{called[ref]} ({ref})")
        self.processes = {ref: self.groups.get(self._process(group)._ref, group.name) for ref, group in groups.items()}
        self.numbers = {name: number for number, name in enumerate(dict.fromkeys(self.processes.values()))}
        alone = {l._ref: l.name for l in locations}
        longer = {l._ref: f"{self.groups[l.group._ref]}: {l.name}" for l in locations}
        self.locations = self._distinct(self._distinct(alone, longer.get), lambda ref: f"{longer[ref]} ({ref})")

    @staticmethod
    def _process(group):
        """Of a device: the process that uses it."""
        return getattr(group, "creating_location_group", None) or group

    def _creator(self, group):
        creator = self._process(group)
        return "" if creator is group else creator.name + ": "

    @staticmethod
    def _distinct(names, otherwise):
        count = collections.Counter(names.values())
        return {ref: name if count[name] == 1 else otherwise(ref) for ref, name in names.items()}

    def of(self, location):
        return self.locations[location._ref]

    def group_of(self, location):
        return self.groups[location.group._ref]

    def process_of(self, location):
        return self.processes[location.group._ref]

    def first_id(self, location):
        return self.numbers[self.process_of(location)] << 40


class _Reader:
    def __init__(self, trace, names, slices, tasks, depends, copies):
        self.trace, self.names, self.slices, self.task_rows, self.depends, self.copies = trace, names, slices, tasks, depends, copies
        self.first_id = 0  # of the tasks of the process whose event it is
        self.roots, self.current, self.last, self.tasks, self.open_copies = {}, {}, {}, {}, {}

    def seconds(self, ticks):
        return (ticks - self.trace.offset) / self.trace.resolution

    def read(self, archive):
        for location, event in archive.events:
            name, self.first_id = self.names.of(location), self.names.first_id(location)
            if name not in self.roots:
                self.roots[name] = self.current[name] = Task(name)
                self.last[name] = event.time
            passed, self.last[name] = event.time - self.last[name], event.time
            task = self.current[name]
            if task.stack:
                task.stack[-1].own += passed
            task.active += passed
            handler = getattr(self, type(event).__name__, None)
            if handler:
                handler(name, task, event)

    def attribute(self, event, wanted):
        for key, value in (event.attributes or {}).items():
            if key.name == wanted:
                return value
        return 0

    def Enter(self, name, task, event):
        task.stack.append(Frame(event.region, event.time))
        if task.explicit and not task.region:
            task.region = event.region.name
        source, sink = self.attribute(event, "SOURCE_TASK_ID"), self.attribute(event, "SINK_TASK_ID")
        if source and sink:
            self.depends.append((self.first_id + source, self.first_id + sink))

    def Leave(self, name, task, event):
        if not task.stack:
            return
        frame, region = task.stack.pop(), event.region
        frame.active += frame.own
        if task.stack:
            task.stack[-1].active += frame.active
        scale = self.trace.resolution
        self.slices.append((name, region.name, str(region.region_role).rpartition(".")[2], region.source_file or "", region.begin_line_number, self.seconds(frame.begin), self.seconds(event.time),
                            frame.own / scale, frame.active / scale))

    def ThreadTaskCreate(self, name, task, event):
        new = Task(name, True, task, event.time)
        own = self.attribute(event, "TASK_ID")
        new.id = self.first_id + own if own else -len(self.task_rows) - len(self.tasks) - 1
        self.tasks[event.thread_team, event.creating_thread, event.generation_number] = new

    def ThreadTaskSwitch(self, name, task, event):
        if event.generation_number == 0:
            self.current[name] = self.roots[name]
            return
        new = self.tasks.setdefault((event.thread_team, event.creating_thread, event.generation_number), Task(name, True))
        new.location = name
        if new.started is None:
            new.started = event.time
        self.current[name] = new

    def ThreadTaskComplete(self, name, task, event):
        done = self.tasks.pop((event.thread_team, event.creating_thread, event.generation_number), None)
        if done is None:
            return
        parent = done.parent.id if done.parent else 0
        began = done.started if done.started is not None else event.time
        self.task_rows.append((done.id, parent, done.region, done.creator, name, self.seconds(done.created), self.seconds(began), self.seconds(event.time), done.active / self.trace.resolution))
        if self.current[name] is done:
            self.current[name] = self.roots[name]

    def RmaGet(self, name, task, event):
        self.open_copies[name, event.matching_id] = ("to", event)

    def RmaPut(self, name, task, event):
        self.open_copies[name, event.matching_id] = ("from", event)

    def RmaOpCompleteBlocking(self, name, task, event):
        direction, start = self.open_copies.pop((name, event.matching_id), (None, None))
        if start is not None:
            self.copies.append((name, direction, start.bytes, self.seconds(start.time), self.seconds(event.time)))


def union(intervals):
    """Disjoint intervals that cover the same; input and output: sorted lists of (begin, end)."""
    merged = []
    for begin, end in sorted(intervals):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        elif end > begin:
            merged.append((begin, end))
    return merged


def length(intervals):
    return sum(end - begin for begin, end in intervals)


def intersection(a, b):
    result, i, k = [], 0, 0
    while i < len(a) and k < len(b):
        begin, end = max(a[i][0], b[k][0]), min(a[i][1], b[k][1])
        if begin < end:
            result.append((begin, end))
        if a[i][1] < b[k][1]:
            i += 1
        else:
            k += 1
    return result
