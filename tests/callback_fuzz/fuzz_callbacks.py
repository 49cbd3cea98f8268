#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plays random callback sequences, most of them wrong, to the tool: it must not crash or leak, and what it writes must
be a valid archive.

fuzz_callbacks.py --runtime fake_runtime --tracer tracer [--seconds N] [--seed N | --script FILE] [--keep DIR]

TRACER_STRESS=n multiplies the seconds. A failure prints the seed; --seed repeats it alone."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from scripts import make_script


# What an archive holds whatever the runtime said. The other rules are about what a program does (that all come to a
# barrier, that a task that was created runs, that a region ends before its team): a runtime that says otherwise is
# written down as it says. A sequence that a runtime could produce must break no rule at all.
ALWAYS = {f"D{n:02}" for n in range(1, 19) if n not in (15, 17)} | {"E01", "E12", "E13", "E15", "E16", "E17", "E18"}


def play(options, script, directory, legal=True):
    """What is wrong with this run, or None."""
    output = pathlib.Path(directory, "trace")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER"))}
    env.update(TRACER_OUTPUT=str(output), TRACER_LOG="warning", TRACER_THREADS="2", TRACER_RING_SIZE="16K")
    try:
        done = subprocess.run([options.runtime, script], env=env, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "the process does not end"
    if done.returncode != 0:
        return f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    anchor = output / "traces.otf2"
    if not anchor.exists():
        if (output / "raw").exists():  # the script ended the process: no hook was left
            done = subprocess.run([options.tracer, "recover", output], env=env, capture_output=True, text=True, timeout=120)
            if anchor.exists():
                return check(options, anchor, env, legal)
            return f"tracer recover: {done.stdout}{done.stderr}"
        return f"no archive: {done.stderr}"
    return check(options, anchor, env, legal)


def check(options, anchor, env, legal):
    try:
        done = subprocess.run([options.tracer, "check", "--json", anchor], env=env, capture_output=True, text=True, timeout=120)
        rules = json.loads(done.stdout)["rules"]
    except subprocess.TimeoutExpired:
        return "tracer check does not end"
    except (ValueError, KeyError):
        return f"tracer check: {done.stdout[:1000]}{done.stderr}"
    # A pause leaves out acquisitions, submits and teams: what counts those (E11, E14, E19, E24) does not apply, nor
    # D15, when the only event that names a string is gone.
    paused = any(rule["rule"] == "E18" and rule["outcome"] != "not applicable" for rule in rules)
    broken = [rule for rule in rules if rule.get("count") and ((legal and not paused) or rule["rule"] in ALWAYS)]
    return "\n".join(f"{rule['rule']}: {json.dumps(rule)[:400]}" for rule in broken) or None


def run_seed(options, seed):
    with tempfile.TemporaryDirectory() as directory:
        script, legal = options.script, False
        if script is None:
            text, legal = make_script(seed)
            script = os.path.join(directory, "script.txt")
            pathlib.Path(script).write_text(text, encoding="utf-8")
        fault = play(options, script, directory, legal)
        if fault and options.keep and options.script is None:
            pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
            pathlib.Path(options.keep, f"{seed}.txt").write_text(text, encoding="utf-8")
        return fault


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--script", help="play this one instead")
    parser.add_argument("--keep", help="directory for the scripts that failed")
    parser.add_argument("--most", type=int, default=5, help="failures after which to stop")
    options = parser.parse_args()
    if options.seed is not None or options.script:
        fault = run_seed(options, options.seed)
        print(fault or "no fault")
        return 1 if fault else 0
    end = time.monotonic() + options.seconds * float(os.environ.get("TRACER_STRESS", "1"))
    seed, failures = int(os.environ.get("TRACER_TEST_SEED", "1")), 0
    while time.monotonic() < end and failures < options.most:
        fault = run_seed(options, seed)
        if fault:
            failures += 1
            print(f"--- seed {seed}: {fault}")
        seed += 1
    print(f"{seed - 1} sequences, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
