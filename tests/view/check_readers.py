#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_readers.py TRACER MAKE_TRACE [PROGRAM...]: what report, check, export, samples and diff say of a part of a trace is byte for byte
the same with an index as without one; with one they read nothing of what lies far before the part. With programs: of their traces."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import random_archive  # noqa: E402
import windows  # noqa: E402


def damage_begins(archive):
    """The index cannot know: size and time of each file are as they were. Bytes of the largest."""
    length = 0
    for path in sorted((archive / "traces").glob("*.evt")):
        before = path.stat()
        length = max(length, before.st_size)
        data = bytearray(path.read_bytes())
        if len(data) > 12000:
            data[4000:8000] = b"\xff" * 4000
        path.write_bytes(data)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return length


def check_skips(tracer, archive, early, late, *words):
    """The events before the part are damaged, and that is not seen with the index."""
    windows.make_index(tracer, archive)
    of = [tracer, "report", "--json", archive, *words, "--from"]
    right = subprocess.run([*of, late], capture_output=True, text=True, check=True)
    assert damage_begins(archive) > 40000
    behind = subprocess.run([*of, late], capture_output=True, text=True, check=False)
    assert behind.returncode == 0 and behind.stdout == right.stdout, behind.stderr
    before = subprocess.run([*of, early], capture_output=True, text=True, check=False)
    assert before.returncode == 1 and "damaged" in before.stderr, (before.returncode, before.stderr)
    windows.index_of(archive).unlink()
    unread = subprocess.run([*of, late], capture_output=True, text=True, check=False)
    assert unread.returncode == 1 and "damaged" in unread.stderr, (unread.returncode, unread.stderr)


def add_later_record(path):
    """The first Enter of an event file is of a kind that a later version of OTF2 may have: its region, 0, is its length then."""
    chunk_header, timestamp, enter, later = 18, 5, 12, 0x70
    data, at = bytearray(path.read_bytes()), chunk_header
    assert data[at] == timestamp, data[:40]
    at += 9
    at += 2 + data[at + 1]  # the begin of the team
    assert data[at] == timestamp and data[at + 9] == enter and data[at + 10] == 0, data[:80]
    data[at + 9] = later
    path.write_bytes(data)


def check_later_records(tracer, archive, late):
    """One before the part is not counted in it, whether it is read or not."""
    add_later_record(archive / "traces" / "0.evt")
    of = [tracer, "report", "--json", archive]
    whole = json.loads(subprocess.run(of, capture_output=True, check=True).stdout)
    assert whole["event_counts"]["unread"] == 1, whole["event_counts"]
    without = subprocess.run([*of, "--from", late], capture_output=True, check=True).stdout
    windows.make_index(tracer, archive)
    assert subprocess.run([*of, "--from", late], capture_output=True, check=True).stdout == without


def main():
    tracer, make_trace = sys.argv[1:3]
    os.environ.pop("SSH_CONNECTION", None)
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["XDG_CACHE_HOME"] = temporary + "/no-cache"
        directory, compared = pathlib.Path(temporary), {}
        out = directory / "out"
        for program in sys.argv[3:]:
            archive = directory / pathlib.Path(program).name
            library = pathlib.Path(tracer).parents[1] / "lib" / "libtracer.so"
            subprocess.run([tracer, "run", "-q", "-o", archive, "--", program], check=True, capture_output=True, env={**os.environ, "TRACER_LIBRARY": str(library)})
            compared[archive.name] = windows.compare(tracer, archive, out)
        if not sys.argv[3:]:
            for seed in range(3):
                random_archive.write(directory / f"random {seed}", seed, locations=3 + 2 * seed)
            for kind, number in (("killed", 10), ("ring", 5), ("phases", 10), ("chain", 300), ("late-leavers", 10), ("sampled", 10), ("wide", 8)):
                subprocess.run([make_trace, kind, directory / kind, str(number)], check=True, capture_output=True)
            assert windows.has_samples(directory / "sampled")
            for archive in sorted(path for path in directory.iterdir() if path.is_dir()):
                compared[archive.name] = windows.compare(tracer, archive, out, windows=8)
            check_skips(tracer, directory / "random 0", "1us", "4.7ms")
            random_archive.write(directory / "later", 9)
            check_later_records(tracer, directory / "later", "4ms")
            subprocess.run([make_trace, "large", directory / "large", "150000", "4"], check=True, capture_output=True)
            length = json.loads(subprocess.run([tracer, "report", "--json", directory / "large"], check=True, capture_output=True).stdout)["wall_ns"]
            check_skips(tracer, directory / "large", "1us", f"{length * 9 // 10}ns", "--threads", "1")
        print("the same:", compared)


main()
