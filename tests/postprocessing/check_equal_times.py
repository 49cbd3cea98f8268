#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_equal_times.py MAKE_TRACE TRACER: archives in which events of a thread have one time, as others read them: otf2-print in the file's
order, ViTE without an error, the Python module with no negative time; and Pipit's way (a table of all threads, sorted by time by a sort
that is not stable, Enter matched with Leave by a stack), of the copy that docs/viewing.md gives it. Exit status 77: no python3-otf2 here."""
import collections
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import vite  # noqa: E402

try:
    import otf2
except ImportError:
    print("skipped: python3-otf2 is not installed")
    sys.exit(77)


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def events_of(archive):
    """(location, time, "Enter" or "Leave", region) in the order in which the reader gives them."""
    with otf2.reader.open(str(archive / "traces.otf2")) as trace:
        return [(location.name, event.time, type(event).__name__, event.region.name)
                for location, event in trace.events if type(event).__name__ in ("Enter", "Leave")]


def exclusive_times(events):
    """By region: the least and the sum of what its executions took themselves, and how many Leaves met another region's Enter."""
    stacks, least, total, strangers = collections.defaultdict(list), {}, collections.Counter(), 0
    for location, time, kind, region in events:
        stack = stacks[location]
        if kind == "Enter":
            stack.append([region, time, 0])
            continue
        if not stack:
            strangers += 1
            continue
        entered, begin, inside = stack.pop()
        strangers += entered != region
        if stack:
            stack[-1][2] += time - begin
        own = time - begin - inside
        least[entered] = min(least.get(entered, own), own)
        total[entered] += own
    return least, total, strangers


def check_readers(archive, directory):
    printed = subprocess.run(["otf2-print", archive / "traces.otf2"], capture_output=True, text=True, timeout=120)
    times = collections.defaultdict(list)
    for line in printed.stdout.splitlines():
        words = line.split()
        if words[:1] in (["ENTER"], ["LEAVE"]):
            times[words[1]].append(int(words[2]))
    need(printed.returncode == 0 and times and all(one == sorted(one) for one in times.values()), f"{archive.name}: otf2-print shows no time that goes back")
    drawn = vite.drawn(archive / "traces.otf2", directory / "picture.png")
    need(drawn is None or "status" not in drawn and "0 errors" in drawn, f"{archive.name}: ViTE draws it without an error: {drawn}")


def check_pipit(archive, tracer, totals):
    try:
        import pandas
    except ImportError:
        print("not tested: times as Pipit takes them: pandas is not installed")
        return
    copy = archive.with_name(archive.name + "-distinct")
    subprocess.run([tracer, "export", "--format", "otf2", "--distinct-times", "-o", copy, archive], check=True, capture_output=True)
    events = events_of(copy)
    table = pandas.DataFrame(events, columns=["location", "time", "kind", "region"])
    repeated = sum(int(one["time"].duplicated().sum()) for _, one in table.groupby("location"))
    need(repeated == 0, f"{copy.name}: no two events of a location have one time")
    table = pandas.concat([table[table["location"] == name] for name in table["location"].unique()])  # as its processes read them
    rows = table.sort_values(by="time", ignore_index=True)
    least, sums, strangers = exclusive_times(rows.itertuples(index=False))
    need(min(least.values()) >= 0 and strangers == 0, f"{copy.name}: Pipit's way, with its own sort, finds no negative time {least}")
    far = {region: (sums[region] / 64, total) for region, total in totals.items() if abs(sums[region] / 64 - total) > len(events)}
    need(not far, f"{copy.name}: exclusive times are those of the archive {far}")


def main():
    make_trace, tracer = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        for kind, number in (("chain", "200"), ("imbalance", "0"), ("lock", "0"), ("large", "20000")):
            archive = directory / kind
            subprocess.run([make_trace, kind, archive, number], check=True)
            events = events_of(archive)
            at_once = sum(one[:2] == other[:2] for one, other in zip(sorted(events, key=lambda e: e[0]), sorted(events, key=lambda e: e[0])[1:]))
            need(at_once > 0, f"{kind}: {at_once} events have the time of the one before")
            least, totals, strangers = exclusive_times(events)
            need(min(least.values()) >= 0 and strangers == 0, f"{kind}: no negative time in the order of the file")
            check_readers(archive, directory)
            check_pipit(archive, tracer, totals)
    return 0


sys.exit(main())
