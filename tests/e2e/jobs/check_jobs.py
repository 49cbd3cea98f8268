#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several processes under `tracer run`: beside each other in one directory, in one job, in a script.

check_jobs.py --tool libtracer.so --tracer tracer --make-parts make_parts --outlives OUTLIVES PROGRAM [CASE...]

TRACER_STRESS=N: N times as many."""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "samples"))
from mpi_jobs import environment  # noqa: E402
from samples_file import SamplesFile  # noqa: E402
from traced import clean  # noqa: E402
from interrupted import damaged_parts, killed_converter, killed_merger  # noqa: E402
from jobs import STRESS, ended, judge, leftovers, one_archive, processes_of, sections_of, start, state_of, tracer  # noqa: E402
from own_place import arrives_meanwhile, damaged_first, late, others_archive, outlived  # noqa: E402


def eight_at_once(options, directory):
    """Without a name, and with the same for all."""
    for arguments in ([], ["-o", "out"]):
        for round_ in range(3 * STRESS):
            place = directory / f"{len(arguments)}-{round_}"
            place.mkdir()
            regions = [3 + number for number in range(8)]
            runs = [start(options, place, "-q", *arguments, "--", options.program, n, n) for n in regions]
            for n, process in zip(regions, runs):
                yield from ended(process, f"one of eight {arguments}", n, f"{2 * n}\n")
            faults = []
            sections = sorted(sections_of(options, anchor.parent, faults) for anchor in place.glob("*/traces.otf2"))
            yield from faults
            if sections != [2 * n for n in regions]:
                yield f"eight at once {arguments}: the archives have {sections} critical sections"
            if left := leftovers(place):
                yield f"eight at once {arguments}: {left} are left"


def script(options, directory):
    """The programs of a script, and the children of a program: one archive, with who started whom."""
    app = options.program
    process = start(options, directory, "-q", "-o", "out", "--", "sh", "-c", f"{app} 3; {app} 4; exit 5")
    yield from ended(process, "script", 5, "6\n8\n")
    yield from one_archive(options, directory / "out", 2, 14)
    # As a process leaves it that was killed before it could begin its journal.
    process = start(options, directory, "-q", "-o", "unbegun", "--", "sh", "-c", f"mkdir -p unbegun/parts/killed.1/raw; {app} 3; {app} 4")
    yield from ended(process, "unbegun", 0, "6\n8\n")
    yield from one_archive(options, directory / "unbegun", 2, 14)
    process = start(options, directory, "-q", "-o", "forks", "--", app, 3, 0, 2)
    yield from ended(process, "forks", 0, "6\n6\n6\n")
    yield from one_archive(options, directory / "forks", 3, 18)
    started_by = [row[1] for row in processes_of(directory / "forks")]
    # A child whose parent has ended when it records first has lost it: the kernel gave it to another.
    if len(set(started_by)) < 2 or "" not in started_by:
        yield f"forks: who started whom is told as {processes_of(directory / 'forks')}"


def launchers(options, directory):
    """Ranks that have a `tracer run` each, and ranks below one."""
    for name, command in (("openmpi", ["mpiexec.openmpi", "--oversubscribe"]), ("mpich", ["mpiexec.mpich"])):
        if shutil.which(command[0]) is None:
            print(f"not tested: launchers: no {command[0]} here")
            continue
        for ranks in (1, 3):
            for place, words in ((f"{name}{ranks}", [*command, "-np", str(ranks), options.tracer, "run", "-q", "-o", f"{name}{ranks}", "--", options.program, "5"]),
                                 (f"{name}{ranks}below", [options.tracer, "run", "-q", "-o", f"{name}{ranks}below", "--", *command, "-np", str(ranks), options.program, "5"])):
                done = subprocess.run(words, cwd=directory, env=environment(TRACER_LIBRARY=options.tool),
                                      capture_output=True, text=True, timeout=240)
                if done.returncode != 0 or sorted(done.stdout.split()) != ["10"] * ranks:
                    yield f"{place}: status {done.returncode}, {done.stdout!r} {done.stderr!r}"
                yield from one_archive(options, directory / place, ranks, 10 * ranks)
                names = [row[0] for row in processes_of(directory / place)]
                if ranks > 1 and names != [f"Rank {rank}" for rank in range(ranks)]:
                    yield f"{place}: the processes are called {names}"


def without_streams(options, directory):
    """A rank whose `tracer run` is started without some of the standard streams: the program has them closed, and its trace is the job's."""
    rank = {"SLURM_JOB_ID": "1", "SLURM_STEP_ID": "1", "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1"}
    for closed, said in (([0], "10\n"), ([1, 2], ""), ([0, 1, 2], "")):
        place = "without" + "".join(map(str, closed))
        are_closed = " && ".join(f"test ! -e /proc/$$/fd/{fd}" for fd in closed)
        words = [options.tracer, "run", "-o", place, "--", "sh", "-c", f'{are_closed} || exit 9; exec "$0" 5 3', options.program]
        done = subprocess.run(words, cwd=directory, env=clean(TRACER_LIBRARY=options.tool, **rank), capture_output=True, text=True, timeout=240,
                              preexec_fn=lambda closed=closed: [os.close(fd) for fd in closed])
        if done.returncode != 3 or done.stdout != said:
            yield f"without {closed}: status {done.returncode}, {done.stdout!r} {done.stderr!r}"
        yield from one_archive(options, directory / place, 1, 10)


def by_hand(options, directory):
    """Archives made apart, raw ones, one that is damaged, and one that comes later."""
    for number in (1, 2, 3):
        tracer(options, "run", "-q", "-o", directory / f"a{number}", "--", options.program, number)
    before = state_of(directory)
    tracer(options, "merge", "-q", "-o", directory / "all", directory / "a1", directory / "a2", directory / "a3")
    if {path: content for path, content in state_of(directory).items() if "/all/" not in path} != before:
        yield "merge -o changed what it read"
    yield from one_archive(options, directory / "all", 3, 12)
    tracer(options, "merge", "-q", "-o", directory / "one", "--part", "1/2", directory / "a1", directory / "a2", directory / "a3")
    tracer(options, "merge", "-q", "-o", directory / "two", "--part", "2/2", directory / "a1", directory / "a2", directory / "a3")
    tracer(options, "merge", "-q", "-o", directory / "tree", directory / "one", directory / "two")
    yield from one_archive(options, directory / "tree", 3, 12)
    # A clock's line that is drawn twice may round twice: two nanoseconds.
    in_shares, at_once = processes_of(directory / "tree"), processes_of(directory / "all")
    if [row[:3] for row in in_shares] != [row[:3] for row in at_once] or any(
            abs(a - b) > 2 for one, other in zip(in_shares, at_once) for a, b in zip(one[3:5], other[3:5])):
        yield f"in shares: {processes_of(directory / 'tree')}, at once: {processes_of(directory / 'all')}"
    tracer(options, "run", "-q", "--raw", "-o", directory / "raw", "--", "sh", "-c", f"{options.program} 3; {options.program} 4")
    tracer(options, "merge", "-q", directory / "raw")
    yield from one_archive(options, directory / "raw", 2, 14)
    tracer(options, "run", "-q", "--separate", "-o", directory / "apart", "--", "sh", "-c", f"{options.program} 3; {options.program} 4; {options.program} 5")
    part = sorted((directory / "apart" / "parts").iterdir())[0]
    whole = (part / "traces.def").read_bytes()
    (part / "traces.def").write_bytes(whole[:200])
    said = tracer(options, "merge", directory / "apart", status=1).stderr
    if part.name not in said or "damaged" not in said:
        yield f"a damaged part is said so: {said!r}"
    (part / "traces.def").write_bytes(whole)
    tracer(options, "merge", "-q", directory / "apart")
    yield from one_archive(options, directory / "apart", 3, 24)


def ends_of(archive):
    """When the kernel ended each process, as the archive says: of one process the anchor, of several their groups."""
    said = "".join(subprocess.run(["otf2-print", what, archive / "traces.otf2"], capture_output=True, text=True, timeout=60).stdout for what in ("-I", "-G"))
    return [int(time) for time in re.findall(r'TRACER::RUN::PROCESS_END_NS(?:" <.*Value: "|\nProperty value +)(\d+)', said)]


def other_clocks(options, directory):
    """Processes whose clocks tell another time, as on other hosts: each after the one before it, and within its run."""
    for number, clock in enumerate(("0 0", "1e9 50", "-1e9 -50")):
        process = start(options, directory, "-q", "-o", f"c{number}", "--", options.program, 20, TRACER_TEST_CLOCK=clock)
        yield from ended(process, "another clock", 0, "40\n")
    tracer(options, "merge", "-q", "-o", directory / "all", *(directory / f"c{number}" for number in range(3)))
    yield from one_archive(options, directory / "all", 3, 120)
    rows = processes_of(directory / "all")
    for earlier, later in zip(rows, rows[1:]):
        if not earlier[4] < later[3] < earlier[4] + 60_000_000_000:
            yield f"one process begins before the one before it has ended: {rows}"
    for share in (1, 2):
        tracer(options, "merge", "-q", "--part", f"{share}/2", "-o", directory / f"share{share}", *(directory / f"c{number}" for number in range(3)))
    tracer(options, "merge", "-q", "-o", directory / "tree", directory / "share1", directory / "share2")
    at_once, in_shares = ends_of(directory / "all"), ends_of(directory / "tree")
    if len(at_once) != 3 or len(in_shares) != 3 or any(abs(a - b) > 2 for a, b in zip(at_once, in_shares)):
        yield f"when processes ended: {at_once}, in shares {in_shares}"
    alone, own = ends_of(directory / "c1"), processes_of(directory / "c1")[0][4]
    if len(alone) != 1 or abs(rows[1][4] - own) < 1_000_000_000 or abs((at_once[1] - alone[0]) - (rows[1][4] - own)) > 100_000:
        yield f"a clock that is seconds away: by it the last event is at {own} and the process ended at {alone}; in the job at {rows[1][4]} and {at_once[1:2]}"


def many_parts(options, directory):
    """Generated parts of many ranks on several hosts, whose references all differ: joined at once and in shares, the same events."""
    parts, threads, rounds = (1000 if STRESS > 1 else 40), 4, 3
    job = directory / "job"
    subprocess.run([options.make_parts, job, str(parts), str(threads), str(rounds)], check=True, timeout=240)
    for share in (1, 2, 3):
        tracer(options, "merge", "-q", "--part", f"{share}/3", "-o", directory / f"share{share}", job)
    tracer(options, "merge", "-q", "-o", directory / "tree", *(directory / f"share{share}" for share in (1, 2, 3)))
    tracer(options, "merge", "-q", job)
    for name in ("job", "tree"):
        tables = {file.stat().st_ino for file in (directory / name / "traces").glob("*.def")}
        if len(tables) > parts:
            yield f"{name}: {len(tables)} files of mapping tables for {parts} processes"
        found, contents = judge(directory / name / "traces.otf2", options.tracer, but="ProgramBegin|never")
        yield from (f"{name}: {fault}" for fault in found)
        if contents and (contents.enters["for"], contents.enters["parallel"], contents.processes) != (19 * parts * threads * rounds, parts * threads * rounds, parts):
            yield f"{name}: {contents.enters}, {contents.processes} processes"
        if contents and len(contents.definitions.regions) != 40:
            yield f"{name}: {len(contents.definitions.regions)} regions instead of 40"
        said = tracer(options, "info", directory / name).stdout
        if said.count("TRACER::PROCESSES:") != 1 or said.split("TRACER::PROCESSES:")[1].split()[0] != str(parts):
            yield f"{name}: tracer info says {said}"
    if processes_of(job) != processes_of(directory / "tree"):
        yield "in shares and at once the processes differ"


def raw_parts(options, directory):
    """Raw parts that are converted several at once: the events and the messages are those of one after the other, and a part that
    cannot be read is named, left out and kept."""
    job = directory / "job"
    tracer(options, "run", "-q", "--raw", "-o", job, "--", "sh", "-c", "; ".join(f"{options.program} {n}" for n in range(3, 9)))
    damaged = sorted(part.name for part in (job / "parts").iterdir())[1]
    (job / "parts" / damaged / "raw" / "journal").write_bytes(bytes(100))
    made = []
    for threads in ("1", "4"):
        place = directory / threads
        shutil.copytree(job, place)
        said = tracer(options, "merge", "-q", "-j", threads, place, status=1).stderr
        if damaged not in said or not (place / "parts" / damaged / "raw" / "journal").exists():
            yield f"by {threads} threads a damaged raw part is not named, or not kept: {said!r}"
        if left := [str(path) for path in place.rglob("raw/journal") if damaged not in str(path)]:
            yield f"by {threads} threads {left} are not converted"
        found, contents = judge(place / "traces.otf2", options.tracer)
        yield from (f"by {threads} threads: {fault}" for fault in found)
        if contents and contents.processes != 5:
            yield f"by {threads} threads: {contents.processes} processes instead of 5"
        made.append((said.replace(str(place), "JOB"), {file.name: file.read_bytes() for file in (place / "traces").glob("*.evt")}))
    if made[0] != made[1]:
        yield f"converted one after another and at once it differs: {made[0][0]!r} and {made[1][0]!r}, files {sorted(made[0][1])} and {sorted(made[1][1])}"


def shares(options, directory):
    """A share converts and reads its own parts: what the others have to do is theirs, and so is what is damaged there."""
    job = directory / "raw"
    tracer(options, "run", "-q", "--raw", "-o", job, "--", "sh", "-c", "; ".join(f"{options.program} {n}" for n in (3, 4, 5, 6)))
    left = [len(list(job.rglob("raw/journal")))]
    for share in (1, 2):
        tracer(options, "merge", "-q", "--part", f"{share}/2", "-o", directory / f"share{share}", job)
        left.append(len(list(job.rglob("raw/journal"))))
    if left != [4, 2, 0]:
        yield f"raw traces before and after each of two shares: {left}"
    tracer(options, "merge", "-q", "-o", directory / "all", directory / "share1", directory / "share2")
    faults = []
    sections = sections_of(options, directory / "all", faults)
    yield from faults
    if sections != 36 or len(processes_of(directory / "all")) != 4:
        yield f"two shares of raw traces have {sections} critical sections, {processes_of(directory / 'all')}"

    job = directory / "parts-job"
    subprocess.run([options.make_parts, job, "4", "2", "1"], check=True, timeout=60)
    last = max((job / "parts").iterdir(), key=lambda part: int(re.search(r"\d+", part.name).group()))
    events = sorted(last.glob("traces/*.evt"))[0]
    events.write_bytes(events.read_bytes()[:40])
    first = subprocess.run([options.tracer, "merge", "-q", "--part", "1/2", "-o", directory / "good", job], capture_output=True, text=True, timeout=60)
    if first.returncode != 0:
        yield f"a share reads the parts of another: {first.stderr}"
    tracer(options, "merge", "-q", "--part", "2/2", "-o", directory / "damaged", job, status=1)


def sampled(options, directory):
    """Samples of several processes are the job's, each with the thread that it was taken of."""
    job = directory / "job"
    tracer(options, "run", "-q", "--separate", "--sample=5000", "-o", job, "--", "sh", "-c", f"{options.program} 1000 0 0 300; {options.program} 1500 0 0 300",
           OMP_WAIT_POLICY="passive")

    def read(archive):
        """By the system's number of the thread: times and stacks of its samples, and its pauses."""
        said = subprocess.run(["otf2-print", "-G", str(archive / "traces.otf2")], capture_output=True, text=True, check=True).stdout
        known, found = collections.defaultdict(dict), SamplesFile(archive / "samples.bin")
        for location, name, value in re.findall(r'^LOCATION_PROPERTY .*<(\d+)>, Name: "TRACER::(THREAD_ID|SAMPLED_AS)" .* Value: "(\d+)"', said, re.MULTILINE):
            known[location][name] = int(value)
        threads = {of.get("SAMPLED_AS", of.get("THREAD_ID")): of["THREAD_ID"] for of in known.values()}
        taken = collections.defaultdict(lambda: ([], []))
        for sample in found.samples:
            taken[threads.get(sample.thread)][0].append((sample.time, found.functions(sample)))
        for pause in found.pauses:
            taken[threads.get(pause.thread)][1].append((pause.begin, pause.end))
        return taken

    def differ(one, other):
        return (one.keys() != other.keys() or any(len(one[t][i]) != len(other[t][i]) for t in one for i in (0, 1))
                or any(abs(a - b) > 1000 or stack != same for t in one for (a, stack), (b, same) in zip(one[t][0], other[t][0])))

    damaged = directory / "damaged"
    shutil.copytree(job, damaged)
    part = next((damaged / "parts").iterdir())
    os.truncate(part / "samples.bin", 100)
    said = tracer(options, "merge", damaged, status=1).stderr
    if "samples.bin" not in said or not (damaged / "parts" / part.name / "samples.bin").exists():
        yield f"a part's damaged samples are named and kept: {said!r}, {[str(p) for p in damaged.rglob('samples.bin')]}"
    if len(processes_of(damaged)) != 2 or not (damaged / "samples.bin").exists():
        yield f"with damaged samples the job has {processes_of(damaged)}"

    apart = {}
    for part in (job, *(job / "parts").iterdir()):  # the first process' archive is the job's as long as it is alone
        apart |= {thread: taken for thread, taken in read(part).items() if thread}
    total = sum(len(samples) for samples, _ in apart.values())
    if total < 100:
        yield f"only {total} samples were taken"
    for number in (1, 2):
        tracer(options, "merge", "-q", "-o", directory / f"share{number}", "--part", f"{number}/2", job)
    tracer(options, "merge", "-q", "-o", directory / "tree", directory / "share1", directory / "share2")
    tracer(options, "merge", "-q", job)
    for archive in (job, directory / "tree"):
        whole = {thread: taken for thread, taken in read(archive).items() if thread}
        if differ(apart, whole):
            yield f"{archive.name}: its samples are others than the parts': {total} and {sum(len(samples) for samples, _ in whole.values())}"
        said = tracer(options, "samples", archive).stdout
        counts = re.search(r"by ([\d,]+) samples.*?(?:; ([\d,]+) lie outside of the trace)?$", said, re.MULTILINE)
        if not counts or sum(int(count.replace(",", "")) for count in counts.groups() if count) != total:
            yield f"{archive.name}: tracer samples says {said.splitlines()[1:2]}, not {total}"
    if (job / "parts").exists():
        yield f"{sorted(str(path) for path in (job / 'parts').rglob('*'))} are left"


def results(options, directory):
    """A report is of one archive: where there are several, or where another `tracer run` makes it, a line says so."""
    app = options.program
    for words in (["--report"], ["--html", directory / "page.html"], ["--format", "parquet"]):
        place = directory / words[0].strip("-")
        done = tracer(options, "run", "--separate", *words, "-o", place, "--", "sh", "-c", f"{app} 3; {app} 4")
        advice = re.search(r"--separate keeps one for each process: (tracer report (\S+))", done.stderr)
        if done.stdout != "6\n8\n" or advice is None:
            yield f"{words} with --separate: {done.stdout!r} {done.stderr!r}"
        else:
            tracer(options, "report", advice[2])
        done = tracer(options, "run", "-o", directory / f"outer{words[0]}", "--", options.tracer, "run", *words, "--", app, 5)
        if done.stdout != "10\n" or done.stderr.count("are for the outer tracer run") != 1:
            yield f"{words} below another tracer run: {done.stdout!r} {done.stderr!r}"
        yield from one_archive(options, directory / f"outer{words[0]}", 1, 10)


CASES = {"results": results, "sampled": sampled, "killed converter": killed_converter, "many parts": many_parts, "raw parts": raw_parts, "shares": shares, "killed merger": killed_merger, "damaged parts": damaged_parts, "eight at once": eight_at_once, "a script": script, "launchers": launchers, "without streams": without_streams, "by hand": by_hand, "other clocks": other_clocks,
         "outlived": outlived, "others' archive": others_archive, "damaged first": damaged_first, "arrives meanwhile": arrives_meanwhile, "late": late}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--make-parts", required=True)
    parser.add_argument("--outlives", required=True)
    parser.add_argument("program")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    failures = 0
    for name in options.cases or CASES:
        with tempfile.TemporaryDirectory() as directory:
            faults = list(CASES[name](options, pathlib.Path(directory)))
        print("\n".join(f"{name}: {fault}" for fault in faults) or f"{name}: as it should be", flush=True)
        failures += bool(faults)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
