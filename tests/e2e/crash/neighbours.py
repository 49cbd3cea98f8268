#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands that meet in one run's files: a run that goes on is never taken for a dead one, wherever its files are and whoever
asks; and of two commands that make the archive of one run at once, both find it made.

neighbours.py --tool libtracer.so --tracer tracer PROGRAM live|two|listed"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, forget_the_killed, judge, traced  # noqa: E402

ROUNDS = 400
ISOLATED = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]


def start(options, output, prefix=(), **more):
    """A traced run that has recorded something and waits."""
    process = subprocess.Popen([*prefix, options.program, str(ROUNDS)], env=traced(options, output, OMP_NUM_THREADS="2", **more),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if process.stdout.readline() != "ready\n":
        raise RuntimeError(f"does not start: {process.communicate()}")
    return process


def tracer(options, *words, prefix=(), **more):
    return subprocess.run([*prefix, options.tracer, *map(str, words)], env=clean(**more), capture_output=True, text=True, timeout=120)


def criticals(contents):
    return contents.enters["critical"] if contents else 0


def ways(directory):
    """(what is so, prefix of the run, prefix of the command, where the run writes, by which name the command knows it, spool)."""
    here = pathlib.Path(directory)
    real, link, spool = here / "real", here / "link", here / "spool"
    for made in (real, spool, here / "new\nline"):
        made.mkdir()
    link.symlink_to(real)
    (here / "spool_link").symlink_to(spool)
    nothing = []
    yield "the rings are behind a link", nothing, nothing, real / "a", real / "a", here / "spool_link"
    yield "the rings' place is named by ..", nothing, nothing, real / "b", real / "b", spool / ".." / "spool"
    yield "the trace is behind a link", nothing, nothing, link / "c", real / "c", spool
    yield "the command comes through a link", nothing, nothing, real / "d", link / "d", spool
    yield "a line feed in the names", nothing, nothing, here / "new\nline" / "e\nf", here / "new\nline" / "e\nf", here / "new\nline"
    yield "the trace was moved", nothing, nothing, real / "moves", real / "moved", spool
    if os.geteuid() == 0 and subprocess.run([*ISOLATED, "true"], capture_output=True).returncode == 0:
        yield "the run has process numbers of its own", ISOLATED, nothing, real / "g", real / "g", spool
        yield "the command has process numbers of its own", nothing, [*ISOLATED, "--mount-proc"], real / "h", real / "h", spool
        yield "the command has no /proc", nothing, ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc; exec "$@"', "sh"], real / "j", real / "j", spool
        yield "there is no /proc", nothing, ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc; exec "$@"', "sh"], real / "i", real / "i", spool
    else:
        print("not tested: runs and commands in namespaces of their own (not root, or none here)")


def check_live(options, name, of_run, of_command, output, known_as, spool):
    process = start(options, output, of_run, TRACER_SPOOL=str(spool))
    if output.name == "moves":
        output.rename(known_as)
    asked = {"prefix": of_command, "TRACER_SPOOL": str(spool)}
    rings = sorted(spool.glob("tracer-*"))
    if not rings:
        yield f"{name}: no rings in {spool}"
    done = tracer(options, "recover", known_as, **asked)
    if done.returncode != 1 or "still" not in done.stderr:
        yield f"{name}: recover: status {done.returncode}: {done.stderr}"
    done = tracer(options, "convert", known_as, **asked)
    if done.returncode != 1 or "still" not in done.stderr:
        yield f"{name}: convert: status {done.returncode}: {done.stderr}"
    for place in rings:
        removed = tracer(options, "recover", "--remove", place, **asked)
        if "removed" in removed.stdout or removed.returncode != 1 or "in use by process" not in removed.stderr:
            yield f"{name}: recover --remove: status {removed.returncode}: {removed.stdout} {removed.stderr}"
    seen = tracer(options, "top", "--times", "1", "--interval", "0.05", **asked)
    if output.name != "moves" and (seen.returncode != 0 or "ended" in seen.stderr):
        yield f"{name}: top: status {seen.returncode}: {seen.stderr}"
    listed = tracer(options, "recover", "--list", **asked)
    if rings and (not (spool / rings[0].name / "rings").exists() or "in use" not in listed.stdout):
        yield f"{name}: listed as {listed.stdout}"
    out, errors = process.communicate("go on\n", timeout=60)
    if process.returncode != 0 or out != f"sum {4 * ROUNDS}\n":
        yield f"{name}: ends with {process.returncode}: {out} {errors}"
    if output.name == "moves":  # where it was nothing can be made; what was recorded is with the directory
        return
    faults, contents = judge(known_as / "traces.otf2", options.tracer)
    yield from (f"{name}: {fault}" for fault in faults)
    if criticals(contents) != 4 * ROUNDS:
        yield f"{name}: {criticals(contents)} of {4 * ROUNDS} critical sections; {errors}"


def check_part(options, directory):
    """A part of a job that is still recorded: commands on the job name what makes one archive of all later."""
    job = pathlib.Path(directory, "-a job")
    (job / "parts").mkdir(parents=True)
    done, lives = start(options, job / "parts" / "1"), start(options, job / "parts" / "2")
    done.communicate("go on\n", timeout=60)
    command = f"tracer merge '{job}'"
    merged = tracer(options, "merge", job)
    if merged.returncode != 1 or f"is still being recorded; after that process has ended: {command}" not in merged.stderr:
        yield f"merge: status {merged.returncode}: {merged.stderr}"
    found = tracer(options, "recover", job)
    if found.returncode != 0 or f"1 more process of this job left a trace beside it; one archive of all: {command}" not in found.stderr:
        yield f"recover: status {found.returncode}: {found.stderr}"
    lives.communicate("go on\n", timeout=60)
    merged = tracer(options, "merge", job)
    faults, contents = judge(job / "traces.otf2", options.tracer)
    yield from faults
    if merged.returncode != 0 or criticals(contents) != 8 * ROUNDS:
        yield f"merge of all: status {merged.returncode}, {criticals(contents)} critical sections: {merged.stderr}"


def live(options, directory):
    yield from check_part(options, directory)
    count = 0
    for way in ways(directory):
        count += 1
        yield from check_live(options, *way)
    print(f"{count} ways")


def listed(options, directory):
    """What `recover --list` names can be typed as it is, and none of it takes another run's rings: a blank in the name, a directory that
    was moved."""
    here = pathlib.Path(directory)
    spool, moved = here / "spool", here / "moved"
    spool.mkdir()
    for name in ("a b", "moves"):
        process = start(options, here / name, TRACER_SPOOL=str(spool))
        process.kill()
        process.communicate()
    (here / "moves").rename(moved)
    advice = {line.split("  ")[2] for line in tracer(options, "recover", "--list", TRACER_SPOOL=str(spool)).stdout.splitlines()
              if line.startswith(f"{spool}/")}
    removal = [line for line in advice if f"if it was moved: tracer recover there): tracer recover --remove {spool}/tracer-" in line]
    one = tracer(options, "recover", "--list", here / "a b", TRACER_SPOOL=str(spool)).stdout.splitlines()
    if len(one) != 1 or "a b" not in one[0]:
        yield f"one of both is listed as {one}"
    if len(advice) != 2 or f"tracer recover '{here / 'a b'}'" not in advice or len(removal) != 1:
        yield f"listed as {advice}"
    for trace in (here / "a b", moved):
        done = tracer(options, "recover", trace, TRACER_SPOOL=str(spool))
        faults, contents = judge(trace / "traces.otf2", options.tracer)
        yield from (f"{trace.name}: {fault}" for fault in faults)
        if criticals(contents) != 2 * ROUNDS:
            yield f"{trace.name}: {criticals(contents)} of {2 * ROUNDS} critical sections: {done.stderr}"


def two(options, directory):
    rounds = 4 * int(os.environ.get("TRACER_STRESS", "1"))
    faults = 0
    for n in range(rounds):
        output = pathlib.Path(directory, str(n))
        process = start(options, output)
        process.kill()
        process.communicate()
        commands = [subprocess.Popen([options.tracer, "recover", str(output)], env=clean(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    for _ in range(2)]
        ends = [(command.communicate(timeout=60), command.returncode) for command in commands]
        for (_, errors), status in ends:
            if status != 0 or not re.search("recovered|complete already", errors):
                faults += 1
                yield f"round {n}: recover ends with {status}: {errors}"
        wrong, contents = judge(output / "traces.otf2", options.tracer if n == 0 else None)
        yield from (f"round {n}: {fault}" for fault in wrong)
        if criticals(contents) != 2 * ROUNDS:
            yield f"round {n}: {criticals(contents)} of {2 * ROUNDS} critical sections"
        if (output / "raw").exists():
            yield f"round {n}: the raw trace is still there"
        again = tracer(options, "recover", output)
        if again.returncode != 0 or "complete already" not in again.stderr:
            yield f"round {n}: a third time: {again.returncode} {again.stderr}"
    forget_the_killed()
    print(f"{rounds} rounds")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program")
    parser.add_argument("what", choices=("live", "two", "listed"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        faults = list({"live": live, "two": two, "listed": listed}[options.what](options, directory))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
