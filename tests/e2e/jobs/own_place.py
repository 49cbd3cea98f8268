# SPDX-License-Identifier: BSD-3-Clause
"""Cases of jobs whose own directory has a trace, whose place the job's archive must not take."""
import os
import pathlib
import subprocess

from jobs import clean, processes_of, tracer


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
