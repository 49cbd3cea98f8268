#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of GCC on their own libgomp: output and status are as without the tool, archives are valid, and what they hold is what an
independent library counted between the tool and libgomp (oracle.c).

counted.py --tracer tracer [--threads 1,2,4] SOURCE...
counted.py --tracer tracer --lines VERIF --command 'bin/bt.S' --command 'bin/fib -n 20' ...

--command: a program that is built already, for benchmarks that are not in this repository; of what it prints only the lines that match
--lines are compared, since most print times.
--root: another system, with its own GCC and libgomp, where the programs are built and run by chroot (as root); --tracer is in it, too.
--gcc: what is behind the compilers' names there, as -14."""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import otf2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from account import archive_account_faults  # noqa: E402
from traced import clean, print_faults, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
SANITIZED = os.environ.get("TRACER_TEST_LINK", "").split()
COMPILERS = {".c": "gcc", ".cpp": "g++", ".f90": "gfortran"}


def counts_of(report):
    """The same as the oracle's, from the archive."""
    sums = {}
    for row in report["constructs"]:
        sums[row["construct"]] = sums.get(row["construct"], 0) + row["count"]
    events = report["callbacks"]

    def of(*names):
        return sum(sums.get(name, 0) for name in names)

    return {
        "regions": events.get("parallel_begin", 0) - of("teams"),
        "members": of("parallel"),
        "barriers": of("barrier"),
        "workshare_barriers": of("implicit barrier") - of("parallel"),
        "tasks": of("task", "task untied"),
        "dependences": events.get("dependences", 0),
        "criticals": of("critical sblock"),
        "atomics": of("atomic"),
        "ordered": of("ordered sblock"),
        "locks": sum(count for name, count in sums.items() if name.startswith(("omp_set_lock", "omp_test_lock"))),
        "loops": of("for"),
        "chunks": of("loop chunk"),
        "section": events.get("dispatch", 0) - of("loop chunk"),
        "sections": of("sections"),
        "singles": of("single"),
        "executors": of("single sblock"),
        "taskwaits": of("taskwait"),
        "taskgroups": of("taskgroup"),
    }


def expected_of(file):
    return {name: int(count) for name, count in (line.split() for line in file.read_text().splitlines())}


def loops_of(anchor):
    """Chunks, by what the ends of loops say: where they are not recorded one by one. The loops' schedules."""
    chunks, schedules = 0, set()
    with otf2.reader.open(str(anchor)) as trace:
        for _, event in trace.events:
            if type(event).__name__ == "ParameterUnsignedInt" and event.parameter.name == "chunks":
                chunks += event.value
            if type(event).__name__ == "ParameterString" and event.parameter.name == "schedule":
                schedules.add(str(event.string))
    return chunks, schedules


class System:
    """Where programs are built and run: this one, or that under --root."""

    def __init__(self, options):
        self.root, self.suffix = options.root, options.gcc
        self.tracer = self.outside(options.tracer)

    def outside(self, path):
        return self.root + str(path) if self.root else str(path)

    def inside(self, path):
        return str(path)[len(self.root):] if self.root else str(path)

    def command(self, *words):
        return ["chroot", self.root, *map(str, words)] if self.root else list(map(str, words))

    def compiler(self, language):
        for name in (language + self.suffix, language):
            if shutil.which(name, path=os.pathsep.join(map(self.outside, os.environ["PATH"].split(os.pathsep)))):
                return name
        return None


def build(system, source, directory):
    """The program, or None where there is no such compiler."""
    compiler = system.compiler(COMPILERS[source.suffix])
    if compiler is None:
        return None
    program = directory / source.stem
    shutil.copy(source, directory / source.name)
    subprocess.run(system.command(compiler, "-O2", "-g", "-fopenmp", "-w", system.inside(directory / source.name), "-o", system.inside(program), "-lm",
                                  *SANITIZED), check=True)
    return program


def faults(options, system, name, command, threads, directory, asks):
    """`asks`: the program asks libgomp for something, whatever else it does."""
    # Where it may cancel, tasks are handed to libgomp in another way.
    cancels = name.startswith("cancel") or threads > 8
    environment = clean(OMP_NUM_THREADS=str(threads), OMP_SCHEDULE="dynamic,3", OMP_CANCELLATION=str(cancels).lower())
    trace, counted = directory / f"{name}.{threads}", directory / f"{name}.{threads}.counts"
    alone = run(system.command(*command), environment)
    more = dict(environment, ORACLE_OUTPUT=system.inside(counted), TRACER_RECORD="+chunks")
    runs = system.command("env", f"LD_PRELOAD={system.inside(directory / 'oracle.so')}", options.tracer, "run", "-o", system.inside(trace), "--", *command)
    done = run(runs, more)
    heard = [(d.returncode, [line for line in d.stdout.splitlines() if re.search(options.lines, line)]) for d in (done, alone)]
    if heard[0] != heard[1]:
        yield f"ends with {heard[0]}, alone with {heard[1]}: {done.stderr}"
    if "without passing" in done.stderr:
        yield f"calls are said to be unseen: {done.stderr}"
    if "repaired" in done.stderr and not cancels:
        yield f"the records contradict each other: {done.stderr}"
    checked = run([system.tracer, "check", str(trace)], clean())
    if checked.returncode != 0:
        return (yield checked.stdout + checked.stderr)
    yield from archive_account_faults(system.tracer, trace / "traces.otf2")
    if not counted.exists():  # it has asked libgomp for nothing
        if asks:
            yield "nothing was counted"
        return
    found = counts_of(json.loads(run([system.tracer, "report", "--json", str(trace)], clean()).stdout))
    expected = expected_of(counted)
    for name, count in found.items():
        if count != expected[name]:
            yield f"{count} {name}, libgomp was asked for {expected[name]}"
    if expected["chunks"]:
        del more["TRACER_RECORD"]
        shutil.rmtree(trace)
        counted.unlink()
        run(runs, more)
        (found, schedules), asked = loops_of(trace / "traces.otf2"), expected_of(counted)["chunks"]
        if found != asked:
            yield f"{found} chunks by the sum that each loop has, libgomp was asked for {asked}"
        if "other" in schedules:  # that of schedule(runtime) is known
            yield f"schedules {schedules}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--threads", default="1,2,4")
    parser.add_argument("--command", action="append", default=[])
    parser.add_argument("--lines", default="", metavar="REGEX")
    parser.add_argument("--root", default="", metavar="DIR")
    parser.add_argument("--gcc", default="", metavar="SUFFIX")
    parser.add_argument("sources", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    bad = compared = 0
    without = []
    system = System(options)
    with tempfile.TemporaryDirectory(dir=system.outside("/tmp") if options.root else None) as scratch:
        directory = pathlib.Path(scratch)
        subprocess.run(["gcc", "-std=gnu11", "-O2", "-shared", "-fPIC", HERE / "oracle.c", "-o", directory / "oracle.so", "-ldl"], check=True)
        programs = [(pathlib.Path(words[0]).name + f".{n}", words, False) for n, words in enumerate(map(shlex.split, options.command))]
        for source in options.sources:
            program = build(system, source, directory)
            if program is None:
                without.append(f"{source.name}: no {COMPILERS[source.suffix]}")
            else:
                programs.append((source.stem, [system.inside(program)], True))
        for name, command, asks in programs:
            for threads in options.threads.split(","):
                compared += 1
                bad += print_faults(f"{name} with {threads} threads", faults(options, system, name, command, int(threads), directory, asks))
                shutil.rmtree(directory / f"{name}.{threads}", ignore_errors=True)
    for reason in without:
        print(f"{'not tested' if compared else 'skipped'}: {reason}")
    if compared == 0:
        return 77
    print(f"{compared} runs, {bad} differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
