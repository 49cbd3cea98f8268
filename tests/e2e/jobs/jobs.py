# SPDX-License-Identifier: BSD-3-Clause
"""What the cases of jobs share: starting `tracer run`, other commands, and what an archive has."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, judge  # noqa: E402

STRESS = int(os.environ.get("TRACER_STRESS", "1"))


def start(options, directory, *words, **more):
    environment = clean(TRACER_LIBRARY=options.tool, **more)
    return subprocess.Popen([options.tracer, "run", *map(str, words)], cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process, name, status, output):
    said, errors = process.communicate(timeout=240)
    if process.returncode != status or said != output:
        yield f"{name}: status {process.returncode} instead of {status}, {said!r} {errors!r}"


def sections_of(options, archive, faults):
    """The critical sections that an archive has; its faults go to `faults`."""
    found, contents = judge(archive / "traces.otf2", options.tracer)
    faults += found
    return contents.enters["critical"] if contents else 0


def state_of(directory):
    return {str(p): p.read_bytes() for p in sorted(directory.rglob("*")) if p.is_file()}


def leftovers(directory):
    return [str(p) for p in directory.rglob("*") if p.name in ("raw", "job", "runs", "parts")]


def tracer(options, *words, status=0, **more):
    done = subprocess.run([options.tracer, *map(str, words)], env=clean(TRACER_LIBRARY=options.tool, **more), capture_output=True, text=True, timeout=240)
    if done.returncode != status:
        raise SystemExit(f"tracer {' '.join(map(str, words))}: status {done.returncode}: {done.stdout}{done.stderr}")
    return done


def processes_of(archive):
    """(name, name of the process that started it, number of events, first and last time) of each, in the archive's order."""
    import otf2
    with otf2.reader.open(str(archive / "traces.otf2")) as trace:
        seen = {}
        for location, event in trace.events:
            count, first, _ = seen.get(location.group, (0, event.time, 0))
            seen[location.group] = (count + 1, first, event.time)
        return [(group.name, group.creating_location_group.name if group.creating_location_group else "", *seen.get(group, (0, 0, 0)))
                for group in trace.definitions.location_groups]


def one_archive(options, archive, processes, sections):
    """The job's directory has an archive of so many processes and critical sections, and nothing else."""
    faults = []
    found = sections_of(options, archive, faults)
    yield from faults
    if found != sections:
        yield f"{archive.name}: {found} critical sections instead of {sections}"
    if not faults and len(made := processes_of(archive)) != processes:
        yield f"{archive.name}: the processes are {made}"
    if left := sorted(p.name for p in archive.iterdir() if p.name not in ("traces", "traces.def", "traces.otf2")):
        yield f"{archive.name}: {left} are left"
