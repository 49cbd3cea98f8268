#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""data_movement.py TRACER LIBRARY PROGRAM: traces the programs of needless data movement (data_movement.c), or of costly use of
devices (device_habits.c). Count and bytes of each pattern are what the program asked for, the finding of the first one is at its line, and nothing is found in healthy programs. Without
contents (TRACER_TRANSFER_CONTENT) duplicate transfers and round trips are not looked for. A run in which others had the processors
is repeated where it has faults or no finding."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

NEEDS_CONTENT = {"duplicate-transfer", "round-trip"}
NEEDLESS = NEEDS_CONTENT | {"repeated-allocation", "unused-allocation", "unused-transfer"}
ATTEMPTS = 3
COSTLY = {"serial-transfer", "small-transfers", "short-kernels", "few-teams", "device-turns"}


def wanted_of(output):
    """What a program says of itself: (pattern, count, bytes, line) each, and seconds by pattern."""
    words = [line.split() for line in output.splitlines()]
    seconds = {of[1]: float(of[2]) for of in words if of[0] == "seconds"}
    return [(p, int(n), int(b), int(line)) for p, n, b, line in (of for of in words if of[0] not in ("seconds", "ran"))], seconds


def report_of(tracer, library, program, name, content, archive):
    environment = {**os.environ, "TRACER_LIBRARY": library}
    command = [tracer, "run", "-q", "-o", archive] + (["--transfer-content"] if content else []) + ["--", program, name]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"FAILED: {name} ended with {done.returncode}: {done.stdout}{done.stderr}")
    check = subprocess.run([tracer, "check", archive], capture_output=True, text=True)
    report = json.loads(subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True, text=True).stdout)
    return wanted_of(done.stdout)[0], report, check.stdout if check.returncode else ""


def is_quiet(report):
    return not any(note["id"] in ("busy-machine", "stolen") for note in report["verdict"]["notes"])


def is_telling(wanted, report):
    """Whether the finding is there, or must be."""
    return is_quiet(report) or any(finding["id"] == wanted[0][0] for finding in report["verdict"]["findings"])


def faults_of(name, wanted, report, content):
    found = {}
    for row in report["data_movement"]:
        count, size = found.get(row["pattern"], (0, 0))
        found[row["pattern"]] = (count + row["count"], size + row["bytes"])
    expected = {p: (n, b) for p, n, b, _ in wanted if content or p not in NEEDS_CONTENT}
    # Scalars that each kernel maps, as the variable of a reduction, are the runtime's way and small.
    # What is needless may be costly as well; healthy programs have nothing of either.
    others = COSTLY if any(p in NEEDLESS for p, _, _, _ in wanted) else set()
    found = {p: v for p, v in found.items() if p in expected or (p not in others and (v[1] > 4096 or p in COSTLY))}
    if found != expected:
        yield f"{name}: found {found}, expected {expected}"
    if report["transfer_content"] != (content and report["data_operations"]["bytes"] > 0):
        yield f"{name}: transfer_content is {report['transfer_content']}"
    if content and report["data_operations"]["bytes"] > 1 << 20 and not report["event_counts"].get("buffer_flush"):
        yield f"{name}: nothing says how long comparing contents took"
    ids = [(f["id"], f["line"]) for f in report["verdict"]["findings"]]
    movement = [(i, line) for i, line in ids if i in (NEEDLESS | COSTLY) - others]
    for row in report["data_movement"]:
        if not row["ns"]:
            yield f"{name}: {row['pattern']} costs nothing"
    if not wanted and movement:
        yield f"{name}: healthy, but {movement}"
    if wanted and content:
        pattern, _, _, line = wanted[0]
        # Where others have the processors a finding has to stand out of what that takes.
        cost = sum(row["ns"] for row in report["data_movement"] if row["pattern"] == pattern)
        # A finding is a sum of the account's cells. Where the host is the device, the thread that would wait for a kernel works in it.
        if pattern == "device-turns":
            cost = min(cost, report["account"]["time"]["device_ns"])
        cost -= report["account"]["time"].get("descheduled_ns", 0)  # a place of its own, though a copy lasts as long
        if is_quiet(report) and report["verdict"]["state"] == "ok" and cost > 0.05 * report["wall_ns"] and pattern not in (i for i, _ in ids):
            yield f"{name}: {pattern} costs {cost} ns and is no finding: {ids}"
        # The host's threads are the device here: that they have work one after the other, or unevenly, is also true.
        first = [i for i, _ in ids if i not in ("serial", "imbalance")]
        if movement and first[0] != pattern:
            yield f"{name}: {pattern} is not the first of all findings: {[(f['id'], f['line'], f['win_ns']) for f in report['verdict']['findings']]}"
        if movement and line and abs(movement[0][1] - line) > 2:
            yield f"{name}: at line {movement[0][1]} instead of {line}"
        print(f"{name}: {movement or 'less than 3 % of the run'}")


def main():
    tracer, library, program = (os.path.abspath(path) for path in sys.argv[1:4])
    names = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    failures = []
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            for content in (True, False):
                for attempt in range(ATTEMPTS):
                    wanted, report, invalid = report_of(tracer, library, program, name, content, pathlib.Path(temporary, f"{name}{content}{attempt}"))
                    failures += [f"{name}: {invalid}"] if invalid else []
                    faults = list(faults_of(name, wanted, report, content))
                    tells = not (wanted and content) or is_telling(wanted, report)
                    if is_quiet(report) or (tells and not faults):
                        break
                failures += faults
                if not tells:
                    print(f"not tested: {name}: that {wanted[0][0]} is a finding: others have the processors")
    print("\n".join(failures) or f"{len(names)} programs, as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
