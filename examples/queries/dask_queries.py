#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The questions of this directory, asked with Dask of the Parquet tables of a trace. A worker reads a part of a table at a
time, a quarter of a million rows; only answers come together."""
import argparse
import glob
import json
import os
import resource
import sys
import time

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ANSWER = 10  # barriers
TABLES = ""
ROWS = 0  # of a part, at least; a row group has 262,144 at most


# Tables in parts.

def parts_of(name):
    """Row groups, [(file, number), ...] of a part. Those of a file follow each other in time, and so do a thread's files."""
    parts, rows = [], ROWS
    for file in sorted(glob.glob(os.path.join(TABLES, "*", name + "-*.parquet")), key=lambda f: (os.path.dirname(f), len(f), f)):
        footer = pq.read_metadata(file)
        for group in range(footer.num_row_groups):
            if rows >= ROWS:
                parts.append([])
                rows = 0
            parts[-1].append((file, group))
            rows += footer.row_group(group).num_rows
    return parts or [[]]


def read(part, columns, regions=None):
    """The rows of a part; with `regions` those of these regions in teams, which the reader selects before they are rows of pandas."""
    pieces = []
    for file, group in part:
        with pq.ParquetFile(file) as opened:
            piece = opened.read_row_group(group, columns=columns)
        if regions is not None:
            mask = pc.and_(pc.is_in(piece["region"], value_set=pa.array(regions, pa.int64())), pc.greater(piece["team"], 0))
            piece = piece.filter(mask)
        pieces.append(piece)
    if not pieces:
        return like(**dict.fromkeys(columns, "int64"))
    return pa.concat_tables(pieces).to_pandas()


def like(**columns):
    """A frame without rows that has these columns."""
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in columns.items()})


def table(name, *columns, regions=None):
    return dd.from_map(read, parts_of(name), columns=list(columns), regions=regions, meta=like(**dict.fromkeys(columns, "int64")))


def definitions(name, *columns):
    return pq.read_table(os.path.join(TABLES, name + ".parquet"), columns=list(columns)).to_pandas().set_index(columns[0])


def region_names():
    return definitions("region_names", "region", "name", "label", "activity")


def threads():
    """Of each location the thread's name and its process's."""
    found = definitions("locations", "location", "name", "process").rename(columns={"name": "thread"})
    return found.assign(process=found.process.map(definitions("processes", "process", "name").name))


# The questions.

def waiting():
    """Who waits where."""
    r = table("regions", "region", "location", "waiting_ns")
    found = r[r.waiting_ns > 0].groupby(["region", "location"]).waiting_ns.agg(["count", "sum"]).compute().reset_index()
    found["region"] = found.region.map(region_names().name)
    found = found.groupby(["region", "location"])[["count", "sum"]].sum().reset_index().join(threads(), on="location")
    found = found.rename(columns={"count": "times", "sum": "waiting_ns"})
    found = found.sort_values(["waiting_ns", "region", "location"], ascending=[False, True, True])
    return found[["region", "process", "thread", "times", "waiting_ns"]]


def numbered(rows):
    """`rows` has all of some threads: how many-th time each was in its team's barrier."""
    rows = rows.sort_values("id")
    return rows.assign(nth=rows.groupby(["team", "region", "location"]).cumcount())


def longest(rows):
    """`rows` has all of some barriers: the longest."""
    rows = rows.assign(inside_ns=rows.end_ns - rows.begin_ns).sort_values(["begin_ns", "location"])
    found = rows.groupby(["team", "region", "nth"]).agg(threads=("id", "count"), begin_ns=("begin_ns", "min"), last=("begin_ns", "max"), end=("end_ns", "max"),
                                                        late=("location", "last"), inside_ns=("inside_ns", "sum")).reset_index()
    found["length_ns"] = found.end - found.begin_ns
    return found.sort_values(["length_ns", "begin_ns", "team"], ascending=[False, True, True]).head(ANSWER)


def barriers():
    """The ten barriers that held their threads longest, and who came last."""
    names = region_names()
    wanted = names[(names.activity == "barrier") & ~names.label.str.endswith(" wait")].index
    r = table("regions", "id", "region", "team", "location", "begin_ns", "end_ns", regions=[int(region) for region in wanted])
    # First all of a thread come together, to be numbered, then all of a barrier. What travels is kept on disk.
    r = r.shuffle("location").map_partitions(numbered, meta=numbered(r._meta))
    r = r.shuffle(["team", "region", "nth"]).map_partitions(longest, meta=longest(numbered(r._meta)))
    found = r.compute().sort_values(["length_ns", "begin_ns", "team"], ascending=[False, True, True]).head(ANSWER)
    found["late_by_ns"] = found["last"] - found.begin_ns
    found["barrier"] = found.region.map(names.name)
    found = found.join(threads(), on="late").drop(columns="late").rename(columns={"thread": "late"})
    return found[["barrier", "process", "team", "threads", "begin_ns", "length_ns", "late_by_ns", "late", "inside_ns"]]


def at_once(rows, first, length):
    """Of each site how many of its tasks in `rows` ran at once in each tenth of the time. A suspended one counts by its share."""
    span = (rows.completed_ns - rows.started_ns).clip(lower=1)
    tenths = {}
    for n in range(10):
        lower, upper = first + length * n / 10, first + length * (n + 1) / 10
        inside = (rows.completed_ns.clip(upper=upper) - rows.started_ns.clip(lower=lower)).clip(lower=0)
        tenths[f"p{n}"] = inside / max(upper - lower, 1) * rows.active_ns / span
    return pd.DataFrame(tenths, index=rows.index).groupby(rows.region).sum().reset_index()


def sites(rows):
    """Sums of the tasks in `rows` by site."""
    rows = rows.assign(delay_ns=rows.started_ns - rows.created_ns)
    return rows.groupby("region").agg(tasks=("active_ns", "count"), ran_ns=("active_ns", "sum"), longest_ns=("active_ns", "max"), shortest_ns=("active_ns", "min"),
                                      delay_ns=("delay_ns", "sum"), first=("started_ns", "min"), last=("completed_ns", "max")).reset_index()


def tasks():
    """Tasks by the place that made them, and how many of them ran at once in each tenth of the time."""
    t = table("tasks", "region", "created_ns", "started_ns", "completed_ns", "active_ns")
    t = t[t.started_ns >= 0]
    found = t.map_partitions(sites, meta=sites(t._meta)).groupby("region").agg(
        {"tasks": "sum", "ran_ns": "sum", "longest_ns": "max", "shortest_ns": "min", "delay_ns": "sum", "first": "min", "last": "max"}).compute()
    if found.empty:
        return pd.DataFrame()
    bounds = {"first": int(found["first"].min()), "length": int(found["last"].max() - found["first"].min())}
    running = t.map_partitions(at_once, **bounds, meta=at_once(t._meta, **bounds)).groupby("region").sum().compute()
    found = found.drop(columns=["first", "last"]).join(running.round(1))
    found.insert(0, "task", found.index.map(region_names().name))
    return found.sort_values(["ran_ns", "task"], ascending=[False, True])


SUMS_OF_PAIRS = {"messages": "sum", "bytes": "sum", "fastest_ns": "min", "slowest_ns": "max"}


def pairs(rows):
    """Sums of the messages in `rows` by pair of threads."""
    rows = rows.assign(ns=rows.to_ns - rows.from_ns)
    return rows.groupby(["from_location", "to_location"]).agg(messages=("bytes", "count"), bytes=("bytes", "sum"), fastest_ns=("ns", "min"),
                                                              slowest_ns=("ns", "max")).reset_index()


def messages():
    """Messages by pair of processes."""
    m = table("messages", "from_location", "to_location", "from_ns", "to_ns", "bytes")
    found = m.map_partitions(pairs, meta=pairs(m._meta)).groupby(["from_location", "to_location"]).agg(SUMS_OF_PAIRS).compute().reset_index()
    process = definitions("locations", "location", "process").process
    found["sender"], found["receiver"] = found.from_location.map(process), found.to_location.map(process)
    found = found.groupby(["sender", "receiver"]).agg(SUMS_OF_PAIRS).reset_index()
    return found.sort_values(["bytes", "sender", "receiver"], ascending=[False, True, True])


QUESTIONS = {"waiting": waiting, "barriers": barriers, "tasks": tasks, "messages": messages}


# Where they are asked.

def cluster(options):
    """A client of the workers; None: threads of this process are."""
    if options.scheduler is None and options.workers is None:
        return None
    from distributed import Client, LocalCluster
    if options.scheduler is not None:
        return Client(options.scheduler)
    return Client(LocalCluster(n_workers=options.workers, threads_per_worker=1, processes=True, memory_limit=options.memory, dashboard_address=None))


def usage():
    """Of this process until now: its largest memory in bytes, and seconds of processors."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_maxrss * 1024, used.ru_utime + used.ru_stime


def ask(questions, client, as_json):
    for question in questions:
        began = time.monotonic()
        found = QUESTIONS[question]()
        seconds = time.monotonic() - began
        workers = list(client.run(usage).values()) if client else [usage()]
        if as_json:
            print(json.dumps({question: found.to_dict("records"), "seconds": seconds, "peaks": [peak for peak, _ in workers], "processor_seconds": [used for _, used in workers]}))
            continue
        print(f"\n{question}: {QUESTIONS[question].__doc__}")
        print(found.to_string(index=False))
        print(f"{seconds:.1f} s; memory of a process at most {max(peak for peak, _ in workers) / 1e6:.0f} MB")


def main():
    global TABLES, ROWS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", help="of: tracer export --format parquet -o TABLES TRACE")
    parser.add_argument("questions", nargs="*", help=", ".join(QUESTIONS) + "; default: all")
    parser.add_argument("--workers", type=int, help="ask so many worker processes on this host")
    parser.add_argument("--memory", default="1GiB", help="each of them ends where it needs more (default: %(default)s)")
    parser.add_argument("--scheduler", help="ask the workers of this Dask scheduler, tcp://HOST:PORT; they see TABLES by the same path")
    parser.add_argument("--rows", type=int, default=1 << 18, help="a worker reads at least so many at a time (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="an object in each line: the answer, seconds, the workers' largest memory and processor time until then")
    options = parser.parse_args()
    unknown = [question for question in options.questions if question not in QUESTIONS]
    TABLES, ROWS = os.path.abspath(options.tables), options.rows
    if unknown or not os.path.exists(os.path.join(TABLES, "locations.parquet")):
        parser.error(f"no question {unknown[0]}" if unknown else f"no tables in {options.tables}")
    client = cluster(options)
    try:
        ask(options.questions or QUESTIONS, client, options.json)
    finally:
        if client:
            client.close()
            if client.cluster:
                client.cluster.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
