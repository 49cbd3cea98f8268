# SPDX-License-Identifier: BSD-3-Clause
"""An archive by the OTF2 library's own writer: ranks that exchange messages at random, blocking and not, over two communicators
and some tags; requests are completed in another order than they were made in."""
import random
import shutil

import otf2
from otf2.enums import CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType, Paradigm


def write(directory, seed, messages=3000, ranks=4):
    chance = random.Random(seed)
    shutil.rmtree(directory, ignore_errors=True)
    with otf2.writer.open(str(directory), timer_resolution=1_000_000_000, chunk_size_events=256 * 1024) as trace:
        known = trace.definitions
        root = known.system_tree_node("node")
        places = []
        for i in range(ranks):
            group = known.location_group(f"MPI Rank {i}", system_tree_parent=root, location_group_type=LocationGroupType.PROCESS)
            places.append(known.location("Master thread", group=group, type=LocationType.CPU_THREAD))
        known.group(name="ranks", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, group_flags=GroupFlag.NONE, members=places)
        members = known.group(name="world", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, group_flags=GroupFlag.NONE, members=places)
        comms = [known.comm(name, group=members, parent=None, flags=CommFlag.NONE) for name in ("MPI_COMM_WORLD", "copy of it")]
        regions = {name: known.region(name, paradigm=Paradigm.MPI) for name in ("MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Wait")}
        main = known.region("main", paradigm=Paradigm.USER)
        writers = [trace.event_writer_from_location(place) for place in places]
        time, request = 1000, 0
        for writer in writers:
            time += 10
            writer.enter(time, main)
        on_the_way = {}                        # by channel: how many are sent and not received, or claimed by a request
        sends, receives = ([[] for _ in range(ranks)] for _ in range(2))  # requests that are open

        def call(rank, name, *events):
            nonlocal time
            time += chance.choice((2, 30, 400, 5000))
            writers[rank].enter(time, regions[name])
            for event in events:
                time += chance.choice((0, 3))
                event(time)
            time += 1 + chance.choice((0, 20))
            writers[rank].leave(time, regions[name])

        def receive(channel):
            """Blocking, or asked for."""
            nonlocal request
            comm, sender, rank, tag = channel
            on_the_way[channel] -= 1
            writer = writers[rank]
            if chance.random() < 0.5 and not any(one[0] == channel for one in receives[rank]):
                call(rank, "MPI_Recv", lambda at: writer.mpi_recv(at, sender, comms[comm], tag, 100 + tag))
            else:
                request += 1
                number = request
                call(rank, "MPI_Irecv", lambda at: writer.mpi_irecv_request(at, number))
                receives[rank].append((channel, number))

        def wait(rank):
            writer = writers[rank]
            if receives[rank]:
                (comm, sender, _, tag), number = receives[rank].pop(chance.randrange(len(receives[rank])))
                call(rank, "MPI_Wait", lambda at: writer.mpi_irecv(at, sender, comms[comm], tag, 100 + tag, number))
            elif sends[rank]:
                number = sends[rank].pop(chance.randrange(len(sends[rank])))
                call(rank, "MPI_Wait", lambda at: writer.mpi_isend_complete(at, number))

        while messages or any(on_the_way.values()) or any(sends) or any(receives):
            what, rank = chance.random(), chance.randrange(ranks)
            open_channels = [channel for channel, number in on_the_way.items() if number]
            if what < 0.4 and messages:
                messages -= 1
                to, tag, comm = chance.choice([other for other in range(ranks) if other != rank]), chance.randrange(3), chance.randrange(2)
                channel = (comm, rank, to, tag)
                on_the_way[channel] = on_the_way.get(channel, 0) + 1
                writer = writers[rank]
                if chance.random() < 0.6:
                    call(rank, "MPI_Send", lambda at: writer.mpi_send(at, to, comms[comm], tag, 100 + tag))
                else:
                    request += 1
                    sends[rank].append(request)
                    call(rank, "MPI_Isend", lambda at: writer.mpi_isend(at, to, comms[comm], tag, 100 + tag, request))
            elif what < 0.75 and open_channels:
                receive(chance.choice(open_channels))
            else:
                wait(rank)
        for writer in writers:
            time += 10
            writer.leave(time, main)
    return directory / "traces.otf2"
