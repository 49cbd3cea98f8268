#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_parts.py TRACER LIBRARY PROGRAM...: real programs, traced. What `tracer report` says of the parts of a trace, from one
time to the next, is together what it says of the whole: of each construct its time and waiting, of each thread what it did."""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PIECES = 5
tracer, library = (os.path.abspath(path) for path in sys.argv[1:3])


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def report(archive, *options):
    return json.loads(subprocess.run([tracer, "report", "--json", archive, *options], check=True, capture_output=True, text=True).stdout)


def times(said):
    """Nanoseconds by what they are of."""
    found = collections.Counter()
    for row in said["constructs"]:
        found[row["region"], "self"] += row["exclusive_ns"]
    for row in said["threads"]:
        for what, ns in row["time"].items():
            if what not in ("idle_ns",):  # of a thread before its first event nothing is said
                found[row["name"], what] += ns
    return +found


def check_times(archive, name):
    whole = report(archive)
    need(whole["trace"]["irregular_events"] == 0, f"{name}: {whole['trace']['events']} events, all in place")
    cuts = [whole["wall_ns"] * piece // PIECES for piece in range(PIECES + 1)]
    parts = [report(archive, "--from", f"{begin}ns", "--to", f"{end}ns") for begin, end in zip(cuts, cuts[1:])]
    need(all(part["trace"]["irregular_events"] == 0 for part in parts), f"{name}: all are in place in its parts, too")
    together = sum((times(part) for part in parts), collections.Counter())
    expected = times(whole)
    differ = {key: (expected[key], together[key]) for key in expected | together if expected[key] != together[key]}
    need(not differ, f"{name}: the parts have together what the whole has {dict(list(differ.items())[:3])}")
    need(sum(part["trace"]["events"] for part in parts) >= whole["trace"]["events"], f"{name}: no event is in no part")
    need(all("from " in part["trace"]["properties"]["TRACER::PART"] for part in parts[1:]), f"{name}: and say what they are")


def check_threads(archive, name):
    whole, one = report(archive), report(archive, "--threads", "0")
    first = whole["threads"][0]
    need([row["name"] for row in one["threads"]] == [first["name"]] and one["threads"][0]["time"] == first["time"], f"{name}: a single thread did what it does among all")
    need(not one["verdict"]["findings"] and one["verdict"]["state"] != "ok", f"{name}: of some threads no advice is given")
    for words, what in ((["--threads", "900"], "no such thread"), (["--from", "900s"], "behind its end"), (["--ranks", "900"], "no such thread or process")):
        done = subprocess.run([tracer, "report", archive, *words], capture_output=True, text=True, check=False)
        need(done.returncode != 0 and what in done.stderr and not done.stdout, f"{name}: {' '.join(words)} is refused: {done.stderr.strip()}")


def check_tables(archive, name, directory):
    """The same part of the trace in tables: their Enters are the report's."""
    wall = report(archive)["wall_ns"]
    part = ["--from", f"{wall // 3}ns", "--to", f"{wall // 2}ns"]
    said = report(archive, *part)
    tables = directory / (name + ".csv.d")
    subprocess.run([tracer, "export", archive, "-f", "csv", *part, "-o", tables], check=True, capture_output=True)
    with open(tables / "slices.csv", encoding="utf-8") as file:
        slices = sum(1 for _ in file) - 1
    entered = sum(row["count"] for row in said["constructs"])
    need(slices >= entered > 0, f"{name}: {slices} slices are in the part's tables, of {entered} regions")
    parquet = directory / (name + ".parquet")
    done = subprocess.run([tracer, "export", archive, "-f", "parquet", *part, "-o", parquet], check=True, capture_output=True, text=True)
    rows = int(done.stderr.split(": ")[-1].split(" rows")[0].replace(",", ""))
    need(0 < rows and any(parquet.rglob("regions*.parquet")), f"{name}: and {rows} rows in Parquet's")


def check_archives(archive, name, directory):
    """Parts as archives of their own: valid wherever they are cut, and what the same part is of the whole."""
    wall = report(archive)["wall_ns"]
    for piece in range(12):
        part = ["--from", f"{wall * piece // 12}ns", "--to", f"{wall * (piece + 1) // 12 + piece}ns"]
        cut = directory / f"{name}.cut{piece}"
        subprocess.run([tracer, "export", archive, "-f", "otf2", *part, "-o", cut], check=True, capture_output=True)
        check = subprocess.run([tracer, "check", cut], capture_output=True, text=True, check=False)
        need(check.returncode == 0, f"{name}, part {piece} as an archive: {check.stdout.strip().splitlines()[-1]}")
        need(times(report(cut)) == times(report(archive, *part)), f"{name}, part {piece}: it says what the part of the whole says")
    for how in ([], ["--distinct-times"]):
        whole = directory / f"{name}.whole{len(how)}"
        whole.mkdir()  # nothing is in it yet
        subprocess.run([tracer, "export", archive, "-f", "otf2", *how, "-o", whole], check=True, capture_output=True)
        again = subprocess.run([tracer, "export", archive, "-f", "otf2", *how, "-o", whole], capture_output=True, text=True, check=False)
        need(again.returncode == 1 and "is not empty" in again.stderr, f"{name}: and what there is stays")
        check = subprocess.run([tracer, "check", whole], capture_output=True, text=True, check=False)
        need(check.returncode == 0, f"{name}, all of it {how}: {check.stdout.strip().splitlines()[-1]}")
        # A part of a nanosecond is none in what is read again: sums differ where times went on into the next one.
        need(how or times(report(whole)) == times(report(archive)), f"{name}, all of it: it says what the archive says")
    refused = subprocess.run([tracer, "export", archive, "-f", "otf2", "--threads", "0", "-o", directory / "none"], capture_output=True, text=True, check=False)
    need(refused.returncode != 0 and "whole processes" in refused.stderr and not (directory / "none").exists(), f"{name}: an archive of one thread is refused")


def check_checks(archive, name, directory):
    """Parts under `tracer check`, by an index and without one: valid as the whole is, and their events are together the whole's."""
    whole = json.loads(subprocess.run([tracer, "check", "--json", archive], check=True, capture_output=True, text=True).stdout)
    indexed = directory / (name + ".indexed")
    shutil.copytree(archive, indexed)
    subprocess.run([tracer, "convert", "--index", indexed], check=True, capture_output=True)
    need((indexed / "traces.index").is_file(), f"{name}: it has an index")
    wall, pieces = report(archive)["wall_ns"], 24
    for of in (archive, indexed):
        events = 0
        for piece in range(pieces):
            begin, end = wall * piece // pieces, wall * (piece + 1) // pieces - 1
            words = ["--from", f"{begin}ns"] + (["--to", f"{end}ns"] if piece + 1 < pieces else [])
            done = subprocess.run([tracer, "check", "--json", of, *words], capture_output=True, text=True, check=False)
            need(done.returncode == 0, f"{name}: its part {' '.join(words)} is valid {'' if done.returncode == 0 else done.stdout}")
            events += json.loads(done.stdout)["events"]
        need(events == whole["events"], f"{name}: {events} events are in the parts, {whole['events']} in the whole")
    said = subprocess.run([tracer, "check", archive, "--from", "1us", "--threads", "0", "--expect", "barrier=1"], capture_output=True, text=True, check=False)
    need(said.returncode == 2 and "not a part of it" in said.stderr, f"{name}: counts of the program are of the whole: {said.stderr.strip()}")
    for words, status, what in ((["--threads", "900"], 1, "no such thread"), (["--from", "900s"], 1, "behind its end"), (["--from", "2us", "--to", "1us"], 2, "is not before")):
        done = subprocess.run([tracer, "check", archive, *words], capture_output=True, text=True, check=False)
        need(done.returncode == status and what in done.stderr and not done.stdout, f"{name}: {' '.join(words)} is refused: {done.stderr.strip()}")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        for program in sys.argv[3:]:
            name = pathlib.Path(program).name
            archive = directory / name
            subprocess.run([tracer, "run", "-q", "-o", archive, "--", program], check=True, capture_output=True, env={**os.environ, "TRACER_LIBRARY": library})
            check_times(archive, name)
            check_threads(archive, name)
            check_tables(archive, name, directory)
            check_archives(archive, name, directory)
            check_checks(archive, name, directory)


main()
