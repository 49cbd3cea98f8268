# SPDX-License-Identifier: BSD-3-Clause
"""The samples of a known trace in each export: call stacks, pauses and counters."""
import collections
import csv
import json
import sqlite3
import subprocess

from exported import enters, export, fields, need

REGION_PATH = ["main", "solve", "parallel @example.c:10"]


def check_perfetto_samples(path, report):
    """The samples' call stacks, as a reader resolves what is interned."""
    strings, frames, stacks, samples, threads = {5: {}, 17: {}, 18: {}}, {}, {}, [], {}
    tracks, counted = {}, collections.Counter()
    for _, packet in fields(path.read_bytes()):
        values = dict(fields(packet))
        for number, entry in fields(values.get(12, b"")):
            if number in strings:
                entry = dict(fields(entry))
                strings[number][entry[1]] = entry[2].decode()
            elif number == 6:
                frame = dict(fields(entry))
                frames[frame[1]] = (strings[5][frame[2]], strings[18].get(frame.get(5), ""), frame[3], frame[4])
            elif number == 7:
                stack = list(fields(entry))
                stacks[dict(stack)[1]] = [frames[value][0] for number, value in stack if number == 2]
        if 60 in values and 4 in dict(fields(values[60])):
            thread = dict(fields(dict(fields(values[60]))[4]))
            threads[thread[2]] = thread[1]
        if 60 in values and 8 in dict(fields(values[60])):
            track = dict(fields(values[60]))
            tracks[track[1]] = track[2].decode()
        if 11 in values and dict(fields(values[11])).get(9) == 4:
            event = dict(fields(values[11]))
            counted[tracks[event[11]], event[30]] += 1
        if 66 in values:
            sample = dict(fields(values[66]))
            need_thread = threads[sample[3]] == sample[2]
            if not need_thread:
                raise SystemExit("FAILED: a sample's thread is not described")
            samples.append((sample[3], values[8], stacks[sample[4]]))
    need(len(samples) == report["samples"]["samples"] == 109, f"perfetto: {len(samples)} samples")
    kernel = [sample for sample in samples if sample[2] == [*REGION_PATH, "kernel"]]
    need(len(kernel) == 56, "perfetto: with the paths that the report has")
    need(collections.Counter(thread for thread, _, _ in samples) == {101: 40, 102: 15, 103: 26, 104: 28}, "perfetto: of the threads they are of")
    need(counted == {("instructions", 3000): 66, ("instructions", 100): 43, ("cycles", 2000): 108} and len(tracks) == 8, f"perfetto: counters of each thread {counted}")
    need(("kernel", "/src/kernel.c") in {frame[:2] for frame in frames.values()}, "perfetto: and files")


def check_sample_rows(paths, samples, pauses, of):
    """Rows as dicts of texts."""
    known = {0: []}
    for row in paths:
        known[int(row["path"])] = [*known[int(row["parent"])], row["name"]]
    counts = collections.Counter((tuple(known[int(row["path"])]), row["activity"]) for row in samples)
    need(counts == {(("main", "init"), "work"): 5, (("main", "save"), "work"): 5, ((*REGION_PATH, "kernel"), "work"): 56, (tuple(REGION_PATH), "barrier"): 43},
         f"{of}: samples by path and what was done {counts}")
    first = min(int(row["time_ns"]) for row in samples)
    need(first == 500_000, f"{of}: their times count from the trace's begin {first}")
    need({row["line"] for row in samples if known[int(row["path"])][-1] == "kernel"} <= {30, "30"}, f"{of}: lines")
    need([(int(row["location"]), int(row["end_ns"]) - int(row["begin_ns"]), int(row["preempted"])) for row in pauses]
         == [(1, 15_000_000, 0), (2, 4_000_000, 1), (3, 2_000_000, 1)], f"{of}: times in which threads did not run")


def check_counted(counters, values, of):
    """3000 instructions for each sample of work, 100 for one of waiting; 2000 cycles, but none of the very first."""
    need([(int(row["counter"]), row["name"], row["unit"]) for row in counters] == [(0, "instructions", "1"), (1, "cycles", "1")], f"{of}: counters {counters}")
    found = collections.Counter((int(row["counter"]), int(row["value"])) for row in values)
    need(found == {(0, 3000): 66, (0, 100): 43, (1, 2000): 108}, f"{of}: what was counted {found}")


def check_samples(tracer, make_trace, directory, has_sqlite):
    archive = directory / "sampled"
    subprocess.run([make_trace, "sampled", archive], check=True)
    _, _, _, report = enters(tracer, archive)
    check_perfetto_samples(export(tracer, archive, "perfetto", directory / "sampled.pftrace"), report)
    tables = export(tracer, archive, "csv", directory / "sampled.csv.d")

    def table(name):
        with open(tables / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    check_sample_rows(table("sampled_paths.csv"), table("samples.csv"), table("pauses.csv"), "csv")
    check_counted(table("sampled_counters.csv"), table("sampled_values.csv"), "csv")
    if has_sqlite:
        database = sqlite3.connect(export(tracer, archive, "sqlite", directory / "sampled.sqlite"))
        database.row_factory = sqlite3.Row
        check_sample_rows(*([dict(row) for row in database.execute("SELECT * FROM " + name)] for name in ("sampled_paths", "samples", "pauses")), "sqlite")
        check_counted(*([dict(row) for row in database.execute("SELECT * FROM " + name)] for name in ("sampled_counters", "sampled_values")), "sqlite")
        rows = [tuple(row) for row in database.execute("SELECT function, thread, count(*) FROM named_samples WHERE region_name LIKE '%barrier%' GROUP BY function, thread ORDER BY thread")]
        need(rows == [(REGION_PATH[-1], "Master thread", 20), (REGION_PATH[-1], "OMP thread 1", 5), (REGION_PATH[-1], "OMP thread 2", 18)], f"sqlite: with names {rows}")
        database.close()
    part = directory / "part.csv.d"
    subprocess.run([tracer, "export", archive, "-f", "csv", "--from", "15ms", "--to", "25ms", "--threads", "3", "-o", part], check=True, stderr=subprocess.DEVNULL)
    with open(part / "samples.csv", newline="", encoding="utf-8") as file:
        need(len(list(csv.DictReader(file))) == 10, "a part has the samples of its time and threads")

    def samples_of(*part):
        return json.loads(subprocess.run([tracer, "samples", archive, "--form", "json", *part], check=True, capture_output=True).stdout)["samples"]

    need(samples_of("--from", "15ms", "--to", "25ms", "--threads", "3") == 10, "and tracer samples shows them")
    halves = [samples_of("--to", "20000001ns"), samples_of("--from", "20000002ns")]
    need(sum(halves) == samples_of() and all(halves), f"two parts have all samples together: {halves}")
