# SPDX-License-Identifier: BSD-3-Clause
"""Reads a trace into pandas tables of seconds and names: what the scripts of this directory share.

Needs the Python package `tracer` (docs/python.md), pandas (Debian: python3-pandas) and, for pictures, matplotlib."""
import argparse
import pathlib
import sys


def find_package():
    """The wheel of the installed tree or of the build that these scripts belong to, if the package is not installed."""
    top = pathlib.Path(__file__).resolve().parents[2]
    places = [directory / "share" / "tracer" for directory in top.parents] + sorted(top.glob("build/*/python"))
    return [str(wheel) for place in places for wheel in sorted(place.glob("tracer_openmp-*.whl"))]


try:
    import pandas as pd
    try:
        import tracer
    except ImportError:
        sys.path += find_package()
        import tracer
except ImportError as missing:
    sys.exit(f"{missing}; needed: pandas, matplotlib (Debian: apt-get install python3-pandas python3-matplotlib, and /usr/bin/python3) "
             "and Tracer's package (docs/python.md)")

ROLES = ("UNKNOWN FUNCTION WRAPPER LOOP CODE PARALLEL SECTIONS SECTION WORKSHARE SINGLE SINGLE_SBLOCK MASTER CRITICAL CRITICAL_SBLOCK ATOMIC BARRIER "
         "IMPLICIT_BARRIER FLUSH ORDERED ORDERED_SBLOCK TASK TASK_CREATE TASK_WAIT COLL_ONE2ALL COLL_ALL2ONE COLL_ALL2ALL COLL_OTHER FILE_IO POINT2POINT "
         "RMA DATA_TRANSFER ARTIFICIAL THREAD_CREATE THREAD_WAIT TASK_UNTIED ALLOCATE DEALLOCATE REALLOCATE FILE_IO_METADATA CANCEL KERNEL").split()  # OTF2_RegionRole
WAITING = {"BARRIER", "IMPLICIT_BARRIER", "TASK_WAIT"}
SECOND = 1e-9


def role_name(role):
    """As OTF2 calls a role; UNKNOWN: one of a later version."""
    return ROLES[role] if 0 <= role < len(ROLES) else "UNKNOWN"


def parser(text, *, plot=None):
    """An argument parser with what all scripts have."""
    result = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("archive", help="directory of the trace, its traces.otf2, or its Parquet tables")
    if plot:
        result.add_argument("--plot", metavar="FILE", help=plot + " (.png, .pdf, .svg)")
    return result


def pyplot():
    """matplotlib without a display."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot
    return matplotlib.pyplot


class Trace:
    """Tables of one trace; times are seconds since its begin. Each location has a name of its own: where several have one
    name, as the threads of a job's ranks, the name of their process stands before it ("MPI Rank 1: Master thread").

    slices     location, region, role, file, line, begin, end, own (without regions inside), active (without other tasks)
    tasks      id, parent, region, creator, location, created, begin, end, active
    depends    source, sink (task ids)
    operations location (the stream), kind (docs/formats/parquet.md: "kernel", "transfer", "wait"...), region, bytes, begin, end
    copies     location, direction ("to", "from"), bytes, begin, end
    locations  name, kind ("thread", "stream"), group, process (of a stream that of who uses the device)
    """

    def __init__(self, path):
        try:
            with tracer.open(path, form="pandas") as trace:
                self._read(trace)
        except tracer.TracerError as error:
            sys.exit(str(error))

    def _read(self, trace):
        threads, regions = trace.threads(), trace.region_names.set_index("region")
        places = trace.locations[trace.locations.kind != "virtual"]
        processes = trace.processes.set_index("process").name
        self.locations = pd.DataFrame({"name": places.location.map(threads), "kind": places.kind, "group": places.group,
                                       "process": places.process.map(processes)}).reset_index(drop=True)
        r = trace.regions
        self.slices = pd.DataFrame({
            "location": r.location.map(threads), "region": r.region.map(regions.name), "role": r.region.map(regions.role.map(role_name)),
            "file": r.region.map(regions.file), "line": r.region.map(regions.line), "begin": r.begin_ns * SECOND, "end": r.end_ns * SECOND,
            "own": r.exclusive_ns * SECOND, "active": (r.exclusive_ns + r.nested_ns) * SECOND})
        t = trace.tasks[trace.tasks.complete == 1]
        self.tasks = pd.DataFrame({
            "id": t.task, "parent": t.parent, "region": t.region.map(regions.name).fillna(""), "creator": t.created_on.map(threads),
            "location": t.location.map(threads), "created": t.created_ns * SECOND, "begin": t.started_ns.where(t.started_ns >= 0, t.completed_ns) * SECOND,
            "end": t.completed_ns * SECOND, "active": t.active_ns * SECOND})
        self.depends = trace.dependences[["source", "sink"]]
        o = trace.device_operations
        self.operations = pd.DataFrame({"location": o.location.map(threads), "kind": o.kind, "region": o.region.map(regions.name).fillna(""), "bytes": o.bytes,
                                        "begin": o.begin_ns * SECOND, "end": o.end_ns * SECOND})
        c = self.operations[o.kind.isin(("to_device", "from_device"))]
        self.copies = pd.DataFrame({"location": c.location, "direction": c.kind.str.replace("_device", ""), "bytes": c.bytes, "begin": c.begin, "end": c.end})
        self.wall = max([0, *(table[name].max() for table, name in ((r, "end_ns"), (o, "end_ns"), (trace.events, "time_ns")) if len(table))]) * SECOND


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
