# SPDX-License-Identifier: BSD-3-Clause
"""An archive by the OTF2 library's own writer: regions nested at random, tasks that are suspended with regions open and go
on elsewhere, a region that is open all the time, a Leave without Enter, and a clock that does not count nanoseconds."""
import random
import shutil

import otf2
from otf2.enums import CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType, MeasurementMode, Paradigm


def write(directory, seed, events=12000, locations=3, resolution=3_000_000_000, pauses=False):
    """The task switches go through all locations in order of time. `pauses`: recording is off now and then, and events come all the same."""
    chance = random.Random(seed)
    shutil.rmtree(directory, ignore_errors=True)
    with otf2.writer.open(str(directory), timer_resolution=resolution, chunk_size_events=256 * 1024) as trace:
        known = trace.definitions
        root = known.system_tree_node("node")
        groups = [known.location_group(f"Process {i}", system_tree_parent=root, location_group_type=LocationGroupType.PROCESS) for i in range((locations + 1) // 2)]
        places = [known.location(f"Thread {i % 2}", group=groups[i // 2], type=LocationType.CPU_THREAD) for i in range(locations)]
        members = known.group(name="threads", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.OPENMP, group_flags=GroupFlag.NONE, members=places)
        team_members = known.group(name="team", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.OPENMP, group_flags=GroupFlag.NONE, members=places)
        del members
        team = known.comm("Team", group=team_members, parent=None, flags=CommFlag.NONE)
        regions = [known.region(f"region {i}" if i % 4 else f"!$omp barrier @r{i}.c:{i}") for i in range(12)]
        number = known.attribute("Number", "", otf2.Type.UINT64)
        writers = [trace.event_writer_from_location(place) for place in places]
        time, generation = 1_000_000, 0
        open_of = {}                # by task: its regions
        current = [("implicit", i) for i in range(locations)]
        suspended, left, is_on = [], [events] * locations, [True] * locations
        for i, writer in enumerate(writers):
            writer.thread_team_begin(time, team)
            writer.enter(time + 1, regions[0])
            open_of[current[i]] = [regions[0]]
        time += 2
        while any(left):
            i = chance.choice([k for k in range(locations) if left[k]])
            time += chance.choice((0, 1, 3, 40, 2000))
            writer, mine = writers[i], open_of[current[i]]
            left[i] -= 1
            what = chance.random()
            if what >= 0.9:
                time += 6  # a task goes on later than it was left, also in whole nanoseconds
            if what < 0.46 and len(mine) < 7 or len(mine) < 2 and what < 0.9:
                region = chance.choice(regions)
                writer.enter(time, region, attributes={number: chance.randrange(1 << 40)} if chance.random() < 0.1 else None)
                mine.append(region)
            elif what < 0.9:
                if len(mine) > 1:
                    writer.leave(time, mine.pop())
            elif what < 0.93 and current[i][0] == "implicit":
                generation += 1
                writer.thread_task_create(time, team, i, generation)
                writer.thread_task_switch(time, team, i, generation)
                current[i] = ("task", i, generation)
                open_of[current[i]] = []
            elif what < 0.95 and current[i][0] == "task":
                suspended.append(current[i])
                writer.thread_task_switch(time, team, i, 0)
                current[i] = ("implicit", i)
            elif what < 0.97 and current[i][0] == "implicit" and suspended:
                task = suspended.pop(chance.randrange(len(suspended)))
                writer.thread_task_switch(time, team, task[1], task[2])
                current[i] = task
            elif what < 0.98 and current[i][0] == "task":
                for region in reversed(open_of.pop(current[i])):
                    writer.leave(time, region)
                writer.thread_task_complete(time, team, current[i][1], current[i][2])
                current[i] = ("implicit", i)
            elif what < 0.985:
                writer.leave(time, regions[-1]) if regions[-1] not in mine else None
            elif pauses:
                is_on[i] = not is_on[i]
                writer.measurement_on_off(time, MeasurementMode.ON if is_on[i] else MeasurementMode.OFF)
    return directory / "traces.otf2"
