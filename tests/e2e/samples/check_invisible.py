#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that close descriptors and leave handlers by jumps, under every source of samples, with perf and where it is
denied: output and status are those without the tool. Where nobody asked for signals there are none; the report says why."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from failing import fail
from samples_file import SamplesFile


class Check:
    def __init__(self, options):
        self.options = options

    def run(self, name, command, expected, source, refuse, tries=3):
        with tempfile.TemporaryDirectory() as scratch:
            trace = pathlib.Path(scratch, "trace")
            environment = {**os.environ, "OMP_TOOL_LIBRARIES": self.options.tool, "TRACER_OUTPUT": str(trace), "TRACER_SAMPLE": "1000",
                           "TRACER_SAMPLE_SOURCE": source, "OMP_WAIT_POLICY": "passive", "OMP_DYNAMIC": "false"}
            before = [self.options.refuse, "1"] if refuse else []
            try:
                ran = subprocess.run([*before, *command], env=environment, capture_output=True, text=True, timeout=100)
            except subprocess.TimeoutExpired:
                fail(f"{name}: does not end")
            if ran.returncode == 77:
                print(f"not tested: {name}: {ran.stderr.strip()}")
                return None
            if ran.returncode == 5 and "MANY" in ran.stdout and tries > 0:
                return self.run(name, command, expected, source, refuse, tries - 1)
            if ran.returncode == 5 and "MANY" in ran.stdout and self.plain(command) != expected:
                print(f"not tested: {name}: signals come to others without the tool too: the machine is busy")
                return None
            if ran.returncode != 5 or ran.stdout != expected:
                fail(f"{name}: ended with {ran.returncode}, {ran.stdout!r} instead of {expected!r}: {ran.stderr}")
            checked = subprocess.run([self.options.tracer, "check", trace], capture_output=True, text=True)
            if checked.returncode != 0:
                fail(f"{name}: tracer check: {checked.stdout}{checked.stderr}")
            samples = SamplesFile(trace / "samples.bin").samples if (trace / "samples.bin").exists() else []
            report = subprocess.run([self.options.tracer, "report", trace], capture_output=True, text=True).stdout
            told = json.loads(subprocess.run([self.options.tracer, "report", "--json", trace], capture_output=True, text=True).stdout)
            why = next((note["text"] for note in told["verdict"]["notes"] if note["id"] == "not-sampled"), "")
            print(f"{name}: {len(samples)} samples; {why or 'nothing is missing'}")
            if bool(samples) == bool(why) or bool(why) != ("no samples" in report):
                fail(f"{name}: {len(samples)} samples, and the report says {why!r}")
            return len(samples), why

    def plain(self, command):
        ran = subprocess.run(command, capture_output=True, text=True, timeout=100)
        if ran.returncode != 5:
            fail(f"{command}: {ran.returncode} {ran.stdout!r} without the tool")
        return ran.stdout

    def every_source(self, program, arguments, expected, tries=3):
        command = [program, *arguments]
        name = " ".join([pathlib.Path(program).name, *arguments])
        said = [self.plain(command)]
        while said[-1] != expected and len(said) < tries:
            said.append(self.plain(command))
        if said[-1] != expected:
            if tries == 1:
                fail(f"{name}: {said[-1]!r} instead of {expected!r} without the tool")
            print(f"not tested: {name}: {said[-1]!r} without the tool too: the machine is busy")
            return
        for source in ("auto", "signal"):
            for refuse in (False, True):
                result = self.run(f"{name}, {source}{', perf denied' if refuse else ''}", command, expected, source, refuse)
                if result and source == "signal" and result[0] == 0:
                    fail(f"{name}: no samples by signals")
                if result and source == "auto" and refuse and (result[0] != 0 or "TRACER_SAMPLE_SOURCE=signal" not in result[1]):
                    fail(f"{name}: {result[0]} samples where nobody asked for signals; said is {result[1]!r}")


def main():
    arguments = argparse.ArgumentParser()
    for name in ("--tool", "--tracer", "--refuse", "--closes", "--jumps"):
        arguments.add_argument(name, required=True)
    check = Check(arguments.parse_args())
    check.every_source(check.options.closes, [], "open 0, mine ok\n", tries=1)
    # Where processors are short, a thread's signals wait with it, and Linux gives the process's to others without the tool too.
    for how in ("jump", "plain", "deep"):
        check.every_source(check.options.jumps, [how], "jumps 200, elsewhere few, mask ok\n")
    check.every_source(check.options.jumps, ["count"], "jumps 0, elsewhere few, mask ok\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
