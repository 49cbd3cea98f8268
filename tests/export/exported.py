# SPDX-License-Identifier: BSD-3-Clause
"""What the checks of exports share: the truth, the command, and a reader of protobuf."""
import collections
import json
import pathlib
import subprocess


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


def export(tracer, archive, kind, output):
    subprocess.run([tracer, "export", archive, "--format", kind, "-o", output], check=True, stderr=subprocess.DEVNULL)
    return pathlib.Path(output)


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
