#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""dask_queries.py TABLES [waiting|barriers|tasks|messages ...]: the questions of this directory, asked with Dask of the
Parquet tables of a trace. Needs dask[dataframe] and pyarrow."""
import os
import sys

import dask.dataframe as dd

TABLES = None


def table(name, *columns):
    """A table of the processes, or one of definitions; only the columns that are named are read."""
    beside = os.path.join(TABLES, name + ".parquet")
    path = beside if os.path.exists(beside) else os.path.join(TABLES, "*", name + "-*.parquet")
    return dd.read_parquet(path, columns=list(columns) or None)


def names():
    return table("region_names", "region", "name", "label", "activity").compute().set_index("region")


def threads():
    return table("locations", "location", "name", "process").compute().set_index("location")


def waiting():
    """Who waits where."""
    r = table("regions", "region", "location", "waiting_ns")
    found = r[r.waiting_ns > 0].groupby(["region", "location"]).waiting_ns.agg(["count", "sum"]).compute().reset_index()
    found["region"] = found.region.map(names().name)
    found["thread"] = found.location.map(threads().name)
    found = found.groupby(["region", "location", "thread"])[["count", "sum"]].sum().reset_index()
    found = found.rename(columns={"count": "times", "sum": "waiting_ns"})
    found = found.sort_values(["waiting_ns", "region", "location"], ascending=[False, True, True])
    return found[["region", "thread", "times", "waiting_ns"]]


def barriers():
    """The ten barriers that held their threads longest, and who came last."""
    known = names()
    wanted = known[(known.activity == "barrier") & ~known.label.str.endswith(" wait")].index
    r = table("regions", "id", "region", "team", "location", "begin_ns", "end_ns")
    r = r[r.region.isin(list(wanted)) & (r.team > 0)].compute().sort_values("id")
    r["nth"] = r.groupby(["team", "region", "location"]).cumcount()
    r["inside_ns"] = r.end_ns - r.begin_ns
    late = r.sort_values("begin_ns").groupby(["team", "region", "nth"]).location.last().map(threads().name)
    found = r.groupby(["team", "region", "nth"]).agg(threads=("id", "count"), begin_ns=("begin_ns", "min"),
                                                     last=("begin_ns", "max"), end=("end_ns", "max"), inside_ns=("inside_ns", "sum"))
    found["length_ns"] = found.end - found.begin_ns
    found["late_by_ns"] = found["last"] - found.begin_ns
    found["late"] = late
    found = found.reset_index()
    found["barrier"] = found.region.map(known.name)
    found = found.sort_values(["length_ns", "begin_ns", "team"], ascending=[False, True, True]).head(10)
    return found[["barrier", "team", "threads", "begin_ns", "length_ns", "late_by_ns", "late", "inside_ns"]]


def tasks():
    """Tasks by the place that made them, and how many of them ran at once in each tenth of the time."""
    t = table("tasks", "region", "created_ns", "started_ns", "completed_ns", "active_ns")
    t = t[t.started_ns >= 0].compute()
    if t.empty:
        return t
    t["delay_ns"] = t.started_ns - t.created_ns
    found = t.groupby("region").agg(tasks=("active_ns", "count"), ran_ns=("active_ns", "sum"), longest_ns=("active_ns", "max"),
                                    shortest_ns=("active_ns", "min"), delay_ns=("delay_ns", "sum"))
    first, length = t.started_ns.min(), t.completed_ns.max() - t.started_ns.min()
    span = (t.completed_ns - t.started_ns).clip(lower=1)
    for n in range(10):
        lower, upper = first + length * n / 10, first + length * (n + 1) / 10
        inside = (t.completed_ns.clip(upper=upper) - t.started_ns.clip(lower=lower)).clip(lower=0)
        at_once = inside / max(upper - lower, 1) * t.active_ns / span
        found[f"p{n}"] = at_once.groupby(t.region).sum().round(1)
    found.insert(0, "task", found.index.map(names().name))
    return found.sort_values(["ran_ns", "task"], ascending=[False, True])


def messages():
    """Messages by pair of processes."""
    m = table("messages", "from_location", "to_location", "from_ns", "to_ns", "bytes").compute()
    process = threads().process
    m["sender"], m["receiver"] = m.from_location.map(process), m.to_location.map(process)
    m["ns"] = m.to_ns - m.from_ns
    found = m.groupby(["sender", "receiver"]).agg(messages=("bytes", "count"), bytes=("bytes", "sum"),
                                                  fastest_ns=("ns", "min"), slowest_ns=("ns", "max")).reset_index()
    return found.sort_values(["bytes", "sender", "receiver"], ascending=[False, True, True])


QUESTIONS = {"waiting": waiting, "barriers": barriers, "tasks": tasks, "messages": messages}

if __name__ == "__main__":
    if len(sys.argv) < 2 or not os.path.exists(os.path.join(sys.argv[1], "locations.parquet")):
        sys.exit(__doc__)
    TABLES = sys.argv[1]
    for question in sys.argv[2:] or QUESTIONS:
        print(f"\n{question}: {QUESTIONS[question].__doc__}")
        print(QUESTIONS[question]().to_string(index=False))
