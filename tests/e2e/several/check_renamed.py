#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program linked with a libomp of another name, as wheels (a hash), conda and Intel's compilers have it, or a vendor's: it is
recognised and traced, by variable and by `tracer run`, its frames in samples are the runtime's, and `tracer top` and `tracer
snapshot` find it in the running program.

check_renamed.py --tool libtracer.so --tracer tracer --compiler cc"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from traced import clean, judge, run  # noqa: E402

NAMES = ("libomp-a1b2c3d4.so.5", "libomp-a1b2c3d4.so", "libiomp5.so", "libiomp5-9f8e7d6c.so", "libomp5.so", "libvendor-mp.so.1")

LOOKED_AT = ("libomp-a1b2c3d4.so.5", "libvendor-mp.so.1")  # while they run


def with_name(library, name, scratch):
    """The runtime under another name, which is also the one that programs are linked to. None: that cannot be had here."""
    directory = scratch / name.replace(".", "_")
    directory.mkdir()
    copy = directory / name
    shutil.copy(library, copy)
    soname = b"libomp.so.5"
    text = copy.read_bytes()
    place = text.find(b"\0" + soname + b"\0")
    if place < 0:
        return None
    # Where the file has no room for a longer name the soname goes, and the linker takes the file's.
    copy.write_bytes(text[:place + 1] + (name.encode() + b"\0" if len(name) <= len(soname) else b"\0").ljust(len(soname) + 1, b"\0") + text[place + 2 + len(soname):])
    return copy


def check(options, name, library, scratch):
    copy = with_name(library, name, scratch)
    if copy is None:
        return (yield f"{name}: no soname in {library}")
    program, busy = copy.parent / "work", copy.parent / "busy"
    for source, made in ((HERE / "work.c", program), (HERE.parents[1] / "top" / "busy.c", busy)):
        built = run([options.compiler, "-fopenmp", "-O1", "-g", "-c", str(source), "-o", f"{made}.o"], clean())
        # By its name and not by its path: what has no soname is then asked for by its name alone.
        linked = built.returncode == 0 and run([options.linker, f"{made}.o", "-o", str(made), f"-L{copy.parent}", f"-l:{name}", f"-Wl,-rpath,{copy.parent}"], clean())
        if not linked or linked.returncode != 0:
            return (yield f"{name}: not built: {built.stderr} {linked and linked.stderr}")
    loads = subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout
    if name not in loads or "libomp.so.5" in loads:
        return (yield f"{name}: the program loads something else: {loads}")
    for how in ("variable", "run"):
        trace = copy.parent / how
        if how == "run":
            done = run([options.tracer, "run", "-o", str(trace), "--", str(program)], clean(TRACER_LIBRARY=options.tool))
        else:
            done = run([str(program)], clean(OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(trace)))
        print(f"{name:24} {how:8} status {done.returncode} {done.stdout.strip()} {done.stderr.strip().splitlines()[:1]}")
        if done.returncode != 3 or "OpenMP runtime" in done.stderr:
            yield f"{name}, {how}: {done.returncode} {done.stderr}"
        faults, contents = judge(trace / "traces.otf2", options.tracer)
        yield from (f"{name}, {how}: {fault}" for fault in faults)
        if contents is None:
            continue
        properties = json.loads(run([options.tracer, "report", "--json", str(trace)], clean()).stdout)["trace"]["properties"]
        if not properties.get("TRACER::RUNTIME::LIBRARY", "").endswith(name):
            yield f"{name}, {how}: the runtime is {properties.get('TRACER::RUNTIME::LIBRARY')}"
    if name in LOOKED_AT:
        yield from check_running(options, name, busy, copy.parent / "busy-trace")


def check_running(options, name, program, trace):
    """`program` runs until its input ends."""
    process = subprocess.Popen([options.tracer, "run", "-q", "--sample", "-o", str(trace), "--", str(program)], env=clean(TRACER_LIBRARY=options.tool),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        pid, end = 0, time.monotonic() + 30
        while time.monotonic() < end:
            pid = next((int(p) for p in os.listdir("/proc") if p.isdigit() and runs(p, program)), 0)
            top = run([options.tracer, "top", "--json", "--interval", "0.1", "--times", "1", str(pid)], clean())
            if pid and top.returncode == 0 and len(json.loads(top.stdout.splitlines()[-1])["threads"]) == 2:
                break
            time.sleep(0.2)
        else:
            yield f"{name}, top: {top.returncode} {top.stdout} {top.stderr}"
        snapshot = run([options.tracer, "snapshot", str(pid)], clean())
        print(f"{name:24} snapshot status {snapshot.returncode} {(snapshot.stderr or snapshot.stdout).strip().splitlines()[:1]}")
        if snapshot.returncode not in (0, 15, 16) or (snapshot.returncode == 15 and name not in snapshot.stderr):  # 15: a runtime without OMPD's symbols, by its name
            yield f"{name}, snapshot: {snapshot.returncode} {snapshot.stderr}"
    finally:
        process.stdin.close()
        process.stdout.read(), process.stderr.read()
        status = process.wait(timeout=60)
    if status != 0:
        yield f"{name}: the program that was looked at ended with {status}"
    functions = json.loads(run([options.tracer, "report", "--json", str(trace)], clean()).stdout).get("samples", {}).get("functions", [])
    if users := [f["name"] for f in functions if name in f["name"]]:
        yield f"{name}: samples take functions of the runtime for the program's: {users}"


def runs(pid, program):
    try:
        return os.readlink(f"/proc/{pid}/exe") == str(program)
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser()
    for name in ("tool", "tracer", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    options.linker = options.compiler
    own = pathlib.Path(options.compiler).resolve().parents[1] / "lib/libomp.so.5"
    library = own if own.exists() else pathlib.Path(run([options.compiler, "-print-file-name=libomp.so.5"], clean()).stdout.strip())
    if not library.exists():
        print(f"skipped: no libomp.so.5 of {options.compiler}")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        faults = [fault for name in NAMES for fault in check(options, name, library, pathlib.Path(directory).resolve())]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
