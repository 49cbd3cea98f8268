# SPDX-License-Identifier: BSD-3-Clause
"""What belongs together on two locations, and counters, computed from what python3-otf2 reads of an archive, without any of the
product. A link is (kind, from, to, from time, to time), times in nanoseconds."""
import collections

import otf2
from otf2.enums import LocationType
from otf2.events import (Enter, Leave, Metric, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiRecv, MpiSend, ParameterUnsignedInt, RmaGet, RmaPut, ThreadAcquireLock, ThreadReleaseLock,
                         ThreadTaskComplete, ThreadTaskCreate, ThreadTaskSwitch, ThreadTeamBegin, ThreadTeamEnd)

LAUNCH, COPY, TASK, MESSAGE, DEPENDENCE, LOCK = KINDS = range(6)


def words_of(event):
    """Its attributes, by their names."""
    return {attribute.name: value for attribute, value in (event.attributes or {}).items()}


class Reader:
    def __init__(self):
        self.links, self.counters = [], collections.defaultdict(list)
        self.created, self.released, self.submitted = {}, {}, {}
        self.sends, self.receives = collections.defaultdict(list), collections.defaultdict(list)
        self.posted = {}                                     # by location and request: when the call began that asked for it
        self.open = collections.defaultdict(list)            # by location: when its open calls began
        self.order = 0
        self.by_id, self.befores, self.ends = {}, collections.defaultdict(list), {}  # of tasks: TASK_ID, predecessors, where and when they ended
        self.in_team = collections.defaultdict(list)         # by location: names of its teams
        self.teams = collections.defaultdict(list)           # by location: (time, name of the innermost from then on, or None)

    def submit(self, location, at, time, event, is_stream):
        """By what the attributes, or the call's number, say."""
        words = words_of(event) if not isinstance(event, ParameterUnsignedInt) else {}
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

    def task(self, location, at, event, time):
        task = (event.thread_team._ref, event.creating_thread, event.generation_number)
        if isinstance(event, ThreadTaskCreate):
            number = words_of(event).get("TASK_ID", 0)
            self.created[task] = (at, time)
            if number:
                self.by_id[(location.group._ref, number)] = task
        elif isinstance(event, ThreadTaskSwitch) and task in self.created:
            made = self.created.pop(task)
            self.links.append((TASK, made[0], at, made[1], time))
            for before in self.befores.pop(task, []):
                if before in self.ends:
                    self.links.append((DEPENDENCE, self.ends[before][0], at, self.ends[before][1], time))
        elif isinstance(event, ThreadTaskComplete):
            self.ends[task] = (at, time)
            self.by_id = {number: other for number, other in self.by_id.items() if other != task}

    def dependence(self, location, event):
        words = words_of(event)
        source, sink = (self.by_id.get((location.group._ref, words.get(name, 0))) for name in ("SOURCE_TASK_ID", "SINK_TASK_ID"))
        if source and sink and source != sink and sink in self.created:
            self.befores[sink].append(source)

    def step(self, location, at, event, time):
        self.order += 1
        if isinstance(event, Enter):
            self.open[at].append((time, self.order))
        elif isinstance(event, Leave) and self.open[at]:
            self.open[at].pop()
        call = self.open[at][-1] if self.open[at] else (time, self.order)
        if isinstance(event, (Enter, RmaGet, RmaPut, ParameterUnsignedInt)):
            self.submit(location, at, time, event, location.type == LocationType.ACCELERATOR_STREAM)
        if isinstance(event, (ThreadTaskCreate, ThreadTaskSwitch, ThreadTaskComplete)):
            self.task(location, at, event, time)
        elif isinstance(event, Enter):
            self.dependence(location, event)
        elif isinstance(event, (ThreadTeamBegin, ThreadTeamEnd)):
            if isinstance(event, ThreadTeamBegin):
                self.in_team[at].append(event.thread_team.name)
            elif self.in_team[at]:
                self.in_team[at].pop()
            self.teams[at].append((time, self.in_team[at][-1] if self.in_team[at] else None))
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
    """(links, counters by name and location, teams by location)"""
    reader = Reader()
    with otf2.reader.open(str(path)) as trace:
        resolution = trace.definitions.clock_properties.timer_resolution
        number = {location: i for i, location in enumerate(trace.definitions.locations)}
        for location, event in trace.events:
            reader.step(location, number[location], event, event.time * 1_000_000_000 // resolution)
    for channel, sends in reader.sends.items():
        for (sender, sent), (_, receiver, received) in zip(sends, sorted(reader.receives[channel])):
            reader.links.append((MESSAGE, sender, receiver, sent, received))
    return reader.links, reader.counters, reader.teams


def within(links, begin, end):
    return sorted(one for one in links if min(one[3], one[4]) <= end and max(one[3], one[4]) >= begin)
