# SPDX-License-Identifier: BSD-3-Clause
"""Reads an OTF2 archive by python3-otf2 to the end, counts what is in it and notes what is wrong with it."""
import collections
import re
import subprocess

import otf2
from otf2.events import (BufferFlush, Enter, Leave, ThreadAcquireLock, ThreadFork, ThreadJoin, ThreadReleaseLock, ThreadTaskComplete,
                         ThreadTaskCreate, ThreadTaskSwitch, ThreadTeamBegin, ThreadTeamEnd)

REGION = re.compile(r"^!\$omp (?P<construct>.+?) @(?P<file>[^:]+?)(?::(?P<line>\d+))?$")


def construct_of(name):
    """'for' of '!$omp for @stencil.c:31', 'omp_set_lock' of 'omp_set_lock @stencil.c:8', else the name itself."""
    match = REGION.match(name)
    if match:
        return match.group("construct")
    return name.partition(" @")[0].removeprefix("!$omp ")


class Archive:
    """One pass over all events in the order of time."""

    def __init__(self, path):
        self.path = path
        self.problems = []
        self.enters = collections.Counter()   # by construct
        self.events = collections.Counter()   # by kind of event
        self.regions = set()                  # names of the regions entered
        self.locations = []                   # names
        self._last = {}                       # location -> time
        self._task = {}                       # location -> key of the current task
        self._teams = collections.defaultdict(list)    # location -> [(comm, key before)]
        self._stacks = collections.defaultdict(list)   # task key -> regions entered
        self._forked = {}                     # location -> time of the fork whose team begin is awaited
        self._forks = collections.defaultdict(list)    # location -> [fork record]
        self._order = {}                      # lock -> last acquisition order
        self._held = {}                       # lock -> (location, order)
        self._team_begins = collections.Counter()      # (comm, location)
        self._team_ends = collections.Counter()
        self._team_forks = collections.Counter()       # comm
        self._created, self._completed = collections.Counter(), collections.Counter()
        with otf2.reader.open(str(path)) as trace:
            self.definitions = trace.definitions
            self.clock = trace.definitions.clock_properties
            self.properties = {p.name: p.value for p in getattr(trace.definitions, "archive_properties", [])} if hasattr(
                trace.definitions, "archive_properties") else {}
            self.locations = [location.name for location in trace.definitions.locations]
            self.processes = len({location.group for location in trace.definitions.locations if "PROCESS" in str(location.group.location_group_type)})
            declared = [(location, location.number_of_events) for location in trace.definitions.locations]
            seen = collections.Counter()
            for location, event in trace.events:
                seen[location] += 1
                self._event(location, event)
            for location, number in declared:
                if seen[location] != number:
                    self._wrong(location, f"{seen[location]} events, but {number} declared")
        self._finish()

    def _wrong(self, location, text):
        if len(self.problems) < 50:
            self.problems.append(f"{location.name if location is not None else '-'}: {text}")

    def _event(self, location, event):
        kind = type(event).__name__
        self.events[kind] += 1
        if event.time < self._last.get(location, 0):
            self._wrong(location, f"time goes back to {event.time}")
        if self.clock is not None:
            begin, length = self.clock.global_offset, self.clock.trace_length
            # Between two clock offsets the library interpolates by doubles: a tick up or down (`tracer check`, D06, does not).
            if not begin - 1 <= event.time <= begin + length + 1:
                self._wrong(location, f"{kind} at {event.time} lies outside [{begin}, {begin + length}]")
        self._last[location] = event.time
        if location in self._forked and not isinstance(event, (ThreadTeamBegin, BufferFlush)):  # a full ring may be waited for
            self._wrong(location, f"{kind} between fork and team begin")
            del self._forked[location]
        handler = getattr(self, "_" + kind, None)
        if handler:
            handler(location, event)

    def _current(self, location):
        return self._task.get(location, ("initial", location))

    def _Enter(self, location, event):
        self.enters[construct_of(event.region.name)] += 1
        self.regions.add(event.region.name)
        self._stacks[self._current(location)].append(event.region)

    def _Leave(self, location, event):
        stack = self._stacks[self._current(location)]
        if not stack:
            self._wrong(location, f"leaves {event.region.name}, nothing is entered")
        elif stack[-1] is not event.region and stack[-1].name != event.region.name:
            self._wrong(location, f"leaves {event.region.name} inside {stack.pop().name}")
        else:
            stack.pop()

    def _ThreadFork(self, location, event):
        self._forked[location] = event.time
        self._forks[location].append(None)

    def _ThreadTeamBegin(self, location, event):
        comm = event.thread_team
        if location in self._forked:
            del self._forked[location]
            self._team_forks[comm] += 1
            self._forks[location][-1] = comm
        if location not in members(comm):
            self._wrong(location, f"begins in team {comm.name}, of which it is no member")
        self._team_begins[comm, location] += 1
        before = self._current(location)
        self._teams[location].append((comm, before))
        self._task[location] = ("implicit", location, comm, len(self._teams[location]))

    def _ThreadTeamEnd(self, location, event):
        if not self._teams[location]:
            self._wrong(location, "team end without begin")
            return
        comm, before = self._teams[location].pop()
        if comm is not event.thread_team:
            self._wrong(location, f"ends team {event.thread_team.name} inside {comm.name}")
        current = self._current(location)
        if current[0] != "implicit":
            self._wrong(location, "a task is current at the team's end")
        if self._stacks.pop(current, []):
            self._wrong(location, "regions are open at the team's end")
        self._team_ends[comm, location] += 1
        self._task[location] = before

    def _ThreadJoin(self, location, event):
        if not self._forks[location]:
            self._wrong(location, "join without fork")
            return
        comm = self._forks[location].pop()
        if comm is None:
            self._wrong(location, "join of a fork without team")

    def _key(self, event):
        return (event.thread_team, event.creating_thread, event.generation_number)

    def _ThreadTaskCreate(self, location, event):
        key = self._key(event)
        self._created[key] += 1
        if event.generation_number == 0:
            self._wrong(location, "creates a task of generation 0")

    def _ThreadTaskSwitch(self, location, event):
        if event.generation_number == 0:
            team = self._teams[location][-1][0] if self._teams[location] else None
            if team is not None and event.thread_team is not team:
                self._wrong(location, f"switches to the implicit task of {event.thread_team.name}, its team is {team.name}")
            self._task[location] = ("implicit", location, team, len(self._teams[location])) if team else ("initial", location)
            return
        key = self._key(event)
        if self._created[key] <= self._completed[key]:
            self._wrong(location, f"switches to a task {key[1:]} that is not there")
        self._task[location] = ("task",) + key

    def _ThreadTaskComplete(self, location, event):
        key = self._key(event)
        self._completed[key] += 1
        if self._current(location) != ("task",) + key:
            self._wrong(location, f"task {key[1:]} completes while {self._current(location)[0]} is current")
        if self._stacks.pop(("task",) + key, []):
            self._wrong(location, f"task {key[1:]} completes with regions open")
        if self._completed[key] > self._created[key]:
            self._wrong(location, f"task {key[1:]} completes more often than it was created")

    def _ThreadAcquireLock(self, location, event):
        lock, order = (location.group, event.lock_id), event.acquisition_order  # each process numbers its own
        if order < self._order.get(lock, 0):
            self._wrong(location, f"lock {lock[1]} acquired as {order} after {self._order[lock]}")
        self._order[lock] = order

    def _finish(self):
        for key, stack in self._stacks.items():
            if stack:
                self._wrong(None, f"{key[0]} task ends inside {stack[-1].name}")
        for location, teams in self._teams.items():
            if teams:
                self._wrong(location, "team begin without end")
        for location, forks in self._forks.items():
            if forks:
                self._wrong(location, "fork without join")
        for comm, forks in self._team_forks.items():
            for member in members(comm):
                for what, counter in (("begins", self._team_begins), ("ends", self._team_ends)):
                    if counter[comm, member] != forks:
                        self._wrong(member, f"{counter[comm, member]} {what} in {comm.name}, forked {forks} times")
        if self._created != self._completed:
            self._wrong(None, f"{sum(self._created.values())} tasks created, {sum(self._completed.values())} completed")
        if self.events["ThreadAcquireLock"] != self.events["ThreadReleaseLock"]:
            self._wrong(None, "lock acquisitions and releases differ in number")
        for kind in ("ProgramBegin", "ProgramEnd"):
            if self.events[kind] != self.processes:
                self._wrong(None, f"{self.events[kind]} {kind} of {self.processes} processes")


def members(comm):
    """The locations of a team, in the order of thread numbers."""
    group = comm.group
    return list(group.members)


def otf2_print(path):
    """What `otf2-print --silent` finds wrong, as text; '' for a sound archive."""
    done = subprocess.run(["otf2-print", "--silent", str(path)], capture_output=True, text=True, timeout=300)
    noise = done.stderr.strip()
    return noise if noise else ("" if done.returncode == 0 else f"exit status {done.returncode}")
