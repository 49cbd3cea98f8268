#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The task graph that a script rebuilds from the Cholesky example's archive is the one that its dependences define."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import otf2
from otf2.events import ThreadTaskComplete, ThreadTaskCreate


def defined_tasks(tiles):
    """The dependences of each task in the order of creation, by the loops of examples/cholesky/cholesky.c."""
    for k in range(tiles):
        yield [("INOUT", (k, k))]
        for i in range(k + 1, tiles):
            yield [("IN", (k, k)), ("INOUT", (i, k))]
        for i in range(k + 1, tiles):
            yield [("IN", (i, k)), ("INOUT", (i, i))]
            for j in range(k + 1, i):
                yield [("IN", (i, k)), ("IN", (j, k)), ("INOUT", (i, j))]


def traced_tasks(archive):
    """The same out of the archive, and how often each task completed."""
    tasks, ids, completions = [], set(), 0
    with otf2.reader.open(str(archive)) as trace:
        for _, event in trace.events:
            if isinstance(event, ThreadTaskComplete):
                completions += 1
            if not isinstance(event, ThreadTaskCreate):
                continue
            attributes = {attribute.name: value for attribute, value in event.attributes.items()}
            ids.add(attributes["TASK_ID"])
            tasks.append([(name.split("_")[1], value) for name, value in sorted(attributes.items()) if name.startswith("DEPEND_")])
    return tasks, ids, completions


def edges(tasks):
    """(earlier, later) by numbers of creation: what the depend clauses order."""
    writer, readers, result = {}, {}, set()
    for number, dependences in enumerate(tasks):
        for kind, place in dependences:
            if place in writer:
                result.add((writer[place], number))
            if kind != "IN":
                result.update((reader, number) for reader in readers.get(place, ()))
        for kind, place in dependences:
            if kind == "IN":
                readers.setdefault(place, []).append(number)
            else:
                writer[place], readers[place] = number, []
    return {edge for edge in result if edge[0] != edge[1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tiles", type=int, default=7)
    parser.add_argument("program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        output = pathlib.Path(directory, "trace")
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER"))}
        env.update(OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(output), OMP_NUM_THREADS="4")
        subprocess.run([options.program, str(options.tiles), "12"], env=env, check=True, stdout=subprocess.DEVNULL, timeout=120)
        tasks, ids, completions = traced_tasks(output / "traces.otf2")
    wanted = list(defined_tasks(options.tiles))
    if len(tasks) != len(wanted) or len(ids) != len(tasks) or completions != len(tasks):
        sys.exit(f"{len(tasks)} tasks created, {len(ids)} ids, {completions} completed; the program defines {len(wanted)}")
    got, want = edges(tasks), edges(wanted)
    if got != want:
        sys.exit(f"edges too many: {sorted(got - want)[:5]}, missing: {sorted(want - got)[:5]}")
    print(f"{len(tasks)} tasks, {len(want)} edges: as the dependences define")


if __name__ == "__main__":
    main()
