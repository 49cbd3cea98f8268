# SPDX-License-Identifier: BSD-3-Clause
"""Cases of jobs whose merger or converter was killed, and of parts that are damaged."""
import os
import pathlib
import subprocess

from jobs import clean, judge, one_archive, processes_of, sections_of, tracer


def killed_merger(options, directory):
    """A merger that was killed when it had made its anchor and not filled it: what it had is thrown away, no part is."""
    job = directory / "job"
    subprocess.run([options.make_parts, job, "3", "2", "1"], check=True, timeout=60)
    (job / "merging").mkdir(mode=0o700)
    (job / "merging" / "traces.otf2").touch()
    (job / "merging" / "joined").write_text("".join(part.name + "\n" for part in (job / "parts").iterdir()))
    tracer(options, "merge", "-q", job)
    said = tracer(options, "merge", f"{job}/").stderr
    if "3 processes" not in said or "already" not in said:
        yield f"merged once more it is said to be {said!r}"
    found, contents = judge(job / "traces.otf2", options.tracer, but="ProgramBegin|never")
    yield from found
    if contents and contents.processes != 3:
        yield f"{contents.processes} processes of 3"


def cut(to):
    return lambda path: os.truncate(path, to)


def zeroed(path):
    """In the middle, as a file system leaves a file whose blocks were not written before the power went."""
    content = bytearray(path.read_bytes())
    content[len(content) // 3: len(content) // 2] = bytes(len(content) // 2 - len(content) // 3)
    path.write_bytes(content)


def damaged_parts(options, directory):
    """A part of which any file is damaged is named, left out and kept, status 1; the others can be read, and with the file as it
    was the next merge has all. Also when the merger was killed after it had made the archive and before it was read back."""
    damages = [("traces/0.evt", "cut", cut(60)), ("traces/0.evt", "empty", cut(0)), ("traces/1.evt", "without its end", None), ("traces/0.evt", "zeroed", zeroed),
               ("traces/0.evt", "gone", pathlib.Path.unlink), ("traces/0.def", "cut", cut(5)), ("traces.def", "cut", cut(200)),
               ("traces.otf2", "cut", cut(40)), ("traces.otf2", "empty", cut(0))]
    for number, (name, how, damage) in enumerate(damages):
        job = directory / f"job{number}"
        subprocess.run([options.make_parts, job, "3", "2", "200"], check=True, timeout=60)
        part = sorted((job / "parts").iterdir())[1]
        file = part / name
        if not file.exists():  # parts need no definitions of their own
            continue
        whole = file.read_bytes()
        damage(file) if damage else os.truncate(file, len(whole) - 4)
        what = f"{name} is {how}"
        said = tracer(options, "merge", job, status=1).stderr
        if part.name not in said:
            yield f"{what}: the part is not named: {said}"
        if [one.name for one in (job / "parts").iterdir()] != [part.name]:
            yield f"{what}: of the parts there are {sorted(one.name for one in (job / 'parts').iterdir())}"
            continue
        found, contents = judge(job / "traces.otf2", options.tracer, but="ProgramBegin|never")
        yield from (f"{what}: {fault}" for fault in found)
        if contents and contents.processes != 2:
            yield f"{what}: {contents.processes} processes instead of 2"
        file.write_bytes(whole)
        tracer(options, "merge", "-q", job)
        found, contents = judge(job / "traces.otf2", options.tracer, but="ProgramBegin|never")
        yield from (f"{what}, and whole again: {fault}" for fault in found)
        if contents and contents.processes != 3:
            yield f"{what}, and whole again: {contents.processes} processes instead of 3"
    job = directory / "killed"
    subprocess.run([options.make_parts, job, "3", "2", "200"], check=True, timeout=60)
    tracer(options, "merge", "-q", "-o", job / "merging", job)
    (job / "merging").chmod(0o700)
    (job / "merging" / "joined").write_text("".join(part.name + "\n" for part in (job / "parts").iterdir()))
    event_file = job / "merging" / "traces" / "0.evt"
    content = event_file.read_bytes()
    event_file.unlink()  # a link to the part's
    event_file.write_bytes(content[:60])
    tracer(options, "merge", "-q", job)
    found, contents = judge(job / "traces.otf2", options.tracer, but="ProgramBegin|never")
    yield from (f"a killed merger's: {fault}" for fault in found)
    if contents and contents.processes != 3:
        yield f"a killed merger's: {contents.processes} processes instead of 3"


def killed_converter(options, directory):
    """A converter that was killed when it had made its archive and began to remove the raw trace, at each step of that: samples may be missing, so the raw trace is
    converted again as long as it is whole, and never joined twice. One that is to stay stays, and is not joined twice either."""
    shim = directory / "killed_at.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", str(pathlib.Path(__file__).parent / "killed_at.c"), "-o", str(shim)], check=True)
    two = ("--", "sh", "-c", f"{options.program} 3; {options.program} 4")
    for step in ("kept:2", "trace:1", "rings:1", "samples:1", "journal:1"):
        job = directory / step.partition(":")[0]
        tracer(options, "run", "-q", "--raw", "-o", job, *two)
        part = next((job / "parts").iterdir())
        done = subprocess.run([options.tracer, "convert", str(part)], env=clean(LD_PRELOAD=str(shim), KILL_AT=step), capture_output=True, text=True)
        if done.returncode != -9 or not (part / "traces.otf2").exists() or not (part / "raw").exists():
            yield f"is not killed at {step}: {done.returncode} {done.stderr}"
        if step == "journal:1":  # and who converted the first process' trace when all but the directory was gone
            tracer(options, "convert", "-q", job)
            (job / "raw").mkdir()
        tracer(options, "merge", "-q", job)
        yield from one_archive(options, job, 2, 14)
    job = directory / "stays"
    tracer(options, "run", "-q", "--separate", "--set", "KEEP_RAW=on", "-o", job, *two)
    for again in (False, True):
        tracer(options, "merge", "-q", job)
        faults = []
        if (found := sections_of(options, job, faults)) != 14 or len(processes_of(job)) != 2 or faults:
            yield f"merged {'again' if again else ''} it has {found} critical sections of 14, {processes_of(job)} {faults}"
        if not any(job.rglob("raw/journal")):
            yield "a raw trace that was to stay is gone"
