#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_no_room.py TRACER MAKE_TRACE LIBRARY LATE_QUOTA [PROGRAM]: every command that writes, where the limit of file sizes (ulimit -f) or the end of
a file system is in its way. It ends with a status and a line that says what to do, and leaves no half output; what it reads stays."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

TRACER, MAKE_TRACE, LIBRARY, LATE_QUOTA = (os.path.abspath(path) for path in sys.argv[1:5])
LIMITS = (0, 512, 1024, 4096, 16384, 65536)


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)


def run(words, limit=None, **more):
    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # this interpreter ignores it
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run([str(word) for word in words], stderr=subprocess.PIPE, text=True, timeout=200, check=False,
                          preexec_fn=None if limit is None else limited, **{"stdout": subprocess.PIPE, **more})


def content(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


def writers(trace, out):
    """What is run, and what it is to leave where it fails."""
    yield "report", [TRACER, "report", "-o", out / "report.txt", trace]
    yield "report --json", [TRACER, "report", "--json", "-o", out / "report.json", trace]
    yield "report --html", [TRACER, "report", "--html", out / "page.html", trace]
    for form in ("perfetto", "chrome", "csv", "sqlite", "parquet", "otf2"):
        yield f"export {form}", [TRACER, "export", "-f", form, "-o", out / form, trace]
    yield "export otf2, a part", [TRACER, "export", "-f", "otf2", "--from", "1us", "-o", out / "part", trace]
    yield "merge -o", [TRACER, "merge", "-o", out / "merged", trace.parent / "first", trace.parent / "second"]


def check_writer(name, words, out, limit, where, **more):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    done = run(words, limit, **more)
    lines = done.stderr.strip().splitlines()
    need(done.returncode in (0, 1), f"{name}, {where}: ends with {done.returncode}: {done.stderr}")
    if done.returncode == 0:
        need(list(out.iterdir()), f"{name}, {where}: all is written")
        return 0
    need(lines and lines[-1].startswith("tracer: error:"), f"{name}, {where}: it says why: {done.stderr}")
    need("ulimit -f" in lines[-1] or "write to another place" in lines[-1], f"{name}, {where}: it says what to do: {lines[-1]}")
    need(not list(out.iterdir()), f"{name}, {where}: it leaves nothing: {list(out.rglob('*'))}")
    return 1


def check_limits(trace, out):
    failed = {}
    for limit in LIMITS:
        for name, words in writers(trace, out):
            failed[name] = failed.get(name, 0) + check_writer(name, words, out, limit, f"{limit} bytes")
    need(all(failed.values()), f"each meets the limit: {failed}")
    print(f"ok: ulimit -f: {failed}")


def check_merge_again(trace, out):
    """The parts are as they were, and with room they are merged into the same place."""
    parts = [trace.parent / "first", trace.parent / "second"]
    for limit in LIMITS:
        job = out.parent / "job"
        shutil.rmtree(job, ignore_errors=True)
        (job / "parts").mkdir(parents=True)
        for part in parts:
            shutil.copytree(part, job / "parts" / part.name)
        before = content(job)
        done = run([TRACER, "merge", job], limit)
        if done.returncode != 0:
            need(done.returncode == 1 and "the parts are as they were" in done.stderr and content(job) == before, f"merge, {limit} bytes: {done.returncode} {done.stderr}")
            done = run([TRACER, "merge", job])
        need(done.returncode == 0 and run([TRACER, "report", job]).returncode == 0, f"merged with room: {done.stderr}")
    print("ok: a merge without room keeps the parts, and is done with room")


def check_conversion(program, out):
    """What is converted stays until the archive is whole."""
    if not program:
        print("not tested: a conversion without room: OpenMP programs are not traced in this build")
        return
    raw = out.parent / "raw"
    done = run([TRACER, "run", "-q", "--raw", "-o", raw, "--", program], env={**os.environ, "TRACER_LIBRARY": LIBRARY})
    need(done.returncode == 0 and (raw / "raw").is_dir(), f"{program} is recorded: {done.stderr}")
    before = content(raw / "raw")
    for limit in LIMITS:
        copy = out.parent / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(raw, copy)
        done = run([TRACER, "convert", copy], limit)
        if done.returncode != 0:
            need(done.returncode == 1 and "ulimit -f" in done.stderr and content(copy / "raw") == before, f"convert, {limit} bytes: {done.returncode} {done.stderr}")
            done = run([TRACER, "convert", copy])
        need(done.returncode == 0 and run([TRACER, "check", copy]).returncode == 0, f"convert, {limit} bytes, then with room: {done.stderr}")
    print("ok: a conversion without room keeps the raw trace, and is done with room")
    for named in (".", "raw"):  # no room for the samples, which come after the anchor
        copy = out.parent / "copy"
        shutil.rmtree(copy)
        shutil.copytree(raw, copy)
        done = run([TRACER, "convert", "-q", "-k", copy])
        need(done.returncode == 0 and (copy / "raw" / "kept").exists(), f"converted, and kept: {done.stderr}")
        again = run([TRACER, "convert", copy / named])
        need(again.returncode == 1 and "already" in again.stderr, f"an archive that is whole stays: {again.stderr}")
        (copy / "raw" / "kept").unlink()  # as a conversion that did not come to its end leaves it
        done = run([TRACER, "convert", copy / named])
        need(done.returncode == 0 and not (copy / "raw").exists() and run([TRACER, "check", copy]).returncode == 0, f"convert {named}: {done.returncode} {done.stderr}")
    print("ok: what stopped behind the anchor is converted again")


def check_small_stack(program, out):
    """ulimit -s 64: commands take another stack than that; the program has it."""
    if not program or os.environ.get("TRACER_TEST_SANITIZED"):  # a sanitizer's runtime needs more before anything else
        print("not tested: a small stack: OpenMP programs are not traced in this build, or it has a sanitizer")
        return
    raw, whole, size = out.parent / "deep", out.parent / "whole", 64 << 10
    settings = {**os.environ, "TRACER_LIBRARY": LIBRARY}

    def limited():
        resource.setrlimit(resource.RLIMIT_STACK, (size, resource.getrlimit(resource.RLIMIT_STACK)[1]))

    def small(*words):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=200, check=False, env=settings, preexec_fn=limited)

    need(run([TRACER, "run", "-q", "--raw", "-o", raw, "--", program], env=settings).returncode == 0, f"{program} is recorded")
    for words in ((TRACER, "convert", raw), (TRACER, "report", raw)):
        done = small(*words)
        need(done.returncode == 0, f"{words} with a small stack: {done.returncode} {done.stderr}")
    done = small(TRACER, "run", "-o", whole, "--", "sh", "-c", f"ulimit -s; ulimit -s unlimited || ulimit -s $(ulimit -H -s); {program}")
    need(done.returncode == 0 and done.stdout.split()[0] == "64" and (whole / "traces.otf2").exists(), f"run with a small stack: {done.returncode} {done.stdout} {done.stderr}")
    done = small(TRACER, "info", out.parent / "nothing")
    need(done.returncode == 1 and "does not exist" in done.stderr, f"an error with a small stack: {done.returncode} {done.stderr}")
    print("ok: a small stack")


def check_full(trace, out):
    """A file system that is full, at several sizes."""
    disk = out.parent / "disk"
    disk.mkdir()
    for size in (4, 16, 64, 256):
        done = run(["mount", "-t", "tmpfs", "-o", f"size={size}k,mode=0700", "tmpfs", disk])
        if done.returncode != 0:
            print(f"not tested: a full file system: {done.stderr.strip()}")
            return
        try:
            for name, words in writers(trace, disk / "out"):
                check_writer(name, words, disk / "out", None, f"a file system of {size} KiB")
        finally:
            run(["umount", "-l", disk])
    print("ok: a full file system")


def check_late_quota(trace, out):
    """A file system that takes all that is written, and refuses it when it is closed or synchronized, as NFS does."""
    settings = {**os.environ, "LD_PRELOAD": LATE_QUOTA, "LATE_QUOTA": str(out)}
    for name, words in writers(trace, out):
        need(check_writer(name, words, out, None, "a quota that close() reports", env=settings) == 1, f"{name}: a quota that close() reports is an error")
    print("ok: a quota that close() reports")


def check_standard_output(trace):
    words = (["report", trace], ["report", "--json", trace], ["report", "--html", "/dev/full", trace], ["check", "--all", trace], ["check", "--json", trace],
             ["check", "--rules"], ["info", trace], ["diff", trace, trace], ["export", "-f", "chrome", "-o", "-", trace], ["export", "-f", "perfetto", "-o", "/dev/full", trace],
             ["what-if", "--task-overhead", "0", trace], ["completion", "bash"], ["manual", "report"], ["manual", "--settings"], ["--help"], ["report", "--help"], ["--version"])
    with open("/dev/full", "wb") as full:
        for one in words:
            done = run([TRACER, *one], stdout=full)
            need(done.returncode == 1 and "No space left on device" in done.stderr, f"{one} into /dev/full: {done.returncode} {done.stderr}")
    print(f"ok: {len(words)} commands into /dev/full")


def check_info():
    """Where the runtime cannot be asked, its answer is unknown, and no "no"."""
    for place in ("/proc", "/nowhere"):  # nobody can make a directory there
        settings = {**os.environ, "TRACER_LIBRARY": LIBRARY, "TMPDIR": place}
        runtime = json.loads(run([TRACER, "info", "--json"], env=settings).stdout)["OpenMP runtime"]
        if runtime["path"] is None or not os.path.exists(LIBRARY):
            print("not tested: a runtime that cannot be asked: no LLVM runtime here, or no libtracer.so in this build")
            return
        said = run([TRACER, "info"], env=settings).stdout
        need(runtime["starts the tool"] is None and runtime["unknown because"] and f"unknown: {runtime['unknown because']}" in said,
             f"TMPDIR={place}: it is unknown whether the runtime starts the tool: {runtime}")
    print("ok: info without room for its question")


def check_program(out):
    """A program that `tracer run` starts has the signal as without it."""
    script = "trap - XFSZ; kill -XFSZ $$; exit 0"
    alone = run(["sh", "-c", script]).returncode
    traced = run([TRACER, "run", "-q", "-o", out.parent / "signal", "--", "sh", "-c", script], env={**os.environ, "TRACER_LIBRARY": LIBRARY})
    need(alone == -signal.SIGXFSZ and traced.returncode == 128 + signal.SIGXFSZ, f"the program ends by the signal: {alone}, {traced.returncode} {traced.stderr}")
    print("ok: a program has the signal as without the tracer")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        top = pathlib.Path(temporary).resolve()
        os.environ["XDG_CACHE_HOME"] = str(top / "cache")
        trace, out = top / "trace", top / "out"
        run([MAKE_TRACE, "large", trace, "20000"])
        for name in ("first", "second"):
            run([MAKE_TRACE, "large", top / name, "3000"])
        before = content(top)
        check_limits(trace, out)
        check_full(trace, out)
        check_late_quota(trace, out)
        check_standard_output(trace)
        shutil.rmtree(out)
        need({name: data for name, data in content(top).items() if name in before} == before, "what was read is as it was")
        out.mkdir()
        check_merge_again(trace, out)
        check_conversion(sys.argv[5] if len(sys.argv) > 5 else "", out)
        check_small_stack(sys.argv[5] if len(sys.argv) > 5 else "", out)
        check_program(out)
        check_info()


main()
