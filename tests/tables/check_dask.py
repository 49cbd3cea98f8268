#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_dask.py TRACER QUERIES RANKS.C COMPILER: the four queries on a Dask cluster of two worker processes, of the tables of a
job that is recorded here, answer what `tracer report` says, to the nanosecond. Skipped, saying why, without Dask."""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NEEDED = ("dask", "distributed", "pandas", "pyarrow")
WORKERS = 2


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def environment(**more):
    """Without what a session has set for tracing or for OpenMP."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("TRACER_", "OMP_", "KMP_"))} | more


def record(tracer, source, compiler, work):
    """A job of four ranks, or of four processes where no MPI is."""
    program, trace = work / "ranks", work / "trace"
    for family, more in (("openmpi", ["--oversubscribe"]), ("mpich", [])):
        wrapper = f"mpicc.{family}"
        if not shutil.which(wrapper) or not shutil.which(f"mpirun.{family}"):
            continue
        built = subprocess.run([wrapper, "-w", "-g", "-O1", "-fopenmp", source, "-o", program], env={**os.environ, "OMPI_CC": compiler, "MPICH_CC": compiler},
                               capture_output=True, text=True)
        if built.returncode != 0:
            print(f"{wrapper}: {built.stderr.strip()[-300:]}")
            continue
        command = [f"mpirun.{family}", *more, "-n", "4", tracer, "run", "-o", trace, "--", program]
        break
    else:
        subprocess.run([compiler, "-DNO_MPI", "-w", "-g", "-O1", "-fopenmp", source, "-o", program], check=True)
        command = [tracer, "run", "-o", trace, "--", "sh", "-c", '"$1" & "$1" & "$1" & "$1"; wait', "sh", program]
    subprocess.run(command, check=True, capture_output=True, timeout=120,
                   env=environment(OMP_NUM_THREADS="2", KMP_BLOCKTIME="0", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                   OMPI_MCA_btl_vader_single_copy_mechanism="none"))
    return trace


def rows(tables, name):
    import pyarrow.parquet
    found = []
    for file in sorted(tables.glob(f"*/{name}-*.parquet")) if not (tables / f"{name}.parquet").exists() else [tables / f"{name}.parquet"]:
        found += pyarrow.parquet.read_table(file).to_pylist()
    return found


def barriers_by_hand(tables, names):
    """Each barrier's row of the answer, of all rows at once, and the time in all of a region."""
    wanted = {n["region"]: n["name"] for n in names if n["activity"] == "barrier" and not n["label"].endswith(" wait")}
    of_thread, barriers, inside = {}, {}, {}
    for row in sorted(rows(tables, "regions"), key=lambda r: r["id"]):
        if row["region"] not in wanted:
            continue
        inside[row["region"]] = inside.get(row["region"], 0) + row["end_ns"] - row["begin_ns"]
        if row["team"] <= 0:
            continue
        key = row["team"], row["region"], row["location"]
        of_thread[key] = nth = of_thread.get(key, 0) + 1
        barriers.setdefault((row["team"], row["region"], nth), []).append(row)
    answer = []
    for (team, region, _), members in barriers.items():
        came = [m["begin_ns"] for m in members]
        answer.append((max(m["end_ns"] for m in members) - min(came), -min(came), -team, wanted[region], len(members), max(came) - min(came),
                       sum(m["end_ns"] - m["begin_ns"] for m in members)))
    return sorted(answer, reverse=True), inside


def check(tables, report, asked):
    names, processes = rows(tables, "region_names"), {p["process"]: p["name"] for p in rows(tables, "processes")}
    need(len(processes) == 4, "four processes")
    locations = {one["location"]: (processes[one["process"]], one["name"]) for one in rows(tables, "locations")}

    waited = {}
    for row in asked["waiting"]:
        key = row["process"], row["thread"]
        waited[key] = waited.get(key, 0) + row["waiting_ns"]
    said = {locations[t["location"]]: sum(t["time"][w] for w in ("barrier_ns", "task_wait_ns", "lock_wait_ns")) for t in report["threads"]}
    need(waited == {thread: ns for thread, ns in said.items() if ns} and len(waited) == 8, f"waiting: the report's of {len(waited)} threads: {sum(waited.values())} ns")

    by_hand, inside = barriers_by_hand(tables, names)
    need(inside == {c["region"]: c["total_ns"] for c in report["constructs"] if c["region"] in inside}, f"time in barriers of {len(inside)} regions is the report's")
    found = [(b["length_ns"], -b["begin_ns"], -b["team"], b["barrier"], b["threads"], b["late_by_ns"], b["inside_ns"]) for b in asked["barriers"]]
    need(len(by_hand) > 10 and found == by_hand[:10], f"barriers: the ten longest of {len(by_hand)}")

    found = sorted((t["task"], t["tasks"], t["ran_ns"], t["longest_ns"], t["shortest_ns"]) for t in asked["tasks"])
    need(found == sorted((t["name"], t["count"], t["total_ns"], t["longest_ns"], t["shortest_ns"]) for t in report["tasks"]["regions"]) and len(found) == 2,
         f"tasks: the report's of {len(found)} sites")

    found = sorted([m["sender"], m["receiver"], m["messages"], m["bytes"]] for m in asked["messages"])
    need(found == sorted(report["mpi"]["matrix"]["cells"] if report["mpi"]["ranks"] else []), f"messages: the report's of {len(found)} pairs")


def main():
    tracer, queries, source = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    compiler = sys.argv[4]
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped: not installed for " + sys.executable + ": " + ", ".join(missing))
        return 77
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        trace, tables = record(tracer, source, compiler, work), work / "tables"
        report = json.loads(subprocess.run([tracer, "report", "--json", trace], check=True, capture_output=True).stdout)
        subprocess.run([tracer, "export", "--format", "parquet", "-o", tables, trace], check=True, capture_output=True)
        # Each row group is a part of its own, so that the parts of an answer come together.
        done = subprocess.run([sys.executable, queries / "dask_queries.py", tables, "--json", "--rows", "1", "--workers", str(WORKERS)],
                              capture_output=True, text=True, timeout=200, cwd=work)
        need(done.returncode == 0, f"the queries run: {done.stderr[-2000:] if done.returncode else ''}")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        need(all(len(line["peaks"]) == WORKERS for line in lines), f"{WORKERS} workers")
        check(tables, report, {name: answer for line in lines for name, answer in line.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
