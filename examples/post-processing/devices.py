#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Devices: busy and idle time, kernels, copies and their bandwidth, and how much overlaps with work on the host."""
from tracelib import WAITING, Trace, intersection, length, parser, pyplot, union

NOT_WORK = WAITING | {"ALLOCATE", "DEALLOCATE", "DATA_TRANSFER", "WRAPPER"}
BUSY = {"kernel": "#3f9e6b", "transfer": "#c9b458", "to_device": "#e8a33d", "from_device": "#9b6fc9"}  # what keeps a device busy, with its colours


def host_work(trace, process):
    """Intervals in which some thread of the process worked: in the run or a parallel region, and neither waiting nor inside a target construct."""
    threads = list(trace.locations[(trace.locations.kind == "thread") & (trace.locations.process == process)].name)
    slices = trace.slices[trace.slices.location.isin(threads)]
    intervals = []
    for name, rows in slices.groupby("location"):
        outer = [(0.0, trace.wall)] if name == threads[0] else list(zip(*rows[rows.role == "PARALLEL"][["begin", "end"]].T.values)) if (rows.role == "PARALLEL").any() else []
        waits = rows[rows.role.isin(NOT_WORK) | rows.region.str.startswith("!$omp target")]
        intervals += subtract(union(outer), union(zip(waits.begin, waits.end)))
    return union(intervals)


def subtract(a, b):
    result = []
    for begin, end in a:
        for left, right in b:
            if right <= begin or left >= end:
                continue
            if left > begin:
                result.append((begin, left))
            begin = max(begin, right)
        if begin < end:
            result.append((begin, end))
    return result


def devices(trace):
    """One row of numbers per device."""
    rows, host = [], {}
    for group, locations in trace.locations[trace.locations.kind == "stream"].groupby("group"):
        names, process = set(locations.name), locations.process.iloc[0]
        if process not in host:
            host[process] = host_work(trace, process)
        operations = trace.operations[trace.operations.location.isin(names) & trace.operations.kind.isin(BUSY)]
        kernels = operations[operations.kind == "kernel"]
        kernel_time, busy = union(zip(kernels.begin, kernels.end)), union(zip(operations.begin, operations.end))
        span = busy[-1][1] - busy[0][0] if busy else 0.0
        row = {"device": group, "kernels": len(kernels), "busy": length(busy), "idle": span - length(busy), "kernel_time": length(kernel_time), "overlap_host": length(intersection(busy, host[process]))}
        for way in ("to", "from"):
            part = operations[operations.kind == way + "_device"]
            seconds = (part.end - part.begin).sum()
            row[way + "_bytes"], row[way + "_bandwidth"] = int(part.bytes.sum()), part.bytes.sum() / seconds if seconds else 0.0
        rows.append(row)
    return rows


def draw(trace, file):
    plt = pyplot()
    names = list(trace.locations.name)
    figure, axes = plt.subplots(figsize=(11, 0.45 * len(names) + 1.4))
    stream = dict(zip(trace.locations.name, trace.locations.kind))
    for y, name in enumerate(names):
        if stream[name] == "thread":
            rows = trace.slices[trace.slices.location == name]
            rows = rows[rows.region.str.startswith("!$omp target") | rows.role.isin({"PARALLEL"} | WAITING)]
            colours = ["#4a90d9" if role == "PARALLEL" else "#d9534f" if role in WAITING else "#b8c4d0" for role in rows.role]
        else:
            rows = trace.operations[(trace.operations.location == name) & trace.operations.kind.isin(BUSY)]
            colours = [BUSY[kind] for kind in rows.kind]
        axes.broken_barh([(b * 1e3, (e - b) * 1e3) for b, e in zip(rows.begin, rows.end)], (y - 0.4, 0.8), facecolors=colours)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("time [ms]   (green: kernels, orange: to the device, violet: from it, yellow: memsets and other transfers, grey: the host in a target construct)")
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def main():
    options = parser(__doc__, plot="timeline of host and devices").parse_args()
    trace = Trace(options.archive)
    rows = devices(trace)
    if not rows:
        print("no devices in this trace")
    for row in rows:
        print(f"{row['device']}: {row['kernels']} kernels, busy {row['busy'] * 1e3:.3f} ms, idle {row['idle'] * 1e3:.3f} ms between its first and last operation")
        if row["busy"]:
            print(f"  {row['overlap_host'] * 1e3:.3f} ms of it ({100 * row['overlap_host'] / row['busy']:.1f} %) while the host worked")
        for way, label in (("to", "to the device"), ("from", "from the device")):
            print(f"  {label}: {row[way + '_bytes'] / 1e6:.3f} MB at {row[way + '_bandwidth'] / 1e9:.3f} GB/s")
    if options.plot:
        draw(trace, options.plot)


if __name__ == "__main__":
    main()
