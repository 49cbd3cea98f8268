#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Both ends of messages: tables have those whose send nobody has waited for, in killed runs and in parts; messages of one tag go to receives in the
order in which these were posted; the longest path goes from rank to rank. Usage: ends.py --tool libtracer.so --tracer tracer"""
import csv
import json
import pathlib
import sqlite3
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, is_one_archive, launch, status_of_each  # noqa: E402
from traced import clean, run  # noqa: E402


def recorded(options, family, program, job, *arguments):
    done = run([*launch(family, 2), options.tracer, "run", "-q", "-o", str(job), "--", program, *arguments], environment(TRACER_LIBRARY=options.tool))
    if "WRONG" in done.stdout or not is_one_archive(job):
        raise SystemExit(f"{family}: no archive, or a wrong answer: {done.stdout[-800:]}{done.stderr[-800:]}")
    return job


def exported(options, job, form, *part):
    target = job.with_name(f"{job.name}{len(part)}.{form}")
    done = run([options.tracer, "export", "-f", form, "-o", str(target), *part, str(job)], clean())
    if done.returncode != 0:
        raise SystemExit(f"tracer export: {done.stderr}")
    return target


def messages(options, job, *part):
    """(bytes, when received) of each message in SQLite; how many CSV has; whether Parquet has as many is for tests/tables to say."""
    database = sqlite3.connect(exported(options, job, "sqlite", *part))
    rows = list(database.execute("SELECT bytes, to_ns FROM messages ORDER BY bytes"))
    database.close()
    with open(exported(options, job, "csv", *part) / "messages.csv", newline="") as file:
        return rows, sum(1 for _ in csv.DictReader(file))


def part_in_turns(options, job):
    """From the end of the first barrier to MPI_Finalize: MPI's start and end are not in turns."""
    database = sqlite3.connect(exported(options, job, "sqlite"))
    begin = database.execute("SELECT max(first) FROM (SELECT min(end_ns) AS first FROM named_slices WHERE region_name LIKE 'MPI_Barrier%' GROUP BY location)").fetchone()[0]
    end = database.execute("SELECT min(begin_ns) FROM named_slices WHERE region_name LIKE 'MPI_Finalize%'").fetchone()[0]
    database.close()
    return "--from", f"{begin + 1000}ns", "--to", f"{end}ns"


def faults_of(options, family, directory):
    program = compiled(family, HERE / "open_isend.c", directory / "open")
    killed = recorded(options, family, program, directory / "killed", "kill")
    rows, of_csv = messages(options, killed)
    if (len(rows), of_csv) != (100, 100):
        yield f"a killed job: SQLite has {len(rows)} messages and CSV {of_csv}, not 100"
    whole = recorded(options, family, program, directory / "whole")
    database = sqlite3.connect(exported(options, whole, "sqlite"))
    waits = database.execute("SELECT min(begin_ns) FROM named_slices WHERE region_name LIKE 'MPI_Waitall%'").fetchone()[0]
    database.close()
    rows, of_csv = messages(options, whole, "--to", f"{waits - 1000}ns")
    if (len(rows), of_csv) != (100, 100):
        yield f"a part that ends before MPI_Waitall: SQLite has {len(rows)} messages and CSV {of_csv}, not 100"
    reverse = recorded(options, family, compiled(family, HERE / "reverse_wait.c", directory / "reverse"), directory / "reversed")
    rows, _ = messages(options, reverse)
    order = [size for size, _ in sorted(rows, key=lambda row: row[1])]
    if order != [8, 12, 4]:
        yield f"messages are received in the order of {order} bytes, not of 8, 12, 4"
    turns = compiled(family, HERE / "turns.c", directory / "turns")
    for how in ("barrier", "bcast", "message", "room"):
        job = recorded(options, family, turns, directory / how, how)
        report = json.loads(run([options.tracer, "report", "--json", *part_in_turns(options, job), str(job)], clean()).stdout)
        # Each of the turns is on the path; beside it is what a busy machine needs to wake the one that waited.
        if report["parallelism"] > 1.6 or report["critical_path_ns"] < 0.9 * report["wall_ns"]:
            yield f"two ranks in turns ({how}): parallelism {report['parallelism']:.2f}, path {report['critical_path_ns'] / 1e9:.3f} of {report['wall_ns'] / 1e9:.3f} s"


if __name__ == "__main__":
    sys.exit(status_of_each(faults_of))
