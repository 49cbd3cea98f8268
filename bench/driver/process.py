# SPDX-License-Identifier: BSD-3-Clause
"""Runs one process and says what it used."""
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field


@dataclass
class Outcome:
    output: str
    errors: str
    status: int
    wall: float  # seconds
    cpu: float  # seconds, user and system, all threads
    rss: float  # peak, MiB
    faults: float  # pages used for the first time
    trace_bytes: int = 0
    values: dict = field(default_factory=dict)  # what the program printed as "name number"


def pinned(threads):
    """Threads bound to cores, one each; active waiting, as performance runs have it, when cores suffice."""
    cores = len(os.sched_getaffinity(0))
    policy = "active" if threads <= cores else "passive"
    bound = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"} if threads <= cores else {}
    return {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": policy, "OMP_DYNAMIC": "false", **bound}


def size_of(directory):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(directory) for f in files)


def values_of(text):
    values = {}
    for line in text.splitlines():
        words = line.split()
        try:
            values[words[0]] = float(words[1])
        except (IndexError, ValueError):
            pass
    return values


def execute(spawn, command, tool, threads, record_only=False, extra=None, keep=None, scratch=None):
    """Runs `command` under `tool`; its trace is removed, after `keep(directory, outcome)` saw it.

    `spawn` is the program that measures it (programs/spawn.c)."""
    directory = tempfile.mkdtemp(prefix="bench-", dir=scratch)
    try:
        environment = tool.variables(directory, record_only)
        environment.update(pinned(threads))
        environment.update(extra or {})
        usage_file = os.path.join(directory, "usage")
        done = subprocess.run([spawn, usage_file, *command], env=environment, cwd=directory, capture_output=True)
        with open(usage_file) as f:
            usage = values_of(f.read())
        os.remove(usage_file)
        output, errors = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        outcome = Outcome(output, errors, done.returncode, usage.get("wall", 0), usage.get("cpu", 0),
                          usage.get("peak_kib", 0) / 1024, usage.get("faults", 0), size_of(directory), values_of(output))
        if outcome.status != 0:
            print(f"{' '.join(command)} with {tool.name} ended with {outcome.status}: {errors.strip()[-500:]}", file=sys.stderr)
        elif keep:
            keep(directory, outcome)
        return outcome
    finally:
        shutil.rmtree(directory, ignore_errors=True)
