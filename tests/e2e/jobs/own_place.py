# SPDX-License-Identifier: BSD-3-Clause
"""Cases of jobs whose own directory has a trace, whose place the job's archive must not take."""
import os
import pathlib
import shutil
import subprocess
import time

from jobs import STRESS, clean, one_archive, processes_of, start, state_of, tracer


def refused(options, job, command, but="//"):
    """A command that must name `tracer merge` and change nothing; `but`: in paths of what is still being written."""
    def state():
        return {path: content for path, content in state_of(job).items() if but not in path}

    before = state()
    said = tracer(options, command, job, status=1).stderr
    if f"tracer merge {job}" not in said:
        yield f"{command}: it is not said what to do: {said!r}"
    if state() != before:
        yield f"{command}: the job is another than before: {said!r}"


def once_ended(options, *words):
    """A command on a process that is about to end."""
    for _ in range(600):
        done = subprocess.run([options.tracer, *map(str, words)], env=clean(), capture_output=True, text=True, timeout=240)
        if done.returncode == 0 or "still" not in done.stderr:
            return done
        time.sleep(0.1)
    return done


def outlived(options, directory):
    """The process that owns the job's directory outlives `tracer run`, alone beside its parent and in a job of several: the others'
    parts stay until it has ended, whatever command is tried meanwhile."""
    for children in (0, 2):
        for way in ("merge", "recover"):
            name, go = f"out{children}{way}", directory / f"go{children}{way}"
            job = directory / name
            process = start(options, directory, "-o", name, "--", options.outlives, go, children)
            said = process.communicate(timeout=240)[1]
            if process.returncode != 0 or f"{job} is still being recorded" not in said or f"not merged, since {job} is still being recorded; to merge them: tracer merge {job}" not in said:
                yield f"{name}: status {process.returncode}, it is said: {said!r}"
            if (job / "traces.otf2").exists() or len(list(job.glob("parts/*/traces.otf2"))) != children + 1:
                yield f"{name}: it has {sorted(str(path) for path in job.rglob('*'))}: {said!r}"
            yield from refused(options, job, "merge", but="/raw/")
            tracer(options, "merge", "-o", directory / f"others{name}", job, status=1)
            yield from one_archive(options, directory / f"others{name}", children + 1, 2 * (children + 1))
            go.touch()
            if way == "recover":
                done = once_ended(options, "recover", job)
                if done.returncode != 0 or f"tracer merge {job}" not in done.stderr:
                    yield f"{name}: recover: status {done.returncode}: {done.stderr}"
            done = once_ended(options, "merge", job)
            if done.returncode != 0:
                yield f"{name}: merge: status {done.returncode}: {done.stderr}"
            yield from one_archive(options, job, children + 2, 2 * (children + 1) + 4)


def others_archive(options, directory):
    """A raw trace beside an archive of another process, or of several: neither is made over the other."""
    app = options.program
    for name, script, sections in (("one", f"{app} 3", 6), ("several", f"{app} 3; {app} 4", 14)):
        job, other = directory / name, directory / f"{name}-other"
        tracer(options, "run", "-q", "--raw", "-o", job, "--", app, 5)
        tracer(options, "run", "-q", "-o", other, "--", "sh", "-c", script)
        shutil.copytree(other, job, dirs_exist_ok=True)
        for command in ("recover", "convert"):
            yield from refused(options, job, command)
        tracer(options, "merge", "-q", job)
        yield from one_archive(options, job, 2 + (name == "several"), sections + 10)


def damaged_first(options, directory):
    """The first process' trace, which is in the job's own directory, is damaged: it stays, and with it the parts."""
    three = ("--", "sh", "-c", "; ".join(f"{options.program} {n}" for n in (3, 4, 5)))
    for kind, file in (("--separate", "traces/1.evt"), ("--raw", "raw/trace")):
        job = directory / kind.strip("-")
        tracer(options, "run", "-q", kind, "-o", job, *three)
        whole = (job / file).read_bytes()
        damaged = bytearray(whole)
        damaged[8:12] = b"XXXX"  # the raw trace's version
        (job / file).write_bytes(damaged if kind == "--raw" else whole[:60])
        tracer(options, "merge", job, status=1)  # converts raw parts
        yield from refused(options, job, "merge")
        tracer(options, "merge", "-q", "-o", directory / f"others{job.name}", job, status=1)
        yield from one_archive(options, directory / f"others{job.name}", 2, 18)
        (job / file).write_bytes(whole)
        tracer(options, "merge", "-q", job)
        yield from one_archive(options, job, 3, 24)


def arrives_meanwhile(options, directory):
    """An archive that comes into a job between a merge that was killed and the next; and one that comes into the place where a merge is
    about to write."""
    job = directory / "job"
    subprocess.run([options.make_parts, job, "4", "2", "1"], check=True, timeout=60)
    *three, fourth = sorted((job / "parts").iterdir())
    tracer(options, "merge", "-q", "-o", job / "merging", *three)
    (job / "merging").chmod(0o700)
    (job / "merging" / "joined").write_text("".join(part.name + "\n" for part in three))
    for file in fourth.iterdir():
        file.rename(job / file.name)
    fourth.rmdir()
    tracer(options, "merge", "-q", job)
    if len(found := processes_of(job)) != 4:
        yield f"with what came meanwhile the archive has {found}"
    shim, place = directory / "arrives_at.so", directory / "place"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", str(pathlib.Path(__file__).parent / "arrives_at.c"), "-o", str(shim)], check=True)
    done = subprocess.run([options.tracer, "merge", "-o", str(place), str(job)], env=clean(LD_PRELOAD=str(shim), ARRIVES_AT=str(place)),
                          capture_output=True, text=True, timeout=240)
    if done.returncode != 1 or "there is an archive already" not in done.stderr or not (place / "traces.otf2").exists():
        yield f"status {done.returncode} {done.stderr!r}: in the place there is {os.listdir(directory)}"


def late(options, directory):
    """A process that begins while `tracer run` is finishing, alone or behind another one: its events are in an archive, or a line names
    its raw trace."""
    for step in range(20 * STRESS):
        name = f"late{step:03}"
        first = f"{options.program} 3; " if step % 2 else ""
        process = start(options, directory, "-o", name, "--", "sh", "-c", f"{first}{options.outlives} {step % 20 * 4} >{name}.out 2>{name}.err")
        said = process.communicate(timeout=240)[1]
        for _ in range(600):
            if "2 sections" in (directory / f"{name}.out").read_text():
                break
            time.sleep(0.1)
        else:
            yield f"{step}: the process does not end: {said!r}"
        said += (directory / f"{name}.err").read_text()
        for journal in directory.glob(f"{name}*/**/raw/journal"):
            trace = journal.parent.parent
            if f"{trace} is still being recorded" not in said and f"raw trace left in {trace}" not in said:
                yield f"{step}: no line names {trace}: {said!r}"
