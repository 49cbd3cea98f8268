#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_truth.py TRACER MAKE_TRACE [PROGRAM...]: random windows of archives, as `tracer view` answers and as a separate program computes
them from what the OTF2 library reads: slices one by one, statistics to the nanosecond, search, and single events. With
programs: of their traces; else of archives that are made for it, also by the OTF2 library."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import device_archive
import links_reference
import mpi_archive
import random_archive
import reference
from viewer import Viewer

KINDS = {"enter": "Enter", "leave": "Leave", "task_switch": "ThreadTaskSwitch", "task_create": "ThreadTaskCreate", "task_complete": "ThreadTaskComplete"}


def check_window(viewer, meta, lanes, number, first, begin, end, where):
    name = meta["locations"][number]["name"]
    answer = viewer.ask("window", **{"from": begin, "to": end, "width": 20000, "lanes": number})["lanes"][0]
    if not answer["exact"] or answer["merged"]:
        return check_groups(meta, answer, lanes[number], first, where)
    mine = sorted((depth, b + first, e + first, meta["names"][n]) for depth, row in enumerate(answer["rows"]) for b, e, n in zip(row["begin"], row["end"], row["name"]))
    theirs = reference.slices(lanes[number], begin + first, end + first)
    assert mine == theirs, f"{where} {name}: {len(mine)} slices, not {len(theirs)}; first difference {sorted(set(mine) ^ set(theirs))[:3]}"
    return len(mine)


def check_groups(meta, answer, lane, first, where):
    """Each span's name has time in it, and no more time is shown than there is."""
    for depth, row in enumerate(answer["rows"]):
        for begin, end, name in zip(row["begin"], row["end"], row["name"]):
            here = [one for one in lane.slices if one.depth == depth and one.begin < end + first + 1 and one.end > begin + first - 1]
            assert answer["merged"] or begin < end, (where, depth, begin, end)
            assert any(one.region == meta["names"][name] for one in here) or not answer["exact"], (where, depth, begin, end, meta["names"][name])
    return 0


def check_statistics(viewer, meta, lanes, numbers, first, begin, end, where):
    answer = viewer.ask("statistics", **{"from": begin, "to": end, "lanes": ",".join(map(str, numbers))})
    mine = {}
    for row in answer["rows"]:
        before = mine.get(meta["names"][row["name"]], (0, 0, 0))
        mine[meta["names"][row["name"]]] = tuple(a + b for a, b in zip(before, (row["own"], row["inclusive"], row["count"])))
    mine = {name: sums for name, sums in mine.items() if any(sums)}
    theirs = reference.statistics([lanes[i] for i in numbers], begin + first, end + first)
    assert mine == theirs, f"{where} [{begin}, {end}) lanes {numbers}: {[(name, mine.get(name), theirs.get(name)) for name in set(mine) | set(theirs) if mine.get(name) != theirs.get(name)][:3]}"


def check_activity(viewer, meta, lanes, first, begin, end, width, where):
    """Of each process and of all: each interval has what its threads did in it, to the nanosecond, and all of the window is there."""
    activity_of = {}
    for name, activity in zip(meta["names"], meta["activities"]):
        activity_of.setdefault(name, set()).add(activity)
    threads = [i for i, one in enumerate(meta["locations"]) if not one["stream"] and not one["left_out"]]
    processes = max(1, len(meta["sides"][0]["processes"]))
    rows = [(row, [lanes[i] for i in threads if meta["locations"][i]["process"] == row["process"]])
            for row in viewer.ask("activity", **{"from": begin, "to": end, "width": width, "processes": f"0-{processes - 1}"})["rows"]]
    assert [row["process"] for row, _ in rows] == list(range(processes)), where
    (whole,) = viewer.ask("activity", **{"from": begin, "to": end, "width": width})["rows"]
    assert whole["side"] == 0, where
    for row, mine in [*rows, (whole, [lanes[i] for i in threads])]:
        step, from_, until = row["step"], row["begin"], row["begin"] + row["count"] * row["step"]
        assert step & step - 1 == 0 and row["count"] <= max(width + 3, 2) and all(len(times) == row["count"] for times in row["times"].values()), (where, row)
        theirs = {}
        for lane in mine:
            for a, b, region in lane.inner:
                if region == reference.NOT_RECORDED:
                    continue
                a, b = a - first, b - first
                if min(b, end) > max(a, begin):
                    assert from_ <= max(a, begin) and min(b, end) <= until, (where, a, b, row["begin"], until)
                (activity,) = activity_of[region]
                a, b = max(a, from_), min(b, until)
                while a < b:
                    number = (a - from_) // step
                    part = min(b, from_ + (number + 1) * step) - a
                    theirs[activity, number] = theirs.get((activity, number), 0) + part
                    a += part
        told = {(activity, i): ns for activity, times in row["times"].items() for i, ns in enumerate(times) if ns}
        assert told == theirs, f"{where} [{begin}, {end}] {width}: {[(one, told.get(one), theirs.get(one)) for one in set(told) ^ set(theirs) or told if told.get(one) != theirs.get(one)][:3]}"


def check_search(viewer, meta, lanes, first, at, text, where):
    enters = sorted(one for lane in lanes for one, region in lane.enters if text in region.lower())
    behind = [one for one in enters if one > at + first]
    before = [one for one in enters if one < at + first]
    answer = viewer.ask("search", text=text, after=at)
    assert answer.get("time") == (behind[0] - first if behind else None), f"{where}: {text} after {at}: {answer}, not {behind[:1]}"
    answer = viewer.ask("search", text=text, before=at)
    assert answer.get("time") == (before[-1] - first if before else None), f"{where}: {text} before {at}: {answer}, not {before[-1:]}"


def check_long_search(viewer, lanes, first, at, text, least, where):
    """Those that take as long or longer."""
    begins = sorted(one.begin for lane in lanes for one in lane.slices if text in one.region.lower() and not one.continues and one.end - one.begin >= least)
    behind, before = [one for one in begins if one > at + first], [one for one in begins if one < at + first]
    for word, right in (("after", behind[:1]), ("before", before[-1:])):
        answer = viewer.ask("search", text=f"{text} longer than {least} ns", **{word: at})
        while "until" in answer:
            answer = viewer.ask("search", text=f"{text} longer than {least} ns", first=1, **{word: answer["until"]})
        assert answer.get("time") == (right[0] - first if right else None), f"{where}: {text} longer than {least} {word} {at}: {answer}, not {right}"


def check_events(viewer, meta, lanes, number, first, begin, end, where):
    lane = lanes[number]
    answer = viewer.ask("events", **{"lane": number, "from": begin, "to": end, "most": 10000})["events"]
    mine = [(one["time"] + first, KINDS[one["type"]], one["what"].get("region")) for one in answer if one["type"] in KINDS]
    theirs = [one for one in lane.events if begin + first <= one[0] <= end + first and one[1] in KINDS.values()]
    assert mine == theirs[:len(mine)] and (len(mine) == len(theirs) or len(answer) == 10000), f"{where}: events {mine[:3]}, not {theirs[:3]}"
    return len(mine)


def check_links(viewer, links, first, begin, end, where):
    """Arrows of a window, one by one; with a limit, the longest, and how many more there are."""
    kinds = sum(1 << kind for kind in links_reference.KINDS)
    answer = viewer.ask("links", **{"from": begin, "to": end, "kinds": kinds, "most": 5000})
    mine = sorted((kind, a, b, t0 + first, t1 + first) for kind, a, b, t0, t1 in answer["links"])
    theirs = links_reference.within(links, begin + first, end + first)
    assert answer["exact"] and len(mine) + answer["more"] == len(theirs), f"{where} [{begin}, {end}]: {len(mine)} links and {answer['more']}, not {len(theirs)}"
    if answer["more"] == 0:
        assert mine == theirs, f"{where} [{begin}, {end}]: first difference {sorted(set(mine) ^ set(theirs))[:3]}"
    few = viewer.ask("links", **{"from": begin, "to": end, "kinds": kinds, "most": 5})
    longest = sorted((abs(one[4] - one[3]) for one in theirs), reverse=True)[:5]
    assert sorted((abs(t1 - t0) for _, _, _, t0, t1 in few["links"]), reverse=True) == longest and len(longest) + few["more"] == len(theirs), where
    return len(mine)


def check_counters(viewer, meta, tracks, counters, first, begin, end, where):
    for number, track in enumerate(tracks):
        points = counters[(track["name"], track["lane"])]
        assert track["points"] == len(points) and track["max"] == max(value for _, value in points), (where, track)
        answer = viewer.ask("counters", **{"from": begin, "to": end, "width": 20000, "series": number})["counters"][0]
        mine = [(t + first, value) for t, value in zip(answer["time"], answer["value"])]
        inside = [one for one in mine if begin + first < one[0] <= end + first]
        theirs = [one for one in points if begin + first < one[0] <= end + first]
        if end - begin < 20000:
            assert inside == theirs, f"{where} {track}: {inside[:3]}, not {theirs[:3]}"
        assert set(mine) <= set(points) and max([value for _, value in theirs], default=0) == max([value for _, value in inside], default=0), (where, track, begin, end)


def check_path(tracer, viewer, meta, anchor, where):
    """The path's time is what the report says of it, but for gaps between steps that are narrower than a column."""
    steps = viewer.ask("path", **{"from": 0, "to": meta["length"] + 1, "width": 20000})["sides"][0]
    whole = sum(to - begin for _, begin, to in steps)
    right = json.loads(subprocess.run([tracer, "report", "--json", anchor], check=True, capture_output=True, text=True).stdout)["critical_path_ns"]
    assert abs(whole - right) <= max(whole, right) // 100 + len(steps), (where, whole, right)
    narrow = viewer.ask("path", **{"from": meta["length"] // 2, "to": meta["length"] // 2 + 5000, "width": 20000})["sides"][0]
    assert all(to >= meta["length"] // 2 and begin <= meta["length"] // 2 + 5000 for _, begin, to in narrow), where


def check_details(viewer, meta, links, first, chance, where):
    """From either end of a link its other side is told."""
    names = {kind: name for kind, name in enumerate(("launch", "copy", "creation", "message", "dependence", "lock"))}
    for kind, a, b, t0, t1 in chance.sample(links, min(8, len(links))):
        for here, at, there, other in ((a, t0, b, t1), (b, t1, a, t0)):
            answer = viewer.ask("at", lane=here, time=at - first, depth=0 if chance.random() < 0.3 else 100)
            found = [one for one in answer["links"] if one["kind"] == names[kind] and one["lane"] == there and one["time"] == other - first and one["here"] == at - first]
            assert found or answer["linksLeftOut"] or not answer["open"], f"{where}: {(kind, a, b, t0, t1)} from {here} at {at}: {answer['links'][:3]}"


def check_teams(viewer, teams, first, last, chance, where):
    """The team of a moment; of one that began long before, the viewer may not know it."""
    for lane in chance.sample(sorted(teams), min(3, len(teams))):
        for _ in range(3):
            at = chance.randrange(first, last + 1)
            before = [name for time, name in teams[lane] if time <= at]
            mine = viewer.ask("at", lane=lane, time=at - first)["team"]
            assert (mine["name"] if mine else None) == (before[-1] if before else None) or mine is None and before[-1] is not None, (where, lane, at, mine, before[-1:])


def check(tracer, anchor, windows, seed, has_path=True):
    chance, where = random.Random(seed), str(anchor)
    lanes, first, last = reference.read(anchor)
    assert len(lanes) > 0 and last > first, where
    slices = events = 0
    with Viewer(tracer, anchor) as viewer:
        meta = viewer.ask("trace")
        assert meta["length"] == last - first and meta["sides"][0]["length"] == last - first, (where, meta["length"], last - first)
        assert [one["name"] for one in meta["locations"]] == [lane.name for lane in lanes], where
        names = sorted({one.region for lane in lanes for one in lane.slices})
        links, counters, teams = links_reference.read(anchor)
        tracks = viewer.wait_for_links()["counters"]
        assert {(one["name"], one["lane"]) for one in tracks} == set(counters), (where, tracks)
        arrows = 0
        for _ in range(windows):
            span = max(1, int((last - first) * 10 ** chance.uniform(-5, 0)))
            begin = chance.randrange(max(1, last - first - span + 1))
            number = chance.randrange(len(lanes))
            slices += check_window(viewer, meta, lanes, number, first, begin, begin + span, where)
            numbers = sorted(chance.sample(range(len(lanes)), chance.randint(1, len(lanes))))
            check_statistics(viewer, meta, lanes, numbers, first, begin, begin + span, where)
            # From one event of the lane on: most short windows of a program's trace have none.
            times = [time for time, kind, _ in lanes[number].events if kind in KINDS.values()]
            at = chance.choice(times) - first if times else begin
            events += check_events(viewer, meta, lanes, number, first, at, at + min(span, (last - first) // 50 + 1), where)
            check_activity(viewer, meta, lanes, first, begin, begin + span, chance.choice((1, 30, 1000, 20000)), where)
            check_search(viewer, meta, lanes, first, begin, chance.choice(names).lower(), where)
            check_long_search(viewer, lanes, first, begin, chance.choice(names).lower(), chance.choice((100, 3000, 40000)), where)
            arrows += check_links(viewer, links, first, begin, begin + span, where)
            check_counters(viewer, meta, tracks, counters, first, begin, begin + span, where)
        check_details(viewer, meta, links, first, chance, where)
        check_teams(viewer, teams, first, last, chance, where)
        if has_path:
            check_path(tracer, viewer, meta, anchor, where)
        check_statistics(viewer, meta, lanes, list(range(len(lanes))), first, 0, last - first + 1, where)
        check_activity(viewer, meta, lanes, first, 0, last - first + 1, 20000, where)
    size = anchor.with_name("traces.index").stat().st_size
    print(f"{where}: {windows} windows, {slices} slices, {events} events and {arrows} links one by one; index {size} bytes, links {anchor.with_name('traces.links').stat().st_size} bytes")
    return slices, events, {kind for kind, *_ in links}


def check_made(tracer, make_trace, top):
    for seed in range(3):
        check(tracer, random_archive.write(top / f"random-{seed}", seed), 40, seed)
    # Pauses that are shorter than the path's steps may be are part of them.
    check(tracer, random_archive.write(top / "pauses", 4, pauses=True), 40, 4, has_path=False)
    check(tracer, random_archive.write(top / "long", 7, events=40000, locations=2, resolution=1_000_000_000), 20, 7)
    for kind, *numbers in (("imbalance",), ("lock",), ("killed",), ("paused",), ("large", "60000")):
        subprocess.run([make_trace, kind, top / kind, *numbers], check=True, stdout=subprocess.DEVNULL)
        slices, _, _ = check(tracer, top / kind / "traces.otf2", 20, 1)
        assert slices > 0, kind
    for kind, wanted in (("overlap", {links_reference.LAUNCH}), ("phases", set()), ("ring", {links_reference.MESSAGE}), ("lock", {links_reference.LOCK}), ("chain", {links_reference.TASK})):
        if not (top / kind).exists():
            subprocess.run([make_trace, kind, top / kind], check=True, stdout=subprocess.DEVNULL)
        _, _, kinds = check(tracer, top / kind / "traces.otf2", 10, 2)
        assert wanted <= kinds, (kind, kinds)
    for seed in range(2):
        _, _, kinds = check(tracer, mpi_archive.write(top / f"mpi-{seed}", seed), 20, seed)
        assert kinds == {links_reference.MESSAGE}, kinds
    _, _, kinds = check(tracer, device_archive.write(top / "devices", 1), 30, 1)
    assert kinds == {links_reference.LAUNCH, links_reference.COPY}, kinds


def main():
    tracer, make_trace, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        top = pathlib.Path(temporary)
        if not programs:
            check_made(tracer, make_trace, top)
        for program in programs:
            archive = top / pathlib.Path(program).name
            subprocess.run([tracer, "run", "-q", "-o", archive, "--", program], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "3"})
            slices, events, kinds = check(tracer, archive / "traces.otf2", 20, 1)
            assert slices > 0 and events > 0, program
            if archive.name == "cholesky":
                assert {links_reference.TASK, links_reference.DEPENDENCE} <= kinds, kinds
    print("ok")


main()
