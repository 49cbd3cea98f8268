#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An archive with its samples in it (`tracer export --format otf2`): it breaks no rule, otf2-print and python3-otf2 read it to the
end, its samples are those that `tracer samples` counts, and the archive that it was made of stays as it is. Status 77 where
nothing can be sampled, or python3-otf2 is missing."""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from failing import fail


def run(*command):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if ran.returncode != 0:
        fail(f"{' '.join(map(str, command))}: {ran.returncode} {ran.stdout[-2000:]} {ran.stderr[-2000:]}")
    return ran.stdout


def hashes(trace):
    return {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(trace.rglob("*")) if file.is_file()}


def functions_of(context):
    names = set()
    while context is not None:
        names.add(context.region.name)
        context = context.parent
    return names


def check(options, name, otf2, **variables):
    with tempfile.TemporaryDirectory() as scratch:
        trace, sampled = pathlib.Path(scratch, "trace"), pathlib.Path(scratch, "sampled")
        environment = {**os.environ, "OMP_TOOL_LIBRARIES": options.tool, "TRACER_OUTPUT": str(trace), "TRACER_SAMPLE": "1000", **variables}
        ran = subprocess.run([options.program, *options.arguments], env=environment, capture_output=True, text=True, timeout=200)
        if ran.returncode != 0:
            fail(f"{name}: the program ended with {ran.returncode}: {ran.stderr}")
        if "no samples are taken" in ran.stderr:
            print(f"{name}: {ran.stderr.strip()}")
            return False
        before = hashes(trace)
        report = json.loads(run(options.tracer, "samples", "--form", "json", trace))
        told = run(options.tracer, "check", "--json", trace)
        run(options.tracer, "export", "--format", "otf2", "-o", sampled, trace)
        if hashes(trace) != before:
            fail(f"{name}: the archive has changed")
        after = json.loads(run(options.tracer, "check", "--json", sampled))
        print(f"{name}: {json.loads(told)['events']} events, {after['events']} with samples")
        if options.print:
            printed = run(options.print, sampled / "traces.otf2")
            if printed.count("\nCALLING_CONTEXT_SAMPLE ") == 0 or "\nENTER " in printed:
                fail(f"{name}: otf2-print shows no samples, or regions among them")
        samples, inside, metrics, events = 0, collections.Counter(), collections.Counter(), 0
        with otf2.reader.open(str(sampled / "traces.otf2")) as reader:
            for _, event in reader.events:
                events += 1
                kind = type(event).__name__
                if kind == "CallingContextSample":
                    samples += 1
                    inside.update(functions_of(event.calling_context))
                elif kind == "Metric":
                    metrics[event.metric.recorder.name if hasattr(event.metric, "recorder") else "sample"] += 1
        if events != after["events"]:
            fail(f"{name}: python3-otf2 reads {events} events of {after['events']}")
        if not 0.99 * report["samples"] <= samples <= report["samples"]:
            fail(f"{name}: {samples} samples in the archive, {report['samples']} in the report")
        for row in report["functions"]:
            if row["region"] is None and abs(inside[row["name"]] - row["inside"]) > 5 + 0.01 * report["samples"] and row["name"].startswith("burn"):
                fail(f"{name}: {inside[row['name']]} samples in {row['name']}, {row['inside']} in the report")
        print(f"{name}: {samples} samples in {len(inside)} functions and constructs, {dict(metrics)} metrics")
        # The counter is one metric of each sample that was taken by the kernel.
        if "TRACER_COUNTERS" in variables and metrics["sample"] != samples:
            fail(f"{name}: {metrics['sample']} values of counters for {samples} samples")
        again = json.loads(run(options.tracer, "report", "--json", sampled))
        plain = json.loads(run(options.tracer, "report", "--json", trace))
        if [row["name"] for row in again["threads"]] != [row["name"] for row in plain["threads"]]:
            fail(f"{name}: the report of it has other threads")
        damaged = next(iter(sorted((trace / "traces").glob("*.evt"))))
        os.truncate(damaged, damaged.stat().st_size - 3)
        refused = subprocess.run([options.tracer, "export", "--format", "otf2", "-o", trace / "again", trace], capture_output=True, text=True, timeout=200)
        if refused.returncode == 0 or "is damaged" not in refused.stderr or (trace / "again").exists():
            fail(f"{name}: of a damaged archive: {refused.returncode} {refused.stderr}")
        return True


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tool", required=True)
    arguments.add_argument("--tracer", required=True)
    arguments.add_argument("--print", default="")
    arguments.add_argument("program")
    arguments.add_argument("arguments", nargs="*")
    options = arguments.parse_args()
    try:
        import otf2
    except ImportError:
        print("skipped: python3-otf2 is not installed")
        return 77
    done = [check(options, "perf", otf2, TRACER_SAMPLE_SOURCE="perf", TRACER_COUNTERS="task-clock"),
            check(options, "signals", otf2, TRACER_SAMPLE_SOURCE="signal")]
    return 0 if any(done) else 77


if __name__ == "__main__":
    sys.exit(main())
