#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_ends.py TRACER LIBRARY THREADS HUNG CHILDREN EXECS: where threads and processes end is what account and verdict go by."""
import ctypes
import errno
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

tracer, library, threads, hung, children, execs = (os.path.abspath(path) for path in sys.argv[1:7])
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, judge  # noqa: E402


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def run(*words, status=0):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=clean(TRACER_LIBRARY=library), timeout=120)
    need(done.returncode == status, f"{' '.join(map(str, words[1:4]))}: status {done.returncode}, {done.stderr[-300:]}")
    return done


def report_of(archive):
    faults, _ = judge(archive / "traces.otf2", tracer)
    need(not faults, f"{archive.name}: the archive is valid {faults}")
    return json.loads(run(tracer, "report", "--json", archive).stdout)


def notes(report, name):
    return "".join(note["text"] for note in report["verdict"]["notes"] if note["id"] == name)


def check_threads(top):
    run(tracer, "run", "-q", "-o", top / "threads", "--", threads)
    report = report_of(top / "threads")
    account = report["account"]
    wall = account["end_ns"] - account["begin_ns"]
    need(account["ended_threads"] == 20, f"20 threads ended: {account['ended_threads']}")
    ended = [row for row in account["by_thread"] if "ended_ns" in row]
    need(all(row["time"]["absent_ns"] > wall / 2 for row in ended), "and are absent then")
    need(account["time"]["serial_ns"] < 2 * wall, f"serial work is that of the thread that was there: {account['time']['serial_ns']} ns of {wall}")
    need("one thread works" not in json.dumps(report["verdict"]), "nobody waits for it")
    text = run(tracer, "report", top / "threads").stdout
    need("20 of them ended before their process" in text, "the report says so")
    run(tracer, "export", "-f", "sqlite", "-o", top / "threads.sqlite", top / "threads")
    with sqlite3.connect(top / "threads.sqlite") as database:
        need(database.execute("SELECT count(*) FROM locations WHERE ended_ns IS NOT NULL").fetchone()[0] >= 20, "and the table of SQLite")
    run(tracer, "export", "-f", "csv", "-o", top / "threads.csv", top / "threads")
    rows = (top / "threads.csv" / "locations.csv").read_text().splitlines()
    need(sum(row.split(",")[-1].isdigit() for row in rows) >= 20, "and of CSV")


def check_hung(top):
    for how, status in (("exit", 3), ("kill", 128 + 9)):
        run(tracer, "run", "-q", "-o", top / how, "--", hung, how, status=status)
        report = report_of(top / how)
        need(report["verdict"]["state"] == "killed" and not report["verdict"]["findings"], f"{how}: a hang has no advice: {report['verdict']}")
        silence = notes(report, "silence")
        need("it may have hung" in silence and "hung_then_exit.c" in silence, f"{how}: it says where the threads were: {silence}")
        need(report["account"]["time"]["unknown_ns"] > report["account"]["time"]["serial_ns"], f"{how}: what came behind the last record is unknown: {report['account']['time']}")
    run(tracer, "run", "-q", "-o", top / "whole", "--", hung, "whole")
    report = report_of(top / "whole")
    need(report["verdict"]["state"] != "killed" and report["account"]["time"]["unknown_ns"] == 0, f"who ends by _exit outside of all constructs has ended: {report['verdict']}")


def groups_of(archive):
    """The facts of each process, by its number."""
    rows = json.loads(run(tracer, "report", "--json", archive).stdout)["processes"]
    return [row["run"] for row in rows]


def check_children(top):
    """Somebody else waits for them; how they ended is known where the kernel says it to others (Linux 6.15)."""
    run(tracer, "run", "-q", "-o", top / "children", "--", children)
    ends = sorted((row["ended"], row["exit_status"], row["signal"]) for row in groups_of(top / "children") if row["known"])
    if [end[0] for end in ends].count("unknown") == 3:
        print(f"not tested: ends of processes that others wait for, which this kernel does not tell ({os.uname().release})")
        return
    need(sorted(end[:2] for end in ends if end[0] == "without telling") == [("without telling", 0), ("without telling", 4)], f"two ended by _exit: {ends}")
    need([end[2] for end in ends if end[0] == "signal"] == [9], f"and one was killed: {ends}")
    need(len(ends) == 4, f"of four: {ends}")


def check_threads_of_children(top):
    """A child's threads are its own, those of its parent are not. The parent and the child that ends by exit() say how many they had."""
    run(tracer, "run", "-q", "--separate", "-o", top / "later", "--", children, "later")
    archives = [top / "later", *(top / "later" / "parts").iterdir()]
    counts = [use["threads"] for archive in archives for use in json.loads(run(tracer, "report", "--json", archive).stdout)["run"]["runtimes"]]
    need(counts == [2, 2], f"each process has two threads: {counts}")


def check_execs(top):
    """A process that becomes another program: how it ended is the end of the last one."""
    for how, status in (("return", 5), ("kill", 128 + 9)):
        run(tracer, "run", "-q", "-o", top / f"execs_{how}", "--", execs, "first", how, status=status)
        report = report_of(top / f"execs_{how}")
        first, last = report["processes"]
        ends = [(row["run"]["ended"], row["run"]["signal"]) for row in (first, last)]
        wanted = ("signal", 9) if how == "kill" else ("return", 0)
        need(ends == [("without telling", 0), wanted], f"{how}: the first program became another, which ended so: {ends}")
        need(first["run"]["exit_status"] != 5, f"{how}: the status is the last one's: {first['run']}")
        need("it may have hung" not in notes(report, "silence") or how == "kill", f"{how}: nobody hung")
        times = [row["end_ns"] for row in report["account"]["by_process"]]
        need(times[1] - times[0] >= 1_500_000_000, f"{how}: the first one was gone while the last one waited: {times}")


def has_inotify():
    """Whether this user can have one more inotify instance, without which `tracer run` does not look at processes."""
    watch = ctypes.CDLL(None, use_errno=True).inotify_init1(os.O_CLOEXEC)
    if watch >= 0:
        os.close(watch)
    return watch >= 0 or ctypes.get_errno() != errno.EMFILE


def check_wrapper(top):
    """A script becomes the program by exec: what it did before is not the program's."""
    run(tracer, "run", "-q", "-o", top / "unwrapped", "--", execs, "only", "return", status=5)
    need("TRACER::RUN::PROGRAM_START_NS" not in report_of(top / "unwrapped")["trace"]["properties"], "a program that was no other has no such begin")
    if not has_inotify():
        return print("not tested: what a script did before it became the program: this user has all inotify instances")
    run(tracer, "run", "-q", "-o", top / "wrapped", "--", "sh", "-c", 'sleep 3; exec "$0" only return', execs, status=5)
    report = report_of(top / "wrapped")
    facts = report["trace"]["properties"]
    process, program = (int(facts.get(f"TRACER::RUN::{what}_START_NS", 0)) for what in ("PROCESS", "PROGRAM"))
    need(program - process >= 1_000_000_000, f"it was a shell for three seconds: {process}, {program}")
    need(report["account"]["begin_ns"] == program, f"which are not in the account: {report['account']['begin_ns']}, {program}")


def main():
    with tempfile.TemporaryDirectory() as directory:
        for check in (check_threads, check_hung, check_children, check_threads_of_children, check_execs, check_wrapper):
            check(pathlib.Path(directory))


main()
