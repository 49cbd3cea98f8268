#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of every construct, sampled as often as can be: with its samples in it, no archive breaks a rule that it keeps
without, first of all that of unwind distances. Status 77 where nothing can be sampled."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from failing import fail


def broken_rules(tracer, trace):
    told = subprocess.run([tracer, "check", "--json", trace], capture_output=True, text=True, timeout=300)
    return {finding["rule"] for finding in json.loads(told.stdout)["rules"] if finding["outcome"] == "violated"}


def check(options, program, scratch):
    """How many samples became part of an archive; None: there were none."""
    trace, sampled = pathlib.Path(scratch, "trace"), pathlib.Path(scratch, "sampled")
    environment = {**os.environ, "OMP_TOOL_LIBRARIES": options.tool, "TRACER_OUTPUT": str(trace), "TRACER_SAMPLE": "20000", "OMP_NUM_THREADS": "4"}
    subprocess.run([program], env=environment, capture_output=True, timeout=200)  # some end as wrong programs do
    if not (trace / "samples.bin").exists():
        return None
    done = subprocess.run([options.tracer, "export", "--format", "otf2", "-o", sampled, trace], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        fail(f"{program.name}: {done.stderr}")
    broken = broken_rules(options.tracer, sampled) - broken_rules(options.tracer, trace)
    if broken:
        fail(f"{program.name}: with samples the archive breaks {sorted(broken)}")
    return int(done.stderr.split(" samples in ")[0].split()[-1].replace(",", ""))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tool", required=True)
    arguments.add_argument("--tracer", required=True)
    arguments.add_argument("programs", type=pathlib.Path, help="directory")
    options = arguments.parse_args()
    programs = sorted(file for file in options.programs.glob("golden_*") if file.suffix == "" and os.access(file, os.X_OK) and file.is_file())
    if len(programs) < 20:
        fail(f"{len(programs)} programs in {options.programs}: that is too little to say something")
    found = {}
    for program in programs:
        with tempfile.TemporaryDirectory() as scratch:
            found[program.name] = check(options, program, scratch)
    samples = {name: count for name, count in found.items() if count is not None}
    print(f"{len(samples)} of {len(programs)} programs had samples or pauses, {sum(samples.values())} samples: {samples}")
    if not samples:
        return 77
    if sum(samples.values()) < 100:
        fail("that is too little to say something")
    return 0


if __name__ == "__main__":
    sys.exit(main())
