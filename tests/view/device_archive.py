# SPDX-License-Identifier: BSD-3-Clause
"""An archive by the OTF2 library's own writer: two threads that launch kernels and copies, which two streams of a device do one
after the other, some much later; and a counter of the device's memory."""
import random
import shutil

import otf2
from otf2.enums import CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType, Paradigm


def write(directory, seed, operations=4000):
    chance = random.Random(seed)
    shutil.rmtree(directory, ignore_errors=True)
    with otf2.writer.open(str(directory), timer_resolution=1_000_000_000, chunk_size_events=256 * 1024) as trace:
        known = trace.definitions
        root = known.system_tree_node("node")
        process = known.location_group("Process", system_tree_parent=root, location_group_type=LocationGroupType.PROCESS)
        device = known.location_group("Device", system_tree_parent=root, location_group_type=LocationGroupType.ACCELERATOR, creating_location_group=process)
        threads = [known.location(f"Thread {i}", group=process, type=LocationType.CPU_THREAD) for i in range(2)]
        streams = [known.location(f"Stream {i}", group=device, type=LocationType.ACCELERATOR_STREAM) for i in range(2)]
        known.group(name="all", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.CUDA, group_flags=GroupFlag.NONE, members=threads + streams)
        members = known.group(name="cuda", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.CUDA, group_flags=GroupFlag.NONE, members=threads + streams)
        window = known.rma_win("device memory", comm=known.comm("cuda", group=members, parent=None, flags=CommFlag.NONE))
        number = known.attribute("HOST_OP_ID", "", otf2.Type.UINT64)
        memory = known.metric("memory", unit="B")
        submit, main = known.region("cuLaunch", paradigm=Paradigm.CUDA), known.region("main", paradigm=Paradigm.USER)
        kernels = [known.region(f"kernel {i}", paradigm=Paradigm.CUDA) for i in range(3)]
        hosts, lanes = ([trace.event_writer_from_location(place) for place in places] for places in (threads, streams))
        time, free_at = 1000, [1000, 1000]
        for host in hosts:
            time += 10
            host.enter(time, main)
        for operation in range(1, operations + 1):
            host, stream = chance.choice(hosts), chance.randrange(2)
            time += chance.choice((5, 100, 3000))
            host.enter(time, submit, attributes={number: operation})
            time += 3
            host.leave(time, submit)
            begin = max(free_at[stream], time) + chance.choice((1, 50))
            end = free_at[stream] = begin + chance.choice((0, 20, 900, 4000))
            lane = lanes[stream]
            if chance.random() < 0.2:
                lane.metric(begin, memory, chance.randrange(1 << 30))
            if chance.random() < 0.5:
                kernel = chance.choice(kernels)
                lane.enter(begin, kernel, attributes={number: operation})
                lane.leave(end, kernel)
            else:
                (lane.rma_get if chance.random() < 0.5 else lane.rma_put)(begin, window, 0, chance.randrange(1 << 20), operation, attributes={number: operation})
                lane.rma_op_complete_blocking(end, window, operation)
        time = max(time, *free_at)
        for host in hosts:
            time += 10
            host.leave(time, main)
    return directory / "traces.otf2"
