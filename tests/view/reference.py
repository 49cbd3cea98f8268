# SPDX-License-Identifier: BSD-3-Clause
"""What a window of a trace holds, computed from what python3-otf2 reads of the archive, without any of the product."""
import collections

import otf2
from otf2.enums import LocationType, MeasurementMode
from otf2.events import Enter, Leave, MeasurementOnOff, RmaGet, RmaOpCompleteBlocking, RmaPut, ThreadFork, ThreadJoin, ThreadTaskComplete, ThreadTaskSwitch, ThreadTeamBegin, ThreadTeamEnd


COPIES = ("copy to device", "copy from device")
NOT_RECORDED = "not recorded"


class Slice:
    def __init__(self, depth, region, begin, owner, continues):
        self.depth, self.region, self.begin, self.owner, self.continues, self.end = depth, region, begin, owner, continues, None

    def key(self):
        return (self.depth, self.begin, self.end, self.region)


class Lane:
    """A location: its slices, what was innermost when, and its Enters."""

    def __init__(self, name, is_stream=False):
        self.name, self.is_stream = name, is_stream
        self.open, self.slices, self.inner, self.enters, self.events = [], [], [], [], []
        self.teams, self.forks, self.current = 0, [], ("implicit", 0)
        self.last = None

    def advance(self, time):
        if self.last is not None and time > self.last and self.open:
            self.inner.append((self.last, time, self.open[-1].region))
        self.last = time

    def push(self, region, time, continues):
        self.open.append(Slice(len(self.open), region, time, self.current, continues))

    def pop(self, time):
        one = self.open.pop()
        one.end = time
        self.slices.append(one)


def read(path):
    """(lanes in the order of the locations, time of the first event, of the last), in nanoseconds."""
    suspended = {}
    with otf2.reader.open(str(path)) as trace:
        resolution = trace.definitions.clock_properties.timer_resolution
        number = {location: i for i, location in enumerate(trace.definitions.locations)}
        lanes = [Lane(location.name, location.type == LocationType.ACCELERATOR_STREAM) for location in number]
        first = last = None
        for location, event in trace.events:
            time = event.time * 1_000_000_000 // resolution
            first = time if first is None else first
            last = time
            lane = lanes[number[location]]
            lane.advance(time)
            lane.events.append((time, type(event).__name__, getattr(getattr(event, "region", None), "name", None)))
            step(lane, event, time, suspended)
    for lane in lanes:
        if lane.last is not None:
            lane.advance(last)
        while lane.open:
            lane.pop(last)
    return lanes, first, last


def step(lane, event, time, suspended):
    """While recording is off a slice is open from each event to the next."""
    was_off = bool(lane.open) and lane.open[-1].region == NOT_RECORDED
    if was_off:
        lane.pop(time)
    follow(lane, event, time, suspended)
    if (event.measurement_mode == MeasurementMode.OFF) if isinstance(event, MeasurementOnOff) else was_off:
        lane.push(NOT_RECORDED, time, was_off)
        if not was_off:
            lane.enters.append((time, NOT_RECORDED))


def follow(lane, event, time, suspended):
    if isinstance(event, Enter):
        lane.push(event.region.name, time, False)
        lane.enters.append((time, event.region.name))
    elif lane.is_stream and isinstance(event, (RmaGet, RmaPut)):
        name = COPIES[isinstance(event, RmaPut)]
        lane.push(name, time, False)
        lane.enters.append((time, name))
    elif lane.is_stream and isinstance(event, RmaOpCompleteBlocking):
        if any(one.region in COPIES for one in lane.open):
            while lane.open[-1].region not in COPIES:
                lane.pop(time)
            lane.pop(time)
    elif isinstance(event, Leave):
        if any(one.region == event.region.name and one.owner == lane.current for one in lane.open):
            while True:
                one = lane.open[-1]
                lane.pop(time)
                if one.region == event.region.name and one.owner == lane.current:
                    break
    elif isinstance(event, ThreadTaskSwitch):
        task = ("implicit", lane.teams) if event.generation_number == 0 else (id_of(event.thread_team), event.creating_thread, event.generation_number)
        if task != lane.current:
            if lane.current[0] != "implicit":
                kept = []
                while lane.open and lane.open[-1].owner == lane.current:
                    kept.append(lane.open[-1].region)
                    lane.pop(time)
                if kept:
                    suspended[lane.current] = kept[::-1]
            lane.current = task
            if task[0] != "implicit":
                for region in suspended.pop(task, []):
                    lane.push(region, time, True)
    elif isinstance(event, ThreadTaskComplete):
        task = (id_of(event.thread_team), event.creating_thread, event.generation_number)
        while lane.open and lane.open[-1].owner == task:
            lane.pop(time)
        if lane.current == task:
            lane.current = ("implicit", lane.teams)
    elif isinstance(event, ThreadFork):
        lane.forks.append((lane.current, lane.teams))
    elif isinstance(event, ThreadJoin):
        if lane.forks:
            lane.forks.pop()
    elif isinstance(event, ThreadTeamBegin):
        lane.teams += 1
        lane.current = ("implicit", lane.teams)
    elif isinstance(event, ThreadTeamEnd) and lane.teams:
        lane.teams -= 1
        lane.current = ("implicit", lane.teams)
        if lane.forks and lane.forks[-1][1] == lane.teams:
            lane.current = lane.forks[-1][0]


def id_of(comm):
    return comm._ref


def slices(lane, begin, end):
    """Those that have something of the window, its ends included."""
    return sorted(one.key() for one in lane.slices if one.end >= begin and one.begin <= end)


def statistics(lanes, begin, end):
    """{region: (own, inclusive, count)} of [begin, end)."""
    own, inclusive, count = collections.Counter(), collections.Counter(), collections.Counter()
    for lane in lanes:
        for from_, to, region in lane.inner:
            own[region] += max(0, min(to, end) - max(from_, begin))
        for one in lane.slices:
            inclusive[one.region] += max(0, min(one.end, end) - max(one.begin, begin))
        for time, region in lane.enters:
            count[region] += begin <= time < end
    return {name: (own[name], inclusive[name], count[name]) for name in set(own) | set(inclusive) | set(count) if own[name] or inclusive[name] or count[name]}
