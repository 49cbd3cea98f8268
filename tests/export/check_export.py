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

from exported import enters, export, fields, need
from exported_samples import check_samples


def memory_limit():
    """MiB; a sanitizer's shadow and freed memory come on top."""
    return 1500 if os.environ.get("TRACER_TEST_SANITIZED") else 300


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
    need(flows_in <= flows_out, "perfetto: every flow that ends has begun")
    found_copies = slices.pop("copy to device", 0) + slices.pop("copy from device", 0)
    need(slices == counts, f"perfetto: {sum(slices.values())} slices, as many as the archive has")
    need(found_copies == copies, f"perfetto: {copies} copies")
    if shutil.which("protoc") and path.stat().st_size < 1_000_000:
        decoded = subprocess.run(["protoc", "--decode_raw"], stdin=open(path, "rb"), capture_output=True, check=True).stdout
        need(decoded.count(b"\n1 {") + decoded.startswith(b"1 {") > 0, "perfetto: protoc decodes it")
    elif not shutil.which("protoc"):
        print("not tested: that protoc decodes a Perfetto trace: it is not installed")
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
        for kind in ("imbalance", "chain", "overlap", "lock", "ring", "paused"):
            archive = directory / kind
            subprocess.run([make_trace, kind, archive], check=True)
            counts, total, copies, _ = enters(tracer, archive)
            truth = enters_by_otf2(archive)
            need(truth is None or truth == counts, f"{kind}: the report counts what OTF2's own reader counts")
            if kind == "paused":
                counts["not recorded"], total["not recorded"] = 4, 4 * 200_000_000  # of each thread a slice
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
        check_samples(tracer, make_trace, directory, has_sqlite)
        check_killed(tracer, make_trace, directory)
        check_part(tracer, make_trace, directory)
        check_large(tracer, make_trace, directory)
    return 0


sys.exit(main())
