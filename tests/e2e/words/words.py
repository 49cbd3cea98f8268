#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What programs say through NVTX, ITT, Kokkos Tools and ROCTx is in the archive, every range that they count:
words.py --tool libtracer.so --tracer tracer speak"""
import argparse
import contextlib
import csv
import json
import pathlib
import re
import sqlite3
import sys
import tempfile

from said import Words
from traced import clean, judge, run

PARTS = {
    "nested ranges": ["nested"],
    "nested ranges of a program with OpenMP": ["openmp", "nested", "openmp"],
    "ranges that overlap": ["overlapping"],
    "ranges that end in another thread": ["threads"],
    "ranges that do not nest with OpenMP's regions": ["strays"],
    "words that are wrong": ["wrong"],
    "ITT": ["itt"],
    "Kokkos": ["kokkos"],
    "ROCTx": ["roctx"],
    "all": ["nested", "overlapping", "threads", "strays", "itt", "kokkos", "roctx", "wrong"],
}


def report_of(options, archive):
    return json.loads(run([options.tracer, "report", "--json", str(archive)], clean()).stdout)


def traced(options, parts, archive, *flags):
    return run([options.tracer, "run", "-o", str(archive), "--annotations", "nvtx,itt,kokkos,roctx", *flags, "--", options.program, *parts],
               clean(TRACER_LIBRARY=options.tool, OMP_NUM_THREADS="2"))


def check(options, title, directory):
    parts = PARTS[title]
    archive = pathlib.Path(directory, "trace")
    without = run([options.program, *parts], clean())
    done = traced(options, parts, archive)
    if (done.returncode, done.stdout) != (without.returncode, without.stdout):
        return (yield f"ends with {done.returncode} instead of {without.returncode}: {done.stdout}{done.stderr}")
    if "error" in done.stderr or "warning" in done.stderr:
        yield done.stderr
    faults, contents = judge(archive / "traces.otf2", options.tracer)
    yield from faults
    if contents is None:
        return
    words = Words(archive / "traces.otf2")
    yield from words.faults(done.stdout)
    properties = report_of(options, archive)["trace"]["properties"]
    if "wrong" in parts and not any(name.upper().endswith("WORDS_NAMES_CUT") for name in properties):
        yield f"the name that was cut is not counted: {list(properties)}"
    not_kept = [int(count) for name, count in properties.items() if name.upper().endswith("WORDS_SECTIONS_NOT_KEPT")]
    if "kokkos" in parts and not_kept != [5000 - 4096 + 1]:  # beside them the first one has a slot
        yield f"sections that do not fit are not counted: {not_kept}"
    not_kept = [int(count) for name, count in properties.items() if name.upper().endswith("WORDS_EVENTS_NOT_KEPT")]
    if "itt" in parts and not_kept != [4200 - 4096]:
        yield f"events that do not fit are not counted: {not_kept}"
    repaired = {name.rpartition("::")[2]: int(count) for name, count in properties.items() if "::REPAIRED::" in name}
    yield from look_closer(parts, words, repaired)


def look_closer(parts, words, repaired):
    virtual = {name for places in words.locations.values() for name in places if name.startswith(("NVTX", "ITT"))}
    if "wrong" not in parts and repaired:
        yield f"something was repaired: {repaired}"
    if "nested" in parts:
        if words.longest["20 ms"] < 0.02:
            yield f"20 ms took {words.longest['20 ms']} s"
        if {words.attributes["registered"].get(name) for name in ("CATEGORY", "COLOR", "PAYLOAD")} != {"numerics", 0xff00ff00, 42}:
            yield f"attributes: {words.attributes['registered']}"
        if parts == ["nested"] and virtual:
            yield f"nested ranges are on {virtual}"
    if "overlapping" in parts and words.longest["overlap b"] < 0.02:
        yield "overlap b is too short"
    if parts == ["overlapping"] and not {"NVTX", "NVTX (2)"} <= virtual:
        yield f"ranges that overlap are on {virtual}"
    if "threads" in parts and not 0.02 <= words.longest["across threads"]:
        yield f"a range that another thread ends after 20 ms took {words.longest['across threads']} s"
    if parts == ["threads"] and words.locations["in a thread"] != {f"Thread {n}" for n in range(1, 5)}:
        yield f"the threads are called {words.locations['in a thread']}"
    if "wrong" in parts:
        counted = sum(count for name, count in repaired.items() if "RANGE" in name.upper() or "range" in name)
        if counted < 5:  # an end and a stop too many, two pushes and a start without end
            yield f"not all that is wrong was counted: {repaired}"
        if max(len(name) for name in words.enters) < 60000:
            yield "the long name is missing"


def check_twice(options, directory):
    """libomp has ITT's hooks: with them bound, the archive is what it is without."""
    counts = []
    for chosen in ("none", "itt"):
        archive = pathlib.Path(directory, chosen)
        run([options.tracer, "run", "-q", "-o", str(archive), "--annotations", chosen, "--", options.program, "openmp"],
            clean(TRACER_LIBRARY=options.tool, OMP_NUM_THREADS="2"))
        faults, contents = judge(archive / "traces.otf2", options.tracer)
        yield from faults
        if contents:
            counts.append(contents.enters)
    if len(counts) == 2 and counts[0] != counts[1]:
        yield f"ITT changes what is told: {counts[0]} without, {counts[1]} with"


def check_others(options, directory):
    """A variable that names another tool is kept, and that is said; a wrong list is refused."""
    archive = pathlib.Path(directory, "kept")
    done = run([options.tracer, "run", "-o", str(archive), "--", options.program, "openmp"],
               clean(TRACER_LIBRARY=options.tool, NVTX_INJECTION64_PATH="/nowhere/other.so"))
    if done.returncode != 0 or "NVTX_INJECTION64_PATH names another tool" not in done.stderr:
        yield f"another tool: {done.stderr}"
    done = run([options.tracer, "run", "--annotations", "nvtx,other", "--", options.program], clean())
    if done.returncode == 0 or "not 'other'" not in done.stderr:
        yield f"a wrong list: {done.stderr}"


def exported(options, archive, kind, directory, *flags):
    target = pathlib.Path(directory, f"exported.{kind}")
    done = run([options.tracer, "export", "-f", kind, "-o", str(target), *flags, str(archive)], clean())
    if done.returncode != 0:
        raise RuntimeError(f"export {kind}: {done.stderr}")
    return target


def check_exports(options, directory):
    """Exports and the page have the table of the phases and their bands; what is no thread is called so."""
    archive = pathlib.Path(directory, "trace")
    traced(options, ["openmp", "nested", "overlapping"], archive)
    with contextlib.closing(sqlite3.connect(exported(options, archive, "sqlite", directory))) as base:
        def ask(question):
            return base.execute(question).fetchall()
        rows = dict(ask("SELECT name, count FROM phases JOIN region_names USING (region)"))
        if rows != {"nested outer": 1, "nested inner": 100, "step 0": 34, "step 1": 33, "step 2": 33, "20 ms": 1, "registered": 10,
                    "overlap a": 1, "overlap b": 1, "overlap c": 1}:
            yield f"sqlite: phases {rows}"
        bands = ask("SELECT count(*) FROM phase_bands")[0][0]
        if bands != sum(rows.values()):
            yield f"sqlite: {bands} bands"
        lanes = ask("SELECT max(lane) + 1 FROM phase_bands")[0][0]
        if lanes != 3:  # as deep as phases are nested
            yield f"sqlite: {lanes} lanes"
        if ask("SELECT count(*) FROM phase_bands a JOIN phase_bands b ON a.lane = b.lane AND a.begin_ns < b.begin_ns AND b.begin_ns < a.end_ns")[0][0]:
            yield "sqlite: bands of a lane overlap"
        kinds = {name for name, in ask("SELECT name FROM locations WHERE kind = 'virtual'")}
        if kinds != {"NVTX", "NVTX (2)"}:
            yield f"sqlite: virtual locations {kinds}"
    table = {}
    with open(exported(options, archive, "csv", directory) / "phases.csv", newline="") as file:
        table = list(csv.DictReader(file))
    if sum(int(row["count"]) for row in table) != bands:
        yield f"csv: {table}"
    chrome = json.loads(exported(options, archive, "chrome", directory).read_text())
    if sorted(row["name"] for row in chrome["phases"]) != sorted(rows):
        yield f"chrome: {chrome['phases']}"
    if [sum(event["ph"] == end for event in chrome["traceEvents"]) for end in "be"] != [bands, bands]:
        yield "chrome: other bands"
    if exported(options, archive, "perfetto", directory).read_bytes().count(b"Phases") != lanes:
        yield "perfetto: other tracks of bands"
    page = run([options.tracer, "report", "--html", "-", str(archive)], clean()).stdout
    meta = json.loads(page.partition('<script id="meta" type="application/json">')[2].partition("</script>")[0])
    shown = meta["sides"][0]["bands"]
    if len(shown) != bands or any(end < begin for *_, begin, end in shown):
        yield f"page: {len(shown)} bands"
    yield from check_filter(options, archive, directory)


def check_filter(options, archive, directory):
    target = exported(options, archive, "sqlite", directory, "--phase", "overlap ?")
    with contextlib.closing(sqlite3.connect(target)) as base:
        names = {name for name, in base.execute("SELECT DISTINCT region_name FROM named_slices")}
    if names != {"overlap a", "overlap b", "overlap c"}:
        yield f"--phase: {names}"
    within = pathlib.Path(directory, "within")
    run([options.tracer, "export", "--format", "otf2", "--phase", "overlap ?", "--exclude", "critical", "-o", str(within), str(archive)], clean())
    checked = run([options.tracer, "check", str(within)], clean())
    if checked.returncode != 0:
        yield f"the archive of a phase: {checked.stdout}{checked.stderr}"
    told = re.findall(r"TRACER::FILTER: *(.*)", run([options.tracer, "info", str(within)], clean()).stdout)
    if told != ["PHASE overlap ?; EXCLUDE critical"]:
        yield f"what is left out is told as {told}"
    done = run([options.tracer, "report", "--phase", "nothing", str(archive)], clean())
    if done.returncode == 0 or "no phase of the trace is called 'nothing'; there are: 20 ms, nested inner," not in done.stderr:
        yield f"--phase nothing: {done.stderr}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    failed = False
    checks = [(title, lambda o, d, t=title: check(o, t, d)) for title in PARTS]
    for title, body in [*checks, ("nothing twice", check_twice), ("other tools", check_others), ("exports", check_exports)]:
        with tempfile.TemporaryDirectory() as directory:
            for fault in body(options, directory):
                print(f"{title}: {fault[:3000]}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
