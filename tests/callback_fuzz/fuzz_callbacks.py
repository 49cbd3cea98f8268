#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plays random callback sequences, most of them wrong, to the tool: it must not crash or leak, and what it writes must
be a valid archive.

fuzz_callbacks.py --player play_many [--seconds N] [--first SEED] [--seed N | --script FILE | --kept DIR] [--keep DIR]

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


# These two are about what the program did, not about how it is written: that all come to a barrier, that one executes a
# single. A runtime that says otherwise is written down as it says. A sequence that a runtime could produce breaks no rule.
THE_PROGRAMS = {"E21", "E22"}


def concerns(fault, legal):
    return legal or fault[:3] not in THE_PROGRAMS


class Player:
    """A process of play_many; a new one where it dies."""

    def __init__(self, program):
        self.program, self.process, self.directory = program, None, tempfile.TemporaryDirectory()
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER"))}
        self.env.update(TRACER_LOG="warning", TRACER_THREADS="2", TRACER_RING_SIZE="16K")

    def start(self):
        self.process = subprocess.Popen([self.program, self.directory.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.env)

    def play(self, text):
        """What is wrong with this script's run: a list of texts that begin with a rule's number, or with something else."""
        if self.process is None:
            self.start()
        data = text.encode()
        try:
            self.process.stdin.write(b"%d\n%s" % (len(data), data))
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
            result = json.loads(answer)
        except (BrokenPipeError, ValueError):
            return [f"the checker died: {self.end()}"]
        if "fault" in result:
            return [result["fault"]]
        return [f"{rule['rule']}: {json.dumps(rule)}" for rule in result["broken"]]

    def end(self):
        """Its exit status: leaks of the checker show there."""
        if self.process is None:
            return 0
        self.process.stdin.close()
        status = self.process.wait()
        self.process = None
        return status


def play_kept(player, directory):
    """Sequences that broke a rule once, each with what it was in its first line. None may again. Returns how many do; true where there is none."""
    failures = 0
    scripts = sorted(directory.glob("*.txt"))
    for script in scripts:
        text = script.read_text(encoding="utf-8")
        faults = [fault for fault in player.play(text) if concerns(fault, legal=False)]
        if faults:
            failures += 1
            print(f"--- {script.name}:", *faults, sep="\n", flush=True)
    if status := player.end():
        failures += 1
        print(f"the checker's exit status: {status}")
    print(f"{len(scripts)} kept sequences, {failures} failures")
    return failures or not scripts


def run_seed(player, seed):
    text, legal = make_script(seed)
    return text, [fault for fault in player.play(text) if concerns(fault, legal)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--player", required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--first", type=int, default=1, help="seed to begin with")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--script", help="play this one instead")
    parser.add_argument("--kept", type=pathlib.Path, help="play the scripts in this directory instead; each must break no rule")
    parser.add_argument("--keep", help="directory for the scripts that failed")
    parser.add_argument("--most", type=int, default=5, help="failures after which to stop")
    options = parser.parse_args()
    player = Player(options.player)
    if options.kept:
        return 1 if play_kept(player, options.kept) else 0
    if options.seed is not None or options.script:
        text = pathlib.Path(options.script).read_text(encoding="utf-8") if options.script else make_script(options.seed)[0]
        faults = player.play(text)
        print("\n".join(faults) or "no fault")
        return 1 if faults or player.end() else 0
    end = time.monotonic() + options.seconds * float(os.environ.get("TRACER_STRESS", "1"))
    seed, failures = int(os.environ.get("TRACER_TEST_SEED", options.first)), 0
    first = seed
    while time.monotonic() < end and failures < options.most:
        text, faults = run_seed(player, seed)
        if faults:
            failures += 1
            print(f"--- seed {seed}:", *faults, sep="\n", flush=True)
            if options.keep:
                pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                pathlib.Path(options.keep, f"{seed}.txt").write_text(text, encoding="utf-8")
        seed += 1
    if status := player.end():
        failures += 1
        print(f"the checker's exit status: {status}")
    print(f"{seed - first} sequences, seeds {first} to {seed - 1}, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
