#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_truth.py TRACER MAKE_TRACE [PROGRAM...]: random windows of archives, as `tracer view` answers and as a separate program computes
them from what the OTF2 library reads: slices one by one, statistics to the nanosecond, search, and single events. With
programs: of their traces; else of archives that are made for it, also by the OTF2 library."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

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


def check_search(viewer, meta, lanes, first, time, text, where):
    enters = sorted(at for lane in lanes for at, region in lane.enters if text in region.lower())
    behind = [at for at in enters if at > time + first]
    before = [at for at in enters if at < time + first]
    answer = viewer.ask("search", text=text, after=time)
    assert answer.get("time") == (behind[0] - first if behind else None), f"{where}: {text} after {time}: {answer}, not {behind[:1]}"
    answer = viewer.ask("search", text=text, before=time)
    assert answer.get("time") == (before[-1] - first if before else None), f"{where}: {text} before {time}: {answer}, not {before[-1:]}"


def check_events(viewer, meta, lanes, number, first, begin, end, where):
    lane = lanes[number]
    answer = viewer.ask("events", **{"lane": number, "from": begin, "to": end, "most": 10000})["events"]
    mine = [(one["time"] + first, KINDS[one["type"]], one["what"].get("region")) for one in answer if one["type"] in KINDS]
    theirs = [one for one in lane.events if begin + first <= one[0] <= end + first and one[1] in KINDS.values()]
    assert mine == theirs[:len(mine)] and (len(mine) == len(theirs) or len(answer) == 10000), f"{where}: events {mine[:3]}, not {theirs[:3]}"
    return len(mine)


def check(tracer, anchor, windows, seed):
    chance, where = random.Random(seed), str(anchor)
    lanes, first, last = reference.read(anchor)
    assert len(lanes) > 0 and last > first, where
    slices = events = 0
    with Viewer(tracer, anchor) as viewer:
        meta = viewer.ask("trace")
        assert meta["length"] == last - first and meta["sides"][0]["length"] == last - first, (where, meta["length"], last - first)
        assert [one["name"] for one in meta["locations"]] == [lane.name for lane in lanes], where
        names = sorted({one.region for lane in lanes for one in lane.slices})
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
            check_search(viewer, meta, lanes, first, begin, chance.choice(names).lower(), where)
        check_statistics(viewer, meta, lanes, list(range(len(lanes))), first, 0, last - first + 1, where)
    size = anchor.with_name("traces.index").stat().st_size
    print(f"{where}: {windows} windows, {slices} slices and {events} events one by one; index {size} bytes")
    return slices, events


def check_made(tracer, make_trace, top):
    for seed in range(3):
        check(tracer, random_archive.write(top / f"random-{seed}", seed), 40, seed)
    check(tracer, random_archive.write(top / "long", 7, events=40000, locations=2, resolution=1_000_000_000), 40, 7)
    for kind, *numbers in (("imbalance",), ("lock",), ("killed",), ("large", "60000")):
        subprocess.run([make_trace, kind, top / kind, *numbers], check=True, stdout=subprocess.DEVNULL)
        slices, _ = check(tracer, top / kind / "traces.otf2", 20, 1)
        assert slices > 0, kind


def main():
    tracer, make_trace, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        top = pathlib.Path(temporary)
        if not programs:
            check_made(tracer, make_trace, top)
        for program in programs:
            archive = top / pathlib.Path(program).name
            subprocess.run([tracer, "run", "-q", "-o", archive, "--", program], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "3"})
            slices, events = check(tracer, archive / "traces.otf2", 20, 1)
            assert slices > 0 and events > 0, program
    print("ok")


main()
