#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_programs.py TRACER LIBRARY IMBALANCE CHAIN LOCK: programs of known structure, traced and reported. They print what
they did by their own clock - a loaded machine sleeps longer than it is told - and the report says the same to 2 %."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

tracer, library, imbalance, chain, lock = (os.path.abspath(path) for path in sys.argv[1:6])


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def near(value, expected, what, tolerance=0.02):
    if os.environ.get("TRACER_TEST_SANITIZED"):  # ThreadSanitizer looks up what it was told to leave out in our handlers
        return
    need(abs(value - expected) <= tolerance * expected, f"{what}: {value:.6g}, by the program's clock {expected:.6g}")


def traced(program, directory, *options):
    """What the program printed, and the report."""
    archive = directory / (pathlib.Path(program).name + f".trace{len(options)}")
    done = subprocess.run([tracer, "run", "-q", *options, "-o", archive, "--", program], check=True, capture_output=True, text=True,
                          env={**os.environ, "TRACER_LIBRARY": library, "OMP_DYNAMIC": "false"})
    report = subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True, text=True).stdout
    return [int(word) for word in done.stdout.split()], json.loads(report)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        worked, report = traced(imbalance, directory)
        loop = next(row for row in report["constructs"] if row["construct"] == "for")
        near(loop["balance"]["max_over_min"], max(worked) / min(worked), "the loop's imbalance of 3:1")
        near(loop["balance"]["lost_ns"], max(worked) - sum(worked) / 4, "time lost to it")
        near(loop["total_ns"], sum(worked), "time in the loop")
        region = report["parallel_regions"][0]
        waited = sum(member["time"]["barrier_ns"] for member in region["members"])
        near(waited, 4 * max(worked) - sum(worked), "waiting at the barrier", 0.1)  # threads are woken at different times
        need(report["callbacks"]["work"] == 8, "eight callbacks for a loop on four threads")

        (directory / "rules").write_text("SCOREP_REGION_NAMES_BEGIN\n EXCLUDE *\n INCLUDE for\nSCOREP_REGION_NAMES_END\n")
        worked, report = traced(imbalance, directory, "--filter", directory / "rules")
        need({row["construct"] for row in report["constructs"]} == {"parallel", "for"}, "a filter while recording leaves the loop, and the region that must stay")
        need(report["trace"]["properties"]["TRACER::FILTER"] == "EXCLUDE *; INCLUDE for", "and the trace says so")
        checked = subprocess.run([tracer, "check", directory / "known_imbalance.trace2"], capture_output=True, text=True)
        need(checked.returncode == 0, f"the filtered archive is valid {checked.stdout if checked.returncode else ''}")

        many = "".join(f" EXCLUDE a_function_of_the_program_that_is_left_out_{number}\n" for number in range(5000))
        (directory / "many").mkdir()
        (directory / "rules").write_text("SCOREP_REGION_NAMES_BEGIN\n" + many + "SCOREP_REGION_NAMES_END\n")
        worked, report = traced(imbalance, directory / "many", "--filter", directory / "rules")
        need(report["trace"]["properties"]["TRACER::FILTER"].endswith("; ..."), "of 5,000 rules the trace names the first")

        (chained, others), report = traced(chain, directory)
        graph = report["tasks"]["graph"]
        need(report["tasks"]["completed"] == 12 and report["tasks"]["dependences"] == 7, "twelve tasks, seven dependences")
        need(graph["chain_tasks"] == 8 and graph["critical_path_tasks"] == 8, "the critical path has the eight tasks of the chain")
        near(graph["chain_ns"], chained, "the chain's time")
        near(graph["critical_path_ns"], chained, "the critical path")
        near(graph["parallelism"], (chained + others) / chained, "the graph's parallelism")

        (held, waited), report = traced(lock, directory)
        row = max(report["locks"], key=lambda one: one["wait_ns"])
        need(row["acquisitions"] == 2 and row["contended"] == 1, "one of two acquisitions found the region taken")
        near(row["held_ns"], held, "time in the critical region")
        near(row["wait_ns"], waited, "waiting for it")


main()
