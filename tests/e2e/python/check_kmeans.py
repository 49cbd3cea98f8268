#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_kmeans.py TRACER WHEEL: scikit-learn's KMeans and a numba kernel. The share of the function that fits is that of the program's own clock, by
--python and, from Python 3.12 on, by samples; parallel regions lie below it. Exit status 77: no Python with scikit-learn here."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from pythons import find_pythons

HERE = pathlib.Path(__file__).resolve().parent
# Threads of numba's other layers are none of OpenMP's, and have no samples. PYTHONPERFSUPPORT: samples name Python's functions.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "2", "NUMBA_THREADING_LAYER": "omp", "PYTHONPERFSUPPORT": "1"}


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what[:300])


def traced(tracer, option, place, python):
    done = subprocess.run([tracer, "run", option, "-o", place, "--", python, HERE / "kmeans.py", "6"], capture_output=True, text=True, timeout=300,
                          env=ENVIRONMENT)
    need(done.returncode == 0, f"{python} {option}: {done.stderr[-300:]}")
    report = subprocess.run([tracer, "report", "--json", place], capture_output=True, text=True, check=True)
    return json.loads(done.stdout), json.loads(report.stdout)


def by_calls(tracer, wheel, python, directory):
    used, report = traced(tracer, "--python", directory / "calls", python)
    phases = {phase["name"]: phase for phase in report["phases"]}
    total, truth = sum(phases[name]["total_ns"] for name in used), sum(clock for _, clock in used.values())
    for name, (_, clock) in used.items():
        share = phases[name]["total_ns"] / total
        need(abs(share - clock / truth) < 0.03, f"calls: {name} has {100 * share:.1f} % of the parts' time, by the program's clock {100 * clock / truth:.1f} %")
    need(phases["KMeans.fit" if "KMeans.fit" in phases else "fit"]["time"]["barrier_ns"] > 0, "calls: the report has the waiting inside of fit")
    sys.path.insert(0, wheel)
    os.environ["TRACER_COMMAND"] = tracer
    import tracer as package
    with package.open(directory / "calls", form="rows") as trace:
        names = {row["region"]: row["name"] for row in trace.region_names}
        regions = [{**row, "name": names[row["region"]]} for row in trace.regions if row["location"] == 0]
    (cluster,) = [row for row in regions if row["name"] == "cluster"]
    fits = [row for row in regions if row["name"] in ("KMeans.fit", "fit") and cluster["begin_ns"] <= row["begin_ns"] and row["end_ns"] <= cluster["end_ns"]]
    below = [row for row in regions if row["name"].startswith("!$omp parallel")
             and any(fit["begin_ns"] <= row["begin_ns"] and row["end_ns"] <= fit["end_ns"] for fit in fits)]
    need(fits and below, f"calls: {len(below)} parallel regions lie inside {len(fits)} calls of fit inside cluster")


def by_samples(tracer, python, directory):
    used, report = traced(tracer, "--sample", directory / "samples", python)
    if "samples" not in report or report["samples"]["samples"] < 200:
        print("not tested: samples, of which there are none here")
        return
    functions = {f["name"]: f["inside"] for f in report["samples"]["functions"]}
    inside = {name: functions.get(name, 0) for name in used}
    total, truth = sum(inside.values()), sum(processor for processor, _ in used.values())
    need(total != 0, f"samples: functions have their names: {sorted(functions)[:5]}")
    for name, (processor, _) in used.items():
        share, wanted = inside[name] / total, processor / truth
        far = 0.03 + 3 * math.sqrt(wanted * (1 - wanted) / total)
        need(abs(share - wanted) < far, f"samples: {name} has {100 * share:.1f} % of the parts' {total} samples, and {100 * wanted:.1f} % of their processor time")
    folded = subprocess.run([tracer, "samples", "--form", "folded", directory / "samples"], capture_output=True, text=True, check=True).stdout
    paths = [line for line in folded.splitlines() if "cluster;" in line and "KMeans.fit;" in line and "parallel @" in line]
    need(paths, f"samples: parallel regions lie below fit: {paths[:1]}")
    if "run_kernel" in used:
        kernel = [line for line in folded.splitlines() if "run_kernel;" in line and "::kernel(" in line and "numba_parfor_gufunc" in line]
        if not kernel and any("run_kernel;" in line and "(code without a file)" in line for line in folded.splitlines()):
            print("not tested: names of numba's code, which this numba lists for no debugger")
            return
        counted = sum(int(line.rpartition(" ")[2]) for line in kernel)
        need(counted > 0.7 * inside["run_kernel"], f"samples: {counted} of {inside['run_kernel']} samples of run_kernel are in numba's code, by its names: {kernel[:1]}")


def by_numbas_names(tracer, python, directory):
    """Python before 3.12 names no functions; numba does."""
    place = directory / "names"
    done = subprocess.run([tracer, "run", "--sample", "--set", "SAMPLE_SOURCE=signal", "-o", place, "--", python, HERE / "kmeans.py", "6"],
                          capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
    need(done.returncode == 0, f"{python} --sample: {done.stderr[-300:]}")
    report = json.loads(subprocess.run([tracer, "report", "--json", place], capture_output=True, text=True, check=True).stdout)
    if "run_kernel" not in json.loads(done.stdout) or "samples" not in report or report["samples"]["samples"] < 200:
        print("not tested: names of numba's code: no numba, or no samples here")
        return
    inside = {f["name"]: f["inside"] for f in report["samples"]["functions"] if "numba_parfor_gufunc" in f["name"] or "::kernel(" in f["name"]}
    need(len(inside) >= 2, f"samples: numba's code has its names: {inside}")


def main():
    tracer, wheel = map(os.path.abspath, sys.argv[1:3])
    looked_at = 0
    for python, version in find_pythons((3, 9)):
        if subprocess.run([python, "-c", "import sklearn.cluster"], capture_output=True).returncode != 0:
            continue
        with tempfile.TemporaryDirectory() as directory:
            by_calls(tracer, wheel, python, pathlib.Path(directory))
            if version >= (3, 12):
                by_samples(tracer, python, pathlib.Path(directory))
            else:
                by_numbas_names(tracer, python, pathlib.Path(directory))
        looked_at += 1
    if not looked_at:
        print("skipped: no Python with scikit-learn here (Debian: python3-sklearn)")
        return 77
    return 0


sys.exit(main())
