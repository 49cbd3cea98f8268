#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""However a program ends: its output and exit status are those without the tool, and there is a sound archive of every
process that used OpenMP, by itself or by `tracer recover`.

endings.py --tool libtracer.so --tracer tracer [--runtime DIR] PROGRAM [ENDING...]"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, forget_the_killed, judge, recover, run, runtime_failed  # noqa: E402

# Archives that a run leaves: processes that used OpenMP, one image of a process after the other.
ARCHIVES = {"exec": 2, "fork": 2, "fork_exec": 2, "fork_then_child_is_killed": 2, "fork_of_a_fork": 3, "fork_twice": 3,
            "daemon": 2, "spawn": 2, "exec_in_thread": 2, "exec_while_others_are_in_regions": 2, "daemon_function": 2}
# Endings after which the tool has its say, so that nothing is left to recover.
FINALISED = {"return", "exit", "exit_in_region", "fork", "fork_without_openmp", "fork_exec_true", "fork_of_a_fork", "fork_twice", "pause_hard",
             "pause_soft", "segv_handled", "close_all", "threads", "chdir", "thread_is_cancelled", "exit_in_handler_of_flushes",
             "vfork", "vfork_exec", "spawn", "system", "fork_in_region", "fork_while_others_are_in_regions", "exit_while_others_are_in_regions"}
# Whether the program goes on behind the end of its runtime.
RUNTIME_ENDS = {"pause_hard": True, "return": False, "exit": False, "exit_in_region": False}
# libomp (14 to 19) frees what threads in regions use while the process ends: 1 run in 10 fails an assertion of the runtime
# or crashes, with no tool as well; with a sanitizer, whose tool is slow, most do. One run of several must be as it should, unless
# the program by itself dies as often; with a sanitizer only the archive is judged then.
RUNTIME_FAILS = {"exit_while_others_are_in_regions", "fork_while_others_are_in_regions"}

# Not in a program that has ThreadSanitizer's runtime: it ends a forked child that starts a thread.
THREADS_IN_CHILDREN = {"fork", "fork_then_child_is_killed", "fork_of_a_fork", "fork_twice", "daemon", "daemon_function"}


def environment_of(options, **more):
    runtime = {"LD_LIBRARY_PATH": options.runtime} if options.runtime else {}
    return clean(OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", **runtime, **more)


def said_by_others(text):
    """stderr without the tool's lines, and without the runtime's process and thread numbers."""
    return [line for line in text.splitlines() if not line.startswith("tracer: ")]


def leftovers_of(options, directory):
    listing = subprocess.run([options.tracer, "recover", "--list"], capture_output=True, text=True).stdout
    return [line for line in listing.splitlines() if directory in line]


def check(options, ending, directory):
    command = [options.program, ending]
    without = run(command, environment_of(options), timeout=30, cwd=directory)
    output = pathlib.Path(directory, "trace")
    traced = run(command, environment_of(options, OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(output)), timeout=30, cwd=directory)
    died = ending in RUNTIME_FAILS and traced.returncode < 0 and os.environ.get("TRACER_TEST_SANITIZE")
    if not died and (without.returncode, without.stdout) != (traced.returncode, traced.stdout):
        yield (f"ends with {traced.returncode} and says {traced.stdout!r}, without the tool {without.returncode} and "
               f"{without.stdout!r}; {traced.stderr}")
    if not died and said_by_others(traced.stderr) != said_by_others(without.stderr):
        yield f"stderr differs: {traced.stderr}"
    if "tracer: error" in traced.stderr:
        yield traced.stderr
    archives = sorted(p for p in pathlib.Path(directory).iterdir() if re.fullmatch(r"trace(\.\d+)?", p.name))
    expected = ARCHIVES.get(ending, 1)
    if len(archives) != expected:
        yield f"{len(archives)} archives instead of {expected}: {[p.name for p in archives]}"
    to_recover = [a for a in archives if (a / "raw").exists()]
    if ending in FINALISED and to_recover and not died:
        yield f"not converted: {[a.name for a in to_recover]}; {traced.stderr}"
    for archive in to_recover:
        yield from recover(options, archive)
    for archive in archives:
        faults, contents = judge(archive / "traces.otf2", options.tracer)
        yield from (f"{archive.name}: {fault}" for fault in faults)
        if contents and contents.enters["parallel"] == 0:
            yield f"{archive.name}: no parallel region in it"
        if ending in RUNTIME_ENDS:
            facts = json.loads(run([options.tracer, "info", "--json", str(archive)], clean()).stdout)["properties"]
            if ("TRACER::RUN::RUNTIME_ENDED" in facts) != RUNTIME_ENDS[ending]:
                yield f"{archive.name}: whether the runtime ended before the program: {facts}"
    left = leftovers_of(options, directory)
    if left:
        yield f"left behind: {left}"


def dies_by_itself(options, ending):
    """Whether runs without the tool are ended by a signal, or say that the runtime's own assertion failed (on a quiet machine
    29 of 40; 34 with a tool that does nothing, 36 with this one)."""
    with tempfile.TemporaryDirectory() as directory:
        ends = [run([options.program, ending], environment_of(options), timeout=30, cwd=directory) for _ in range(20)]
    return any(end.returncode < 0 or runtime_failed(end.stderr) for end in ends)


def unpacked(version, directory):
    """The directory of Debian's libomp.so.5 of that version, "" when it cannot be had."""
    script = pathlib.Path(__file__).parents[3] / "cmake" / "scripts" / "runtimes.sh"
    listing = subprocess.run([script, directory, version], capture_output=True, text=True).stdout.split()
    return listing[1] if len(listing) > 1 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--runtime", help="directory of the libomp.so.5 to run with")
    parser.add_argument("--version", help="run with this version of Debian's libomp, unpacked below --runtimes")
    parser.add_argument("--runtimes")
    parser.add_argument("program")
    parser.add_argument("endings", nargs="*")
    options = parser.parse_args()
    if options.version:
        options.runtime = unpacked(options.version, options.runtimes)
        if not options.runtime:
            print(f"skipped: libomp {options.version} cannot be had (no network, or no Debian)")
            return 77
    endings = options.endings or subprocess.run([options.program], capture_output=True, text=True,
                                                env=environment_of(options)).stdout.split()
    failures = 0
    for ending in endings:
        if ending in THREADS_IN_CHILDREN and "thread" in os.environ.get("TRACER_TEST_SANITIZE", ""):
            print(f"not tested: {ending}: ThreadSanitizer ends a forked child that starts a thread")
            continue
        for _ in range(6 if ending in RUNTIME_FAILS else 1):
            with tempfile.TemporaryDirectory() as directory:
                faults = list(check(options, ending, directory))
            if not faults:
                break
        if faults and ending in RUNTIME_FAILS and dies_by_itself(options, ending):
            print(f"not tested: {ending}: the runtime lets the program die in this, with no tool as well")
            continue
        print("\n".join(f"{ending}: {fault}" for fault in faults) or f"{ending}: as without the tool, and the archive is sound")
        failures += bool(faults)
    forget_the_killed()
    return 1 if failures or not endings else 0


if __name__ == "__main__":
    sys.exit(main())
