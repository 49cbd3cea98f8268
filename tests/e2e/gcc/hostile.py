#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What libgomp survives, though few programs do it (hostile.cpp), ends and prints with the tool as without, and leaves a valid archive.
hostile.py --tracer tracer [WORD...]"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, print_faults, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
SANITIZED = os.environ.get("TRACER_TEST_LINK", "").split()
BINDINGS = [{"OMP_PROC_BIND": bind, "OMP_PLACES": places, "OMP_NUM_THREADS": "4"}
            for bind in ("close", "spread", "primary", "false") for places in ("threads", "cores", "{0}", "{0},{1}")]
# Word, settings of a run. Jumps, ends, children and handlers leave what was open for the archive to repair.
WORDS = ("jumps", "jump-from-region", "left", "coroutines", "exceptions", "uncaught", "ends", "forks", "team-forks", "many", "stacks", "signals", "handlers", "handlers-in-calls", "last-thread")
CASES = [(word, {"OMP_NUM_THREADS": "3"}) for word in WORDS]
CASES += [("bound", settings) for settings in BINDINGS]
NOT_SANITIZED = ("jumps", "jump-from-region", "left", "coroutines", "stacks", "many")  # sanitizers need stacks that are large and left in order
CASES += [(word, {"OMP_NUM_THREADS": "3", **settings}) for word in ("bound", "exceptions") for settings in (
    {"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "passive"}, {"GOMP_SPINCOUNT": "0"}, {"GOMP_SPINCOUNT": "1000000"}, {"OMP_THREAD_LIMIT": "2"},
    {"OMP_DYNAMIC": "true"}, {"OMP_MAX_ACTIVE_LEVELS": "1"}, {"OMP_STACKSIZE": "64k"}, {"GOMP_CPU_AFFINITY": "1 0"}, {"OMP_NUM_THREADS": "4,2"})]


def ended(done):
    """As a shell has it: a signal's number on 128."""
    return 128 - done.returncode if done.returncode < 0 else done.returncode


def wrong_facts(tracer, trace):
    """libgomp binds the first thread before the tool starts: the archive has the processors that the process had until then. And
    what that start took."""
    facts = json.loads(run([tracer, "info", "--json", str(trace)], clean()).stdout)["properties"]
    own, listed = os.sched_getaffinity(0), facts.get("TRACER::RUN::PROCESSORS")
    if facts["TRACER::RUN::PROCESSORS_USABLE"] != str(len(own)):
        yield f"{facts['TRACER::RUN::PROCESSORS_USABLE']} usable processors, not {len(own)}"
    ends = [part.split("-") for part in listed.split(",")] if listed else []
    if listed and {p for part in ends for p in range(int(part[0]), int(part[-1]) + 1)} != own:
        yield f"processors {listed}, not {own}"
    if int(facts.get("TRACER::COUNTER::TOOL_START_NS", 0)) == 0:
        yield "the tool's start took no time"


def faults(tracer, program, word, settings, directory):
    environment = clean(**settings)
    alone = run([program, word], environment)
    trace = pathlib.Path(directory, "trace")
    done = run([tracer, "run", "-o", str(trace), "--", program, word], environment)
    if (ended(done), done.stdout) != (ended(alone), alone.stdout):
        yield f"ends with {ended(done)} and {done.stdout!r}, alone with {ended(alone)} and {alone.stdout!r}: {done.stderr}"
    checked = run([tracer, "check", str(trace)], clean())
    if checked.returncode != 0:
        yield checked.stdout + checked.stderr
    if "repaired" in done.stderr and ended(alone) == 0 and word in ("exceptions", "many", "stacks", "bound"):
        yield done.stderr
    if word == "bound":
        yield from wrong_facts(tracer, trace)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    tracer, bad, runs = os.path.abspath(options.tracer), 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "hostile")
        subprocess.run(["g++", "-O2", "-g", "-fopenmp", HERE / "hostile.cpp", HERE / "hostile_jumps.cpp", "-o", program, *SANITIZED], check=True)
        for word, settings in CASES:
            if (options.words and word not in options.words) or (SANITIZED and word in NOT_SANITIZED):
                continue
            runs += 1
            with tempfile.TemporaryDirectory(dir=scratch) as directory:
                bad += print_faults(f"{word} {settings}", faults(tracer, program, word, settings, directory))
    print(f"{runs} runs, {bad} differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
