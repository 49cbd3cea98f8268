#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A FIFO, a socket, a directory, and as root a device, in the place of each file of a trace, of a raw trace and of a job's
parts: every command that reads it ends with a message that names the file, or does not need it, and none waits or crashes.

check_kinds.py --tool libtracer.so --tracer tracer PROGRAM"""
import argparse
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from traced import clean  # noqa: E402

TIME = 240


def make_socket(path):
    """The name of a socket is short, so it is bound from the directory that it is in."""
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


def make_device(path):
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # zeros without end


def kinds():
    yield "a FIFO", os.mkfifo
    yield "a socket", make_socket
    yield "a directory", lambda path: path.mkdir()
    with tempfile.TemporaryDirectory() as place:
        try:
            make_device(pathlib.Path(place, "device"))
        except OSError as error:
            print(f"not tested: devices, which cannot be made here ({error})")
            return
    yield "a device", make_device


def replace(path, make):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.is_symlink() or path.exists():
        path.unlink()
    make(path)


def of_archive(tracer, trace, out):
    yield [tracer, "report", trace]
    yield [tracer, "report", "--html", out / "page.html", trace]
    yield [tracer, "samples", trace]
    yield [tracer, "info", trace]
    yield [tracer, "check", trace]
    yield [tracer, "diff", trace, trace]
    yield [tracer, "diff", "--html", out / "diff.html", trace, trace]
    yield [tracer, "what-if", "--task-overhead", "0", trace]
    yield [tracer, "recover", trace]
    yield [tracer, "merge", "-o", out / "merged", trace]
    for form in ("perfetto", "chrome", "csv", "sqlite", "parquet", "otf2"):
        yield [tracer, "export", "-f", form, "-o", out / form, trace]


def of_raw(tracer, trace, out):
    yield [tracer, "convert", "-o", out / "archive", trace]
    yield [tracer, "convert", trace]
    yield [tracer, "recover", trace]
    yield [tracer, "merge", trace]
    yield [tracer, "merge", "-o", out / "merged", trace]
    yield [tracer, "info", trace]
    yield [tracer, "report", trace]


def of_job(tracer, job, out):
    yield [tracer, "merge", job]
    yield [tracer, "merge", "-o", out / "merged", job]
    yield [tracer, "report", job]
    yield [tracer, "convert", job]
    yield [tracer, "recover", job]


# What a command may do without: a file that it does not read, or of which it makes none.
NOT_NEEDED = {"raw/kept", "traces.part", "samples.bin.part", "job", "parts", "parts/.joined", "merging", "merging/joined", "merging/traces.otf2"}


def faults_of(options, genuine, files, commands, work):
    """`files`: as they stand in the trace; each in turn is something else. Every command meets the FIFO, which would make it wait;
    each of the others a third of them."""
    all_kinds = list(kinds())
    for number, name in enumerate(files):
        for which, (kind, make) in enumerate(all_kinds):
            all_commands = list(commands(options.tracer, work / "trace", work / "out"))
            for command in all_commands if which == 0 else all_commands[(number + which) % 3::3]:
                for place in (work / "trace", work / "out"):
                    shutil.rmtree(place, ignore_errors=True)
                shutil.copytree(genuine, work / "trace", symlinks=True)
                (work / "out").mkdir()
                changed = work / "trace" / name
                changed.parent.mkdir(parents=True, exist_ok=True)
                replace(changed, make)
                what = f"{name} is {kind}: tracer {command[1]} {command[2] if str(command[2]).startswith('-') else ''}"
                try:
                    done = subprocess.run(list(map(str, command)), env=clean(TRACER_LIBRARY=options.tool), cwd=work / "out",
                                          capture_output=True, text=True, timeout=TIME)
                except subprocess.TimeoutExpired:
                    yield f"{what} hangs"
                    continue
                options.count += 1
                if done.returncode < 0 or done.returncode > 2:
                    yield f"{what} ends with {done.returncode}: {done.stderr[-300:]}"
                elif options.required(command, name) and changed.name not in done.stderr + done.stdout:
                    yield f"{what} ends with {done.returncode} and does not name it: {done.stderr[-300:]}"


def required(command, name):
    """Who reads a file has a word for what stands in its place. Marks are looked for, not read; of samples `check`, `info`, `what-if`
    and, but for its page, `diff` know nothing, and a raw trace is read by those who convert it."""
    if name in NOT_NEEDED:
        return False
    if name.startswith("raw/"):
        return command[1] in ("convert", "recover", "merge")
    if name == "samples.bin":
        return command[1] in ("report", "samples", "merge", "export") or command[1:3] == ["diff", "--html"]
    return command[1] != "recover" and (command[1] != "info" or not name.startswith("traces/"))  # of events it has the number alone


def files_of(trace):
    return sorted(str(path.relative_to(trace)) for path in trace.rglob("*") if not path.is_dir())


def record(options, output, *words):
    subprocess.run([options.tracer, "run", "-q", *words, "-o", str(output), "--", options.program, "200"], env=clean(TRACER_LIBRARY=options.tool, OMP_WAIT_POLICY="passive"),
                   check=True, capture_output=True, timeout=TIME)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    options.count, options.required = 0, required
    with tempfile.TemporaryDirectory() as directory:
        top = pathlib.Path(directory)
        record(options, top / "archive", "--sample=2000")
        if not (top / "archive" / "samples.bin").exists():  # where nothing may be sampled
            print("not tested: samples of a real run, which cannot be taken here")
            (top / "archive" / "samples.bin").write_bytes(b"")
        record(options, top / "raw", "--raw", "--set", "SAMPLE=2000")
        shutil.copytree(top / "raw", top / "job" / "parts" / "part", symlinks=True)
        shutil.copytree(top / "archive", top / "job", symlinks=True, dirs_exist_ok=True)
        for name, extra, commands in (("archive", ["traces"], of_archive), ("raw", ["raw/rings", "raw/samples", "raw/kept", "traces.part", "samples.bin.part"], of_raw),
                                      ("job", ["merging", "merging/joined", "merging/traces.otf2", "parts/.joined", "job", "parts"], of_job)):
            names = sorted({*files_of(top / name), *extra}) if name != "job" else extra
            if name == "archive":  # one location's files stand for all
                names = [one for one in names if "/" not in one or one in ("traces/0.evt", "traces/0.def")]
            with tempfile.TemporaryDirectory() as place:
                faults = list(faults_of(options, top / name, names, commands, pathlib.Path(place)))
            print("\n".join(f"{name}: {fault}" for fault in faults) or f"{name}: as it should be ({', '.join(names)})", flush=True)
            options.failed = getattr(options, "failed", 0) + len(faults)
    print(f"{options.count} commands")
    return 1 if options.failed else 0


if __name__ == "__main__":
    sys.exit(main())
