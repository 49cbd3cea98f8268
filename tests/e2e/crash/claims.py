#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An archive never claims what it has not, and is made also when what the run named is gone: threads without rings, rings that
die with the process, a filter that is another file by then, a journal with damage in it.

claims.py --tool libtracer.so --tracer tracer PROGRAM filter|private|memory|journal|rings|speaks"""
import argparse
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, forget_the_killed, judge, traced  # noqa: E402

ROUNDS = 200


def start(options, output, **more):
    process = subprocess.Popen([options.program, str(ROUNDS)], env=traced(options, output, **{"OMP_NUM_THREADS": "2", **more}),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if process.stdout.readline() != "ready\n":
        raise RuntimeError(f"does not start: {process.communicate()}")
    return process


def finish(process):
    out, errors = process.communicate("go on\n", timeout=60)
    return errors if process.returncode == 0 else f"ends with {process.returncode}: {out} {errors}"


def tracer(options, *words):
    return subprocess.run([options.tracer, *map(str, words)], env=clean(), capture_output=True, text=True, timeout=120)


def properties(options, archive):
    return json.loads(tracer(options, "info", "--json", archive).stdout)["properties"]


def check_claims(options, archive, threads):
    """At least so many threads are not, or not all, in the archive."""
    said = properties(options, archive)
    if int(said["TRACER::EVENTS_LOST"]) < threads:
        yield f"EVENTS_LOST is {said['TRACER::EVENTS_LOST']}"
    for name in ("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE", "OTF2::THREAD_LOCK_EVENT_COMPLETE"):
        if said[name] != "false":
            yield f"{name} is {said[name]}"
    yield from judge(archive / "traces.otf2", options.tracer)[0]


def memory(options, directory):
    output = directory / "trace"
    errors = finish(start(options, output, TRACER_MEMORY="64K", OMP_NUM_THREADS="12"))
    if errors.count("a thread is not recorded") != 1:
        yield f"says {errors}"
    yield from check_claims(options, output, 5)


def private(options, directory):
    spool, output = directory / "spool", directory / "trace"
    spool.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k,mode=0700", "none", str(spool)], capture_output=True).returncode != 0:
        print("skipped: no file system can be mounted here")
        sys.exit(77)
    try:
        process = start(options, output, TRACER_SPOOL=str(spool), TRACER_RING_SIZE="16K")  # some of it comes to the disk
        process.kill()
        errors = process.communicate()[1]
        if errors.count("own memory, and a crash would lose") != 1:
            yield f"the run says {errors}"
        done = tracer(options, "recover", output)
        if done.returncode != 0 or "what they held when it ended is lost" not in done.stderr:
            yield f"recover: {done.returncode} {done.stderr}"
        yield from check_claims(options, output, 2)
    finally:
        subprocess.run(["umount", "-l", str(spool)], check=False)


def left_by(directory):
    """The rings in shared memory of runs whose archive is below the directory: other tests have theirs, which come and go."""
    found = set()
    for place in pathlib.Path("/dev/shm").glob("tracer-*/owner"):
        try:
            if str(directory) in place.read_text(errors="replace"):
                found.add(place.parent.name)
        except (FileNotFoundError, PermissionError):
            continue
    return found


def size_of_rings(directory):
    return sum(pathlib.Path("/dev/shm", name, "rings").stat().st_blocks * 512 for name in left_by(directory))


def need_shared_memory(own=0):
    """Skips the test where others leave too little: rings take a quarter of what is free. `own`: the bytes that this test has."""
    shared = os.statvfs("/dev/shm")
    free = shared.f_bavail * shared.f_frsize + own >> 20
    if free < 80:
        print(f"skipped: /dev/shm has {free} MiB left, and 80 are needed (docker run --shm-size=1g)")
        sys.exit(77)


def rings(options, directory):
    """What killed runs have left in shared memory counts as this container's: `tracer run` says so of others', and leaves none."""
    need_shared_memory()
    killed = subprocess.Popen([options.program, "100000000", "apart"], env=traced(options, directory / "killed", OMP_NUM_THREADS="160", OMP_WAIT_POLICY="passive"))  # 128 KiB each are in use at least
    deadline = time.monotonic() + 180
    try:
        while (size := size_of_rings(directory)) < 17 << 20:
            if time.monotonic() > deadline or killed.poll() is not None:
                need_shared_memory(own=size)
                yield f"the program's rings stay small: {killed.poll()}"
                return
            time.sleep(0.05)
    finally:
        killed.kill()
        killed.wait()
    left = left_by(directory)
    # One that is killed as well, and one whose raw trace is gone when it has been killed.
    for name, after in (("own", ""), ("gone", "rm -r gone/raw; ")):
        command = (f"sleep 9 | {options.program} {ROUNDS} >{name}.out & until grep -q ready {name}.out; do sleep 0.1; done; kill -9 $!; wait $!; "
                   f"{after}cat /dev/shm/tracer-*/owner | tr '\\0' '\\n' | grep -c '{directory}'")
        done = subprocess.run([options.tracer, "run", "-o", name, "--", "sh", "-c", command], cwd=directory, capture_output=True, text=True,
                              timeout=120, env=clean(TRACER_LIBRARY=options.tool, OMP_NUM_THREADS="2"))
        if left_by(directory) != left or done.stdout.split()[-1:] != ["2"]:
            yield f"{name}: of {done.stdout} rings {left_by(directory) - left} are left: {done.stderr}"
        says = re.search(r"the rings of \d+ other runs that were killed hold \d.* of memory: tracer recover --list", done.stderr)
        # The first run of the machine says it, which may be one of a test beside this, and no other after it.
        is_said = bool(says) or name == "own" and all(pathlib.Path("/dev/shm", rings, "said").exists() for rings in left)
        if is_said != (name == "own"):
            yield f"{name}: of the other's {'something' if says else 'nothing'} is said: {done.stderr}"
    done = tracer(options, "recover", directory / "killed")
    if done.returncode != 0 or left_by(directory):
        yield f"recover: {done.returncode} {done.stderr}"


def has_criticals(archive, options):
    faults, contents = judge(archive / "traces.otf2", options.tracer)
    return faults, contents.enters["critical"] if contents else -1


def filter_(options, directory):
    rules = directory / "rules"
    left_out = "SCOREP_REGION_NAMES_BEGIN\nEXCLUDE critical\nSCOREP_REGION_NAMES_END\n"
    cases = {"gone": lambda: rules.unlink(), "another": lambda: rules.write_text(left_out.replace("critical", "barrier")),
             "not to be read": lambda: (rules.unlink(), rules.mkdir()), "wrong from the start": lambda: None}
    for name, change in cases.items():
        if rules.is_dir():
            rules.rmdir()
        rules.write_text("nonsense\n" if name.startswith("wrong") else left_out)
        output = directory / name.replace(" ", "_")
        process = start(options, output, TRACER_FILTER=str(rules), TRACER_CONVERT="later")
        finish(process)
        change()
        done = tracer(options, "convert", output)
        faults, criticals = has_criticals(output, options)
        yield from (f"{name}: {fault}" for fault in faults)
        expected = 4 * ROUNDS if name.startswith("wrong") else 0
        if done.returncode != 0 or criticals != expected:
            yield f"the filter is {name}: convert: {done.returncode}, {criticals} critical sections instead of {expected}; {done.stderr}"
        if name.startswith("wrong") and ("the filter is invalid" not in done.stderr or "damage" in done.stderr or (output / "raw").exists()):
            yield f"an invalid filter is no damage of the raw trace: {done.stderr}"


def speaks(options, directory):
    """PROGRAM gives descriptor 2 to a file of its own."""
    data, output = directory / "data", directory / "trace"
    done = subprocess.run([options.program, str(data)], env=traced(options, output), capture_output=True, text=True, timeout=60)
    if done.returncode != 0 or data.read_bytes() != b"data\n":
        yield f"ends with {done.returncode}, and its file has {data.read_bytes()!r}"
    messages = output / "messages.txt"
    if not messages.exists() or "events" not in messages.read_text():
        yield "the closing line is not beside the archive"
    yield from judge(output / "traces.otf2", options.tracer)[0]


def journal(options, directory):
    """One byte of each entry is another, in turn."""
    whole = directory / "whole"
    finish(start(options, whole, TRACER_CONVERT="later"))
    content = (whole / "raw" / "journal").read_bytes()
    at, entries = 32, []
    while at < len(content):
        kind, size = struct.unpack_from("<II", content, at)
        entries.append((kind, at + 16 + size // 2 if size else at + 8))
        at += 16 + size
    seen = set()
    for kind, position in entries:
        if kind in seen:  # one of each kind
            continue
        seen.add(kind)
        output = directory / f"damaged{kind}"
        shutil.copytree(whole, output)
        damaged = bytearray(content)
        damaged[position] ^= 0xff
        (output / "raw" / "journal").write_bytes(damaged)
        done = tracer(options, "convert", output)
        faults, criticals = has_criticals(output, options)
        if done.returncode != 0 or faults or criticals != 4 * ROUNDS:
            yield f"an entry of type {kind} is damaged: {done.returncode} {done.stderr} {faults} {criticals} critical sections"
    if len(seen) < 8:
        yield f"only {seen}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program")
    parser.add_argument("what", choices=("filter", "private", "memory", "journal", "rings", "speaks"))
    options = parser.parse_args()
    what = {"filter": filter_, "private": private, "memory": memory, "journal": journal, "rings": rings, "speaks": speaks}[options.what]
    with tempfile.TemporaryDirectory() as directory:
        faults = list(what(options, pathlib.Path(directory)))
    forget_the_killed()
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
