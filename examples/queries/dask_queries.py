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
    r = table("regions", "region", "location", "waiting")
    found = r[r.waiting > 0].groupby(["region", "location"]).waiting.agg(["count", "sum"]).compute().reset_index()
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
    r = table("regions", "id", "region", "team", "location", "start", "end")
    r = r[r.region.isin(list(wanted)) & (r.team > 0)].compute().sort_values("id")
    r["nth"] = r.groupby(["team", "region", "location"]).cumcount()
    r["inside_ns"] = r.end - r.start
    late = r.sort_values("start").groupby(["team", "region", "nth"]).location.last().map(threads().name)
    found = r.groupby(["team", "region", "nth"]).agg(threads=("id", "count"), begin_ns=("start", "min"),
                                                     last=("start", "max"), end=("end", "max"), inside_ns=("inside_ns", "sum"))
    found["length_ns"] = found.end - found.begin_ns
    found["late_by_ns"] = found["last"] - found.begin_ns
    found["late"] = late
    found = found.reset_index()
    found["barrier"] = found.region.map(known.name)
    found = found.sort_values(["length_ns", "begin_ns", "team"], ascending=[False, True, True]).head(10)
    return found[["barrier", "team", "threads", "begin_ns", "length_ns", "late_by_ns", "late", "inside_ns"]]


def tasks():
    """Tasks by the place that made them, and how many of them ran at once in each tenth of the time."""
    t = table("tasks", "region", "created", "started", "completed", "active")
    t = t[t.started >= 0].compute()
    if t.empty:
        return t
    t["delay_ns"] = t.started - t.created
    found = t.groupby("region").agg(tasks=("active", "count"), ran_ns=("active", "sum"), longest_ns=("active", "max"),
                                    shortest_ns=("active", "min"), delay_ns=("delay_ns", "sum"))
    first, length = t.started.min(), t.completed.max() - t.started.min()
    span = (t.completed - t.started).clip(lower=1)
    for n in range(10):
        lower, upper = first + length * n / 10, first + length * (n + 1) / 10
        inside = (t.completed.clip(upper=upper) - t.started.clip(lower=lower)).clip(lower=0)
        at_once = inside / max(upper - lower, 1) * t.active / span
        found[f"p{n}"] = at_once.groupby(t.region).sum().round(1)
    found.insert(0, "task", found.index.map(names().name))
    return found.sort_values(["ran_ns", "task"], ascending=[False, True])


def messages():
    """Messages by pair of processes."""
    m = table("messages", "send_location", "receive_location", "send_time", "receive_time", "bytes").compute()
    process = threads().process
    m["sender"], m["receiver"] = m.send_location.map(process), m.receive_location.map(process)
    m["ns"] = m.receive_time - m.send_time
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
