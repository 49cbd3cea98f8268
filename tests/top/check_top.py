#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_top.py TRACER LIBTRACER PROGRAM FLOOD: tracer top on a program in which one of two threads waits for the other most of
the time; what it says is held against the trace afterwards. FLOOD records faster than anybody reads."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def check_recent(tracer, process, directory):
    """An archive of the last moments of a run that goes on."""
    recent = pathlib.Path(directory) / "recent"
    going = subprocess.Popen([tracer, "top", "--recent", "500ms", "-o", recent, str(process.pid)], stderr=subprocess.DEVNULL)
    while going.poll() is None and not [path for path in pathlib.Path(directory).iterdir() if path.name.startswith("recent")]:
        time.sleep(0.001)
    going.kill()  # what it leaves is removed by the next one
    going.wait()
    if recent.exists():  # it came to its end before
        shutil.rmtree(recent)
    made = subprocess.run([tracer, "top", "--recent", "500ms", "-o", recent, str(process.pid)], capture_output=True, text=True)
    need(made.returncode == 0 and process.poll() is None, "the program goes on after its last moments were taken: " + made.stderr.strip())
    need([path.name for path in pathlib.Path(directory).iterdir() if "recent" in path.name] == ["recent"], "nothing is left beside the archive")
    check = subprocess.run([tracer, "check", recent], capture_output=True, text=True)
    need(check.returncode == 0, "which are a valid archive: " + check.stdout.strip().splitlines()[-1])
    report = json.loads(subprocess.run([tracer, "report", "--json", recent], check=True, capture_output=True).stdout)
    need(0 < report["wall_ns"] <= 500_000_000 and report["trace"]["events"] > 0, f"of {report['wall_ns']} ns")
    need(report["run"]["ended"] == "running" and report["verdict"]["state"] != "killed", "that says that the run went on")
    notes = [note["id"] for note in report["verdict"]["notes"]]
    need("busy-machine" in notes, f"and whose threads' lack of processors is unknown: {notes}")
    info = json.loads(subprocess.run([tracer, "info", "--json", recent], check=True, capture_output=True).stdout)
    need(info["properties"]["TRACER::ENDING"] == "none yet: the process was still running", f"it has no end: {info['properties']['TRACER::ENDING']}")
    again = subprocess.run([tracer, "top", "--recent", "500ms", "-o", recent, str(process.pid)], capture_output=True, text=True)
    need(again.returncode == 1 and "exists already" in again.stderr, "an archive that is there stays")
    early = subprocess.run([tracer, "top", "--recent", "500ms", "-o", recent, str(process.pid)], capture_output=True, text=True,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    need(early.returncode == 1 and "exists already" in early.stderr, "which is said before anything is converted: " + early.stderr.strip())
    for words, what in ((["--recent", "soon"], "soon"), (["--output", "x"], "--recent")):
        wrong = subprocess.run([tracer, "top", *words, str(process.pid)], capture_output=True, text=True)
        need(wrong.returncode != 0 and what in wrong.stderr, f"{' '.join(words)} is refused: {wrong.stderr.strip()}")


def check_recent_of_flood(tracer, program, environment):
    """The rings are overwritten many times while the archive is made."""
    with tempfile.TemporaryDirectory() as directory:
        recent = pathlib.Path(directory) / "recent"
        env = {**environment, "TRACER_OUTPUT": f"{directory}/trace", "TRACER_RING_SIZE": "16K"}
        process = subprocess.Popen([program], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            process.stdout.readline()
            time.sleep(1)
            made = subprocess.run([tracer, "top", "--recent", "500ms", "-o", recent, str(process.pid)], capture_output=True, text=True)
            need(made.returncode == 0, "the last moments of a program that records much are taken: " + made.stderr.strip())
        finally:
            process.communicate(timeout=60)
        check = subprocess.run([tracer, "check", recent], capture_output=True, text=True)
        need(check.returncode == 0, "and are a valid archive: " + check.stdout.strip().splitlines()[-1])
        info = json.loads(subprocess.run([tracer, "info", "--json", recent], check=True, capture_output=True).stdout)
        lost = info["properties"]["TRACER::EVENTS_LOST"]
        need(lost == "0", f"without a gap: {lost}")


def check_choice(tracer, process, program, environment):
    """Without a process there is a row for each of several, wherever their rings are."""
    with tempfile.TemporaryDirectory() as spool, tempfile.TemporaryDirectory() as scratch:
        own = {**environment, "TRACER_SPOOL": spool, "TRACER_OUTPUT": f"{scratch}/%p"}
        seen = {**os.environ, "TRACER_SPOOL": spool}

        def top(*words):
            return subprocess.run([tracer, "top", "--interval", "0.1", "--times", "1", *words], env=seen, capture_output=True, text=True)

        none = top(str(2**30))
        need(none.returncode == 1 and "is not recorded" in none.stderr, "a process that does not record is refused")
        others = [subprocess.Popen([program], env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        try:
            for other in others:
                other.stdout.readline()
            end, rows = time.monotonic() + 60, {}
            while not {one.pid for one in (process, *others)} <= rows.keys() and time.monotonic() < end:  # until their first regions have made the rings
                rows = {int(words[0]): words for words in (line.split() for line in top().stdout.splitlines()) if words and words[0].isdigit()}
            for one in (process, *others):
                need(rows.get(one.pid, ["", ""])[1] == os.path.basename(program)[:16], f"process {one.pid} has a row: {rows}")
            lines = [json.loads(line) for line in top("--json").stdout.splitlines()]
            need({one.pid for one in (process, *others)} <= {line["process"] for line in lines}, "and a line of JSON")
            watching = subprocess.Popen([tracer, "top", "--json", "--interval", "0.1"], env=seen, stdout=subprocess.PIPE, text=True)
            try:
                watching.stdout.readline()
                late = subprocess.Popen([program], env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                others.append(late)
                late.stdout.readline()
                shown = any(json.loads(line)["process"] == late.pid for line, _ in zip(watching.stdout, range(2000)))
                need(shown, "a program that begins later is shown, too")
            finally:
                watching.kill()
                watching.communicate()
            many = top("--recent", "1s")
            need(many.returncode == 2 and "name the one" in many.stderr, "the last moments are those of one that is named")
        finally:
            for other in others:
                other.communicate(timeout=60)


def main():
    tracer, library, program, flood = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as directory:
        trace = pathlib.Path(directory) / "trace"
        env = {**os.environ, "OMP_TOOL_LIBRARIES": library, "TRACER_OUTPUT": str(trace)}
        process = subprocess.Popen([program], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            need(process.stdout.readline() == "ready\n", "the program runs")
            for _ in range(100):  # until its first region has made the rings
                top = subprocess.run([tracer, "top", "--json", "--interval", "0.4", "--times", "5", str(process.pid)],
                                     capture_output=True, text=True)
                lines = [json.loads(line) for line in top.stdout.splitlines()]
                if top.returncode == 0 and lines and len(lines[-1]["threads"]) >= 2:
                    break
            need(top.returncode == 0 and len(lines) == 5, "a line of JSON at each look " + top.stderr)
            text = subprocess.run([tracer, "top", "--interval", "0.1", "--times", "1", str(process.pid)], capture_output=True, text=True)
            need(text.returncode == 0 and "records/s" in text.stdout, "and a table for people")
            check_choice(tracer, process, program, env)
            check_recent(tracer, process, directory)
            check_recent_of_flood(tracer, flood, env)
        finally:
            process.stdin.close()
            said = process.stdout.read()
            status = process.wait(timeout=60)
        need(status == 0 and int(said.split()[0]) > 0, "the program ends as it does: " + said.strip())
        rounds = int(said.split()[0])
        seen = sum(line["seen_counts"]["parallel"] for line in lines)
        need(0 < seen <= rounds, f"it saw {seen} of {rounds} regions")
        need(all(line["seen"] == line["records"] for line in lines[1:]), "it read every record of a slow program")
        waiting = [max((t["waiting_share"] for t in line["threads"]), default=0) for line in lines]
        need(max(waiting) > 0.3, f"one thread waits: {waiting}")
        inside = {t["in"] for line in lines for t in line["threads"]}
        need(inside & {"for", "implicit barrier"}, f"threads are in {inside}")
        report = json.loads(subprocess.run([tracer, "report", "--json", trace], check=True, capture_output=True).stdout)
        need(report["event_counts"]["thread_fork"] == rounds, "and the trace has all")
        gone = subprocess.run([tracer, "top", str(process.pid)], capture_output=True, text=True)
        need(gone.returncode == 1 and "is not recorded" in gone.stderr, "a process that is gone is none")
    return 0


if __name__ == "__main__":
    sys.exit(main())
