#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_export.py TRACER MAKE_TRACE: every export of known traces has the slices that the archive has: Chrome's
JSON by its schema, Perfetto's file by an independent decoder of protobuf, CSV and SQLite by their sums; and a
large export stays within its memory. TRACER_TEST_EXPORT_EVENTS: events of the large trace (default 1,000,000)."""
import collections
import csv
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile


def memory_limit():
    """MiB; a sanitizer's shadow and freed memory come on top."""
    return 1500 if os.environ.get("TRACER_TEST_SANITIZED") else 300


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


# ---- The truth: Enter events per region, by OTF2's own Python reader where there is one, else by the report.
def enters(tracer, archive):
    report = json.loads(subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True).stdout)
    counts = collections.Counter({row["name"]: row["count"] for row in report["constructs"]})
    total = collections.Counter({row["name"]: row["exclusive_ns"] for row in report["constructs"]})
    copies = sum(d[way]["count"] for d in report["devices"] for way in ("to_device", "from_device"))
    return counts, total, copies, report


def enters_by_otf2(archive):
    try:
        import otf2
    except ImportError:
        return None
    counts = collections.Counter()
    with otf2.reader.open(str(archive / "traces.otf2")) as trace:
        for _, event in trace.events:
            if type(event).__name__ == "Enter":
                counts[event.region.name] += 1
    return counts


# ---- Protobuf, decoded with nothing of ours.
def fields(data):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == 0:
            yield number, varint()
        elif kind == 1:
            yield number, int.from_bytes(data[at:at + 8], "little")
            at += 8
        elif kind == 2:
            size = varint()
            need_inside = at + size <= len(data)
            if not need_inside:
                raise SystemExit("FAILED: a field is longer than its message")
            yield number, data[at:at + size]
            at += size
        elif kind == 5:
            yield number, int.from_bytes(data[at:at + 4], "little")
            at += 4
        else:
            raise SystemExit(f"FAILED: wire type {kind}")
    if at != len(data):
        raise SystemExit("FAILED: a message ends in the middle of a field")


def check_perfetto(path, counts, copies):
    names, tracks, stacks = {}, {}, collections.defaultdict(list)
    slices, flows_out, flows_in, last = collections.Counter(), set(), set(), {}
    for number, packet in fields(path.read_bytes()):
        need_packet = number == 1
        if not need_packet:
            raise SystemExit("FAILED: a trace has packets only")
        packet = list(fields(packet))
        values = dict(packet)
        if 12 in values:
            for field, entry in fields(values[12]):
                if field == 2:
                    entry = dict(fields(entry))
                    names[entry[1]] = entry[2].decode()
        if 60 in values:
            descriptor = dict(fields(values[60]))
            tracks[descriptor[1]] = descriptor
        if 11 in values:
            event = list(fields(values[11]))
            one = dict(event)
            track, time = one[11], values[8]
            if track not in tracks:
                raise SystemExit("FAILED: an event's track is not described")
            if time < last.get(track, 0):
                raise SystemExit("FAILED: time decreases on a track")
            last[track] = time
            if one[9] == 1:
                slices[names[one[10]]] += 1
                stacks[track].append((one[10], time))
            elif one[9] == 2:
                stacks[track].pop()
            elif one[9] == 3:
                need_inside = stacks[track] and names[stacks[track][-1][0]].startswith("MPI_")
                if not need_inside:
                    raise SystemExit("FAILED: a message is outside of a call of MPI")
            flows_out |= {value for field, value in event if field == 47}
            flows_in |= {value for field, value in event if field == 48}
    need(not any(stacks.values()), "perfetto: every slice that begins ends")
    need(flows_in <= flows_out or not flows_out, "perfetto: every flow that ends has begun")
    found_copies = slices.pop("copy to device", 0) + slices.pop("copy from device", 0)
    need(slices == counts, f"perfetto: {sum(slices.values())} slices, as many as the archive has")
    need(found_copies == copies, f"perfetto: {copies} copies")
    if shutil.which("protoc") and path.stat().st_size < 1_000_000:
        decoded = subprocess.run(["protoc", "--decode_raw"], stdin=open(path, "rb"), capture_output=True, check=True).stdout
        need(decoded.count(b"\n1 {") + decoded.startswith(b"1 {") > 0, "perfetto: protoc decodes it")
    return flows_out, flows_in


def check_chrome(path, counts, copies):
    data = json.loads(path.read_text())
    need(set(data) == {"displayTimeUnit", "otherData", "traceEvents"}, "chrome: the object has its members")
    required = {"X": {"name", "cat", "pid", "tid", "ts", "dur"}, "M": {"name", "pid", "tid", "args"}, "C": {"name", "pid", "tid", "ts", "args"},
                "s": {"name", "cat", "id", "pid", "tid", "ts"}, "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"}}
    slices = collections.Counter()
    for event in data["traceEvents"]:
        missing = required[event["ph"]] - set(event)
        if missing:
            raise SystemExit(f"FAILED: {event} lacks {missing}")
        for field in ("ts", "dur"):
            if field in event and not (isinstance(event[field], (int, float)) and event[field] >= 0):
                raise SystemExit(f"FAILED: {field} of {event}")
        if event["ph"] == "X":
            slices[event["name"]] += 1
    found_copies = slices.pop("copy to device", 0) + slices.pop("copy from device", 0)
    need(slices == counts and found_copies == copies, f"chrome: {len(data['traceEvents'])} events follow the schema; as many slices as the archive has")


def check_csv(directory, counts, copies):
    def table(name):
        with open(directory / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    names = {row["region"]: row["name"] for row in table("region_names.csv")}
    locations = table("locations.csv")
    slices, longest = collections.Counter(), 0
    for row in table("slices.csv"):
        if int(row["end_ns"]) < int(row["begin_ns"]):
            raise SystemExit("FAILED: a slice ends before it begins")
        if row["continues"] == "0":
            slices[names[row["region"]]] += 1
        longest = max(longest, int(row["end_ns"]))
        if int(row["location"]) >= len(locations):
            raise SystemExit("FAILED: unknown location")
    found_copies = slices.pop("copy to device", 0) + slices.pop("copy from device", 0)
    need(slices == counts and found_copies == copies, "csv: as many slices as the archive has")
    return longest


def check_sqlite(path, counts, total, copies):
    database = sqlite3.connect(path)
    need(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "sqlite: the database is sound")
    slices = collections.Counter(dict(database.execute("SELECT region_name, count(*) FROM named_slices WHERE continues = 0 GROUP BY region_name")))
    found_copies = slices.pop("copy to device", 0) + slices.pop("copy from device", 0)
    need(slices == counts and found_copies == copies, "sqlite: as many slices as the archive has")
    # Time in a region itself: its slices without those one level deeper.
    own = dict(database.execute("""SELECT r.name, sum(s.end_ns - s.begin_ns) - coalesce(sum((SELECT sum(i.end_ns - i.begin_ns) FROM slices i
        WHERE i.location = s.location AND i.depth = s.depth + 1 AND i.begin_ns >= s.begin_ns AND i.end_ns <= s.end_ns)), 0)
        FROM slices s JOIN region_names r USING (region) GROUP BY r.name""")) if sum(counts.values()) < 5000 else None
    if own is not None:
        need(all(abs(own[name] - total[name]) <= 0.001 * total[name] for name in total), "sqlite: times in the regions add up to the report's")
    database.close()


def check_messages(rows, of):
    """Ten ranks of four threads, ten steps: each sends to the next, and rank 0 waits 2 ms for the last in each step."""
    pairs = collections.Counter((row["from_rank"], row["to_rank"], row["bytes"]) for row in rows)
    need(pairs == {(rank, (rank + 1) % 10, 1000 + rank): 10 for rank in range(10)}, f"{of}: every message is there")
    need(all(row["from_location"] == 4 * row["from_rank"] and row["to_location"] == 4 * row["to_rank"] for row in rows), f"{of}: messages name the threads of both ends")
    late = collections.Counter({row["to_rank"]: 0 for row in rows})
    for row in rows:
        late[row["to_rank"]] += row["late_sender_ns"]
        if row["late_receiver_ns"] or row["tag"] != 7 or row["from_ns"] > row["to_ns"]:
            raise SystemExit(f"FAILED: {of}: {row}")
    need(late[0] == 20_000_000 and sum(late.values()) == late[0], f"{of}: who waited is told with the message")


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


def check_samples(tracer, make_trace, directory):
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


def export(tracer, archive, kind, output):
    subprocess.run([tracer, "export", archive, "--format", kind, "-o", output], check=True, stderr=subprocess.DEVNULL)
    return pathlib.Path(output)


def check_killed(tracer, make_trace, directory):
    """That a run was killed is said by the command and by every file."""
    archive = directory / "killed"
    subprocess.run([make_trace, "killed", archive], check=True)
    for kind in ("perfetto", "chrome", "csv", "sqlite", "parquet"):
        output = directory / ("killed." + kind)
        done = subprocess.run([tracer, "export", archive, "--format", kind, "-o", output], capture_output=True, text=True)
        if done.returncode != 0 and "this build has no" in done.stderr:
            continue
        need("the program was killed by signal 9" in done.stderr, f"{kind}: the command says that the run was killed: {done.stderr!r}")
        if kind == "perfetto":
            need(b"killed by signal 9" in output.read_bytes(), "perfetto: so does the process' label")
        elif kind == "chrome":
            data = json.loads(output.read_text())
            labels = [event["args"]["labels"] for event in data["traceEvents"] if event["name"] == "process_labels"]
            need(labels == ["killed by signal 9"] and data["otherData"]["TRACER::RUN::SIGNAL"] == "9", f"chrome: so does the process' label {labels}")
        elif kind == "csv":
            need("TRACER::RUN::ENDED,signal" in (output / "properties.csv").read_text().split(), "csv: so do the properties")
        elif kind == "sqlite":
            database = sqlite3.connect(output)
            need(database.execute("SELECT value FROM properties WHERE name = 'TRACER::RUN::ENDED'").fetchone() == ("signal",), "sqlite: so do the properties")
            database.close()
        else:
            need(any(path.name == "properties.parquet" for path in output.rglob("*.parquet")), "parquet: has the properties")


def check_part(tracer, make_trace, directory):
    """--from, --to, --threads: what is in them, and no more."""
    archive, output = directory / "imbalance", directory / "part.json"
    done = subprocess.run([tracer, "export", archive, "--from", "10ms", "--to", "20ms", "--threads", "0,3", "-o", output], capture_output=True, text=True)
    slices = [event for event in json.loads(output.read_text())["traceEvents"] if event["ph"] == "X"]
    need(done.returncode == 0 and len({event["tid"] for event in slices}) == 2, f"a part: two threads {done.stderr}")
    need(min(event["ts"] for event in slices) == 10e3 and max(event["ts"] + event["dur"] for event in slices) == 20e3, "from 10 to 20 ms")
    need(sum(event["dur"] for event in slices if event["name"].startswith("!$omp for")) == 15e3, "with what the loop took in it")
    for words, what in ((["--from", "2s", "--to", "1s"], "is not before"), (["--threads", "x"], "names no numbers")):
        done = subprocess.run([tracer, "export", archive, *words, "-o", directory / "none.json"], capture_output=True, text=True)
        need(done.returncode != 0 and what in done.stderr and not (directory / "none.json").exists(), f"{' '.join(words)} is refused: {done.stderr.strip()}")


def check_large(tracer, make_trace, directory):
    events = os.environ.get("TRACER_TEST_EXPORT_EVENTS", "1000000")
    archive = directory / "large"
    subprocess.run([make_trace, "large", archive, events], check=True)
    for kind in ("perfetto", "chrome", "csv", "sqlite"):
        if kind == "sqlite" and not has_sqlite:
            continue
        output = directory / ("large." + kind)
        pid = os.spawnvp(os.P_NOWAIT, tracer, [tracer, "export", str(archive), "--format", kind, "-o", str(output)])
        _, status, usage = os.wait4(pid, 0)
        need(status == 0 and usage.ru_maxrss < memory_limit() * 1024, f"{kind}: {events} events in {usage.ru_maxrss // 1024} MiB and {usage.ru_utime + usage.ru_stime:.1f} s")
        shutil.rmtree(output) if output.is_dir() else output.unlink()


has_sqlite = True


def main():
    global has_sqlite
    tracer, make_trace = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        for kind in ("imbalance", "chain", "overlap", "lock", "ring"):
            archive = directory / kind
            subprocess.run([make_trace, kind, archive], check=True)
            counts, total, copies, _ = enters(tracer, archive)
            truth = enters_by_otf2(archive)
            need(truth is None or truth == counts, f"{kind}: the report counts what OTF2's own reader counts")
            out, into = check_perfetto(export(tracer, archive, "perfetto", directory / (kind + ".pftrace")), counts, copies)
            if kind == "chain":
                need(len(out) == len(into) == 20, "perfetto: a flow leads from each task's creation to its start")
            if kind == "overlap":
                need(len(out) == 1 and out == into, "perfetto: a flow leads from the submit to the kernel")
            if kind == "ring":
                need(len(out) == len(into) == 100 and out == into, "perfetto: a flow for each message, from its sender to its receiver")
            check_chrome(export(tracer, archive, "chrome", directory / (kind + ".json")), counts, copies)
            check_csv(export(tracer, archive, "csv", directory / (kind + ".csv.d")), counts, copies)
            if kind == "ring":
                with open(directory / "ring.csv.d/messages.csv", newline="", encoding="utf-8") as file:
                    check_messages([{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)], "csv")
            tried = subprocess.run([tracer, "export", archive, "-o", directory / (kind + ".sqlite")], capture_output=True, text=True)
            has_sqlite = tried.returncode == 0
            need(has_sqlite or "no SQLite" in tried.stderr, "sqlite: written, or said why not")
            if has_sqlite:
                check_sqlite(directory / (kind + ".sqlite"), counts, total, copies)
            if has_sqlite and kind == "ring":
                database = sqlite3.connect(directory / "ring.sqlite")
                database.row_factory = sqlite3.Row
                check_messages([dict(row) for row in database.execute("SELECT * FROM messages")], "sqlite")
                names = dict(database.execute("SELECT * FROM communicators"))
                need("MPI_COMM_WORLD" in names.values(), "sqlite: communicators have their names")
                database.close()
        check_samples(tracer, make_trace, directory)
        check_killed(tracer, make_trace, directory)
        check_part(tracer, make_trace, directory)
        check_large(tracer, make_trace, directory)
    return 0


sys.exit(main())
