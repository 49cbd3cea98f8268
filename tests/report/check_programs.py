#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_programs.py TRACER LIBRARY IMBALANCE CHAIN LOCK: programs of known structure, traced and reported: the numbers
are right to 2 % (more where TRACER_TEST_TOLERANCE says so: a machine that sleeps too long)."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

tolerance = float(os.environ.get("TRACER_TEST_TOLERANCE", "0.02"))
tracer, library, imbalance, chain, lock = (os.path.abspath(path) for path in sys.argv[1:6])


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def near(value, expected, what):
    need(abs(value - expected) <= tolerance * expected, f"{what}: {value:.6g}, made to be {expected:.6g}")


def traced(program, directory):
    archive = directory / (pathlib.Path(program).name + ".trace")
    subprocess.run([tracer, "run", "-q", "-o", archive, "--", program], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "TRACER_LIBRARY": library, "OMP_DYNAMIC": "false"})
    return json.loads(subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True, text=True).stdout)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        report = traced(imbalance, directory)
        loop = next(row for row in report["constructs"] if row["construct"] == "for")
        near(loop["balance"]["max_over_min"], 3.0, "the loop's imbalance")
        near(loop["balance"]["lost_ns"], 0.3e9, "time lost to it")
        near(loop["total_ns"], 1.2e9, "time in the loop")
        region = report["parallel_regions"][0]
        near(sum(member["time"]["barrier_ns"] for member in region["members"]), 1.2e9, "waiting at the barrier")
        near(report["critical_path_ns"], report["wall_ns"], "the longest path is the wall time")
        near(report["callbacks"]["work"], 8, "callbacks of the loop")

        report = traced(chain, directory)
        graph = report["tasks"]["graph"]
        need(report["tasks"]["completed"] == 12 and report["tasks"]["dependences"] == 7, "twelve tasks, seven dependences")
        need(graph["chain_tasks"] == 8 and graph["critical_path_tasks"] == 8, "the critical path has the eight tasks of the chain")
        near(graph["chain_ns"], 0.4e9, "the chain's time")
        near(graph["critical_path_ns"], 0.4e9, "the critical path")
        near(graph["parallelism"], 2.0, "the graph's parallelism")

        report = traced(lock, directory)
        row = max(report["locks"], key=lambda one: one["wait_ns"])
        need(row["acquisitions"] == 2 and row["contended"] == 1, "one of two acquisitions found the region taken")
        near(row["held_ns"], 0.4e9, "time in the critical region")
        near(row["wait_ns"], 0.2e9, "waiting for it")


main()
