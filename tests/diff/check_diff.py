#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_diff.py TRACER MAKE_TRACE: tracer diff of traces of known structure."""
import json
import pathlib
import subprocess
import sys
import tempfile


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def main():
    tracer, make_trace = sys.argv[1:3]

    def diff(*arguments):
        return subprocess.run([tracer, "diff", *map(str, arguments)], capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        for name, kind, number in (("ten", "chain", "10"), ("twenty", "chain", "20"), ("lock", "lock", ""), ("even", "even", ""), ("killed", "killed", "")):
            subprocess.run([make_trace, kind, work / name] + ([number] if number else []), check=True)
        reports = {name: json.loads(subprocess.run([tracer, "report", "--json", work / name], check=True, capture_output=True).stdout)
                   for name in ("ten", "twenty")}
        done = diff("--json", work / "ten", work / "twenty")
        need(done.returncode == 0, "a change without a limit is no failure")
        found = json.loads(done.stdout)
        need(found["whole"]["time"]["delta"] == reports["twenty"]["wall_ns"] - reports["ten"]["wall_ns"], "the time is the reports'")
        counts = {row["name"]: (row["count"]["before"], row["count"]["after"]) for row in found["constructs"]}
        said = {}
        for side, name in enumerate(("ten", "twenty")):
            for row in reports[name]["constructs"]:
                said.setdefault(row["name"], [0, 0])[side] += row["count"]
        need(counts == {name: tuple(pair) for name, pair in said.items()}, "so are the counts of constructs")
        same = diff(work / "ten", work / "ten", "--fail-if", "time > 0%")
        need(same.returncode == 0, "a trace beside itself passes no limit")
        grown = diff(work / "ten", work / "twenty", "--fail-if", "time > 5%")
        need(grown.returncode == 1 and "limit passed" in grown.stderr, "a limit that is passed is status 1")
        killed = diff(work / "even", work / "killed")
        need(killed.returncode == 0 and "killed is no whole run: it was killed" in killed.stdout, "a run that was killed is named")
        killed = diff("--json", work / "killed", work / "killed", "--fail-if", "time > 5%")
        need(killed.returncode == 1 and "no limit can be kept" in killed.stderr and len(json.loads(killed.stdout)["notes"]) == 2, "and keeps no limit")
        part = diff(work / "even", work / "killed", "--to", "20ms", "--fail-if", "time > 1000%")
        need(part.returncode == 0 and "no whole run" not in part.stdout, "but for the part of it before that")
        behind = diff(work / "even", work / "killed", "--to", "10s", "--fail-if", "time > 1000%")
        need(behind.returncode == 1 and "no limit can be kept" in behind.stderr, "which ends before the run was killed")
        subprocess.run([tracer, "export", "--format", "otf2", "--exclude", "critical", "-o", work / "without", work / "lock"], check=True)
        filtered = diff(work / "lock", work / "without", "--fail-if", "time > 5%")
        need(filtered.returncode == 0 and "EXCLUDE critical in" in filtered.stdout, "another filter is named, and limits are judged nevertheless")
        several = json.loads(diff("--json", work / "ten", work / "ten", "--against", work / "twenty", work / "twenty").stdout)
        need(several["whole"]["time"]["beyond_noise"] is True and several["before"] == [str(work / "ten")] * 2, "several runs a side")
        page = work / "diff.html"
        need(diff(work / "ten", work / "lock", "--html", page).returncode == 0 and "!$omp critical" in page.read_text(), "a page")
        need(diff(work / "ten").returncode == 2, "one trace is not enough")
        for limit in ("nonsense", "tme > 5%", "time of 'nosuch*' > 5%", "tme of '*' > 5%"):
            need(diff(work / "ten", work / "lock", "--fail-if", limit).returncode == 2, f"a limit must make sense: {limit}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
