#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_otf2_3_2.py TRACER ARCHIVE: what OTF2 3.2 has added is read: ranks that are processes, probes, matched receives (also where another
thread probed); records of later versions are left out and counted. ARCHIVE is by otf2_3_2/write.c."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROBE, LATER = 0x59, 0x70


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def report(tracer, archive, *options):
    return json.loads(subprocess.run([tracer, "report", "--json", *options, archive], check=True, capture_output=True).stdout)


def messages_of(found):
    mpi = found["mpi"]
    return {name: mpi[name] for name in ("ranks", "messages", "bytes", "matched", "unmatched", "never_received", "never_completed")} | {"cells": mpi["matrix"]["cells"]}


def main():
    tracer, archive = map(pathlib.Path, sys.argv[1:])
    whole = report(tracer, archive)
    wanted = {"ranks": 2, "messages": 2, "bytes": 64, "matched": 2, "unmatched": 0, "never_received": 0, "never_completed": 0, "cells": [[0, 1, 2, 64]]}
    need(messages_of(whole) == wanted, f"messages by way of probes: {messages_of(whole)}")
    counts = {name: n for name, n in whole["event_counts"].items() if name.startswith("mpi_")}
    need(counts == {"mpi_send": 2, "mpi_recv": 1, "mpi_irecv": 1, "mpi_irecv_request": 1}, f"as records of older versions: {counts}")
    need("unread" not in whole["event_counts"] and whole["trace"]["irregular_events"] == 0, "all is read")
    checked = subprocess.run([tracer, "check", archive], capture_output=True, text=True)  # whose other rules are those of Tracer's archives
    need("rules hold" in checked.stdout and "E28" not in checked.stdout, "the checker finds every message received")

    with tempfile.TemporaryDirectory() as directory:
        again = pathlib.Path(directory) / "again"
        subprocess.run([tracer, "export", "--format", "otf2", "-o", again, archive], check=True, capture_output=True)
        need(messages_of(report(tracer, again)) == wanted, "exported as an archive it has the same messages")

        later = pathlib.Path(directory) / "later"
        shutil.copytree(archive, later)
        events = later / "traces" / "2.evt"
        data = bytearray(events.read_bytes())
        data[data.index(bytes([PROBE]))] = LATER  # the probe of no matched message
        events.write_bytes(data)
        found = report(tracer, later)
        need(found["event_counts"].get("unread") == 1 and messages_of(found) == wanted, "a record of a later version is left out and counted")
        text = subprocess.run([tracer, "report", later], check=True, capture_output=True, text=True).stdout
        need("1 of a later version of OTF2 not read" in text, "and the report's text says so")
    return 0


if __name__ == "__main__":
    sys.exit(main())
