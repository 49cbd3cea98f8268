#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs with libraries that take over functions of the C library: libfaketime, whose functions end with it before the tool
does, MemorySanitizer, which checks what they read, and one that takes over _exit(). Output and status are those without the
tool, and where it records there is a sound archive, with the kernel's times.

check_preloads.py --tool libtracer.so --tracer tracer (faketime PROGRAM | memory PROGRAM.c | exit PROGRAM LIBRARY)"""
import argparse
import glob
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, judge, run  # noqa: E402


def ends_alike(name, plain, traced, trace, options):
    if (plain.returncode, plain.stdout) != (traced.returncode, traced.stdout):
        yield f"{name}: {plain.returncode} {plain.stdout!r} without the tool, with it {traced.returncode} {traced.stdout!r}: {traced.stderr[-2000:]}"
    if not (trace / "traces.otf2").exists():
        yield f"{name}: no archive: {traced.stderr[-2000:]}"
        return
    faults, _ = judge(trace / "traces.otf2", options.tracer)
    yield from (f"{name}: {fault}" for fault in faults)


def faketime(options, scratch):
    libraries = sorted(glob.glob("/usr/lib/*/faketime/libfaketime*.so.1") + glob.glob("/usr/lib64/faketime/libfaketime*.so.1"))
    if not libraries:
        print("skipped: no libfaketime (Debian: apt-get install faketime)")
        sys.exit(77)
    for library in libraries:
        for how in ("-3000d", "+0 x100", "@2011-11-11 11:11:11"):
            name = f"{pathlib.Path(library).name} {how}"
            settings = {"LD_PRELOAD": library, "FAKETIME": how}
            plain = run([options.program], clean(**settings))
            for command in ("library", "tracer run"):
                trace = scratch / f"{len(list(scratch.iterdir()))}"
                if command == "library":
                    traced = run([options.program], clean(OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(trace), **settings))
                    run([options.tracer, "convert", str(trace)], clean())  # as the message says
                else:
                    traced = run(["env", "-u", "LD_PRELOAD", options.tracer, "run", "-o", str(trace), "--", "env", *(f"{k}={v}" for k, v in settings.items()), options.program],
                                 clean(TRACER_LIBRARY=options.tool))
                print(f"{name}, {command}: {traced.returncode} {traced.stdout.strip()} {traced.stderr.strip()[:200]}")
                yield from ends_alike(f"{name}, {command}", plain, traced, trace, options)


def memory(options, scratch):
    program = scratch / "program"
    clang = next((found for found in map(shutil.which, ("clang-22", "clang")) if found), None)
    built = clang and run([clang, "-fsanitize=memory", "-g", "-O1", options.program, "-o", str(program)], clean())
    if not built or built.returncode != 0 or run([str(program)], clean()).returncode != 3:
        print(f"skipped: no clang with MemorySanitizer here: {built and built.stderr[-300:]}")
        sys.exit(77)
    annotations = pathlib.Path(options.tool).parent / "libtracer-annotations.so"
    plain = run([str(program)], clean())
    for convert in ("auto", "later"):
        trace = scratch / convert
        settings = {"LD_PRELOAD": str(annotations), "TRACER_OUTPUT": str(trace), **({"TRACER_CONVERT": convert} if convert == "later" else {})}
        traced = run([str(program)], clean(**settings))
        print(f"MemorySanitizer, {convert}: {traced.returncode} {traced.stdout.strip()} {traced.stderr.strip()[:300]}")
        if convert == "later":
            run([options.tracer, "convert", str(trace)], clean())
        yield from ends_alike(f"MemorySanitizer, {convert}", plain, traced, trace, options)


def own_exit(options, _):
    """The recorder of Python is in processes that it records nothing of, too."""
    recorder = pathlib.Path(options.tool).parent / "libtracer-python.so"
    python = [sys.executable, "-c", "import os; os._exit(3)"]
    for command, settings in ((python, {}), ([options.program], {}), ([options.program], {"TRACER_PYTHON": "on"})):
        plain = run(command, clean(LD_PRELOAD=options.library))
        if (plain.returncode, plain.stdout) != (3, "own exit\n"):
            yield f"{command} without the recorder: {plain.returncode} {plain.stdout!r} {plain.stderr}"
        beside = run(command, clean(LD_PRELOAD=f"{recorder}:{options.library}", **settings))
        if (beside.returncode, beside.stdout) != (plain.returncode, plain.stdout):
            yield f"{command} {settings}: {beside.returncode} {beside.stdout!r} {beside.stderr}"


def main():
    arguments = argparse.ArgumentParser()
    for name in ("--tool", "--tracer"):
        arguments.add_argument(name, required=True)
    arguments.add_argument("what", choices=("faketime", "memory", "exit"))
    arguments.add_argument("program")
    arguments.add_argument("library", nargs="?")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        faults = list({"faketime": faketime, "memory": memory, "exit": own_exit}[options.what](options, pathlib.Path(scratch)))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
