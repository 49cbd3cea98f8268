# SPDX-License-Identifier: BSD-3-Clause
"""What belongs together on two locations, and counters, computed from what python3-otf2 reads of an archive, without any of the
product. A link is (kind, from, to, from time, to time), times in nanoseconds."""
import collections

import otf2
from otf2.enums import LocationType
from otf2.events import (Enter, Leave, Metric, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiRecv, MpiSend, ParameterUnsignedInt, RmaGet, RmaPut, ThreadAcquireLock, ThreadReleaseLock,
                         ThreadTaskCreate, ThreadTaskSwitch)

LAUNCH, COPY, TASK, MESSAGE, LOCK = 0, 1, 2, 3, 5
KINDS = (LAUNCH, COPY, TASK, MESSAGE, LOCK)


class Reader:
    def __init__(self):
        self.links, self.counters = [], collections.defaultdict(list)
        self.created, self.released, self.submitted = {}, {}, {}
        self.sends, self.receives = collections.defaultdict(list), collections.defaultdict(list)
        self.posted = {}                                     # by location and request: when the call began that asked for it
        self.open = collections.defaultdict(list)            # by location: when its open calls began
        self.order = 0

    def submit(self, location, at, time, event, is_stream):
        """By what the attributes, or the call's number, say."""
        words = {attribute.name: value for attribute, value in (event.attributes or {}).items()} if not isinstance(event, ParameterUnsignedInt) else {}
        number = words.get("HOST_OP_ID", 0) or (("call", words["CORRELATION_ID"]) if words.get("CORRELATION_ID", 0) else 0)
        if isinstance(event, ParameterUnsignedInt):
            if event.parameter.name != "callsite id":
                return
            number = event.value
        is_copy = isinstance(event, (RmaGet, RmaPut))
        if is_copy and not number:
            number = event.matching_id
        if not number:
            return
        if not is_stream:
            self.submitted[number] = (at, time)
        elif number in self.submitted:
            self.links.append((COPY if is_copy else LAUNCH, self.submitted[number][0], at, self.submitted.pop(number)[1], time))

    def step(self, location, at, event, time):
        self.order += 1
        if isinstance(event, Enter):
            self.open[at].append((time, self.order))
        elif isinstance(event, Leave) and self.open[at]:
            self.open[at].pop()
        call = self.open[at][-1] if self.open[at] else (time, self.order)
        if isinstance(event, (Enter, RmaGet, RmaPut, ParameterUnsignedInt)):
            self.submit(location, at, time, event, location.type == LocationType.ACCELERATOR_STREAM)
        if isinstance(event, ThreadTaskCreate):
            self.created[(event.thread_team._ref, event.creating_thread, event.generation_number)] = (at, time)
        elif isinstance(event, ThreadTaskSwitch):
            made = self.created.pop((event.thread_team._ref, event.creating_thread, event.generation_number), None)
            if made:
                self.links.append((TASK, made[0], at, made[1], time))
        elif isinstance(event, ThreadReleaseLock):
            self.released[(location.group._ref, event.lock_id)] = (at, time)
        elif isinstance(event, ThreadAcquireLock):
            before = self.released.get((location.group._ref, event.lock_id))
            if before and before[0] != at:
                self.links.append((LOCK, before[0], at, before[1], time))
        elif isinstance(event, (MpiSend, MpiIsend)):
            self.sends[(event.communicator._ref, rank_in(event.communicator, location), event.receiver, event.msg_tag)].append((at, time))
        elif isinstance(event, MpiIrecvRequest):
            self.posted[(at, event.request_id)] = call
        elif isinstance(event, (MpiRecv, MpiIrecv)):
            when = self.posted.pop((at, event.request_id)) if isinstance(event, MpiIrecv) else call
            self.receives[(event.communicator._ref, event.sender, rank_in(event.communicator, location), event.msg_tag)].append((when, at, time))
        elif isinstance(event, Metric):
            for member, value in zip(event.metric.members, event.values):
                self.counters[(member.name, at)].append((time, value))


def rank_in(communicator, location):
    """A communicator has one location of each process."""
    return [member.group for member in communicator.group.members].index(location.group)


def read(path):
    """(links, counters by name and location)"""
    reader = Reader()
    with otf2.reader.open(str(path)) as trace:
        resolution = trace.definitions.clock_properties.timer_resolution
        number = {location: i for i, location in enumerate(trace.definitions.locations)}
        for location, event in trace.events:
            reader.step(location, number[location], event, event.time * 1_000_000_000 // resolution)
    for channel, sends in reader.sends.items():
        for (sender, sent), (_, receiver, received) in zip(sends, sorted(reader.receives[channel])):
            reader.links.append((MESSAGE, sender, receiver, sent, received))
    return reader.links, reader.counters


def within(links, begin, end):
    return sorted(one for one in links if min(one[3], one[4]) <= end and max(one[3], one[4]) >= begin)
