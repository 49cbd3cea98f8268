#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_cli.py TRACER MAKE_TRACE [LIBRARY]: every subcommand has a help, refuses wrong input with one clear line and a
status, and `run` ends as the program does."""
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

from commands import TRACER, need, refuses, run
from programs import check_run


def subcommands():
    return re.findall(r"^  ([a-z-]+)\s", run("--help").stdout.split("Subcommands:")[-1], re.MULTILINE)


def check_helps():
    commands = subcommands()
    need({"run", "convert", "recover", "check", "report", "export", "info"} <= set(commands), f"the commands: {' '.join(commands)}")
    for command in commands:
        done = run(command, "--help")
        need(done.returncode == 0 and "Usage:" in done.stdout and not done.stderr, f"tracer {command} --help")
        refuses(2, "", command, "--no-such-option")  # CLI11 names it, or an argument that is missing
        need(re.search(r"Usage: tracer .*\(\d+x\)", done.stdout) is None, "whose usage names each argument")
        need(re.search(r"^\S.*\n {34}", done.stdout, re.MULTILINE) is None, "whose closing sentences go on below their beginning")
    need("  --sample[=RATE]  " in run("run", "--help").stdout, "a flag that may have a value is written as it is typed")
    need(re.fullmatch(r"tracer \d+\.\d+\.\d+\n", run("--version").stdout) is not None, "tracer --version")
    refuses(2, "subcommand", "")
    refuses(2, "unknown command", "nonsense")
    refuses(2, "Did you mean 'report'?", "reprot")
    refuses(2, "To trace a program: tracer run /bin/true", "/bin/true")
    refuses(2, "Did you mean 'tasks'?", "run", "-s", "RECORD=tsaks", "--", "true")
    refuses(2, "Did you mean 'TRACER_RECORD'?", "run", "-s", "RECROD=tasks", "--", "true")


# What a command cannot do without: CLI11 2.6 reports that it is missing before it looks at options.
NEEDED = {"diff": ["before", "after"], "merge": ["job"], "completion": ["bash"], "attach": ["1"], "snapshot": ["1"]}


def check_negative_numbers():
    """Whatever counts something: a negative number is named, not taken as the largest one there is."""
    seen = []
    for command in subcommands():
        for option in re.findall(r"^ +(?:-\w, *)?(--[\w-]+) (?:UINT|N|PORT|NS|INT)\b", run(command, "--help").stdout, re.MULTILINE):
            refuses(2, option, command, option, "-1", *NEEDED.get(command, ()))
            seen.append(option)
    need(len(seen) >= 9, f"options with a number: {' '.join(seen)}")


def check_empty_words():
    """A script's variable that was never set: the option is named, and not taken as left out."""
    seen = []
    for command in subcommands():
        for option in re.findall(r"^ +(?:-\w, *)?(--[\w-]+) (?:TEXT|DIR|FILE|FILE\|auto|TIME|PATTERN|NAME)\b", run(command, "--help").stdout, re.MULTILINE):
            refuses(2, option, command, option, "", *NEEDED.get(command, ()))
            seen.append((command, option))
    need({("run", "--output"), ("report", "--output"), ("run", "--html")} <= set(seen), f"options with a text: {seen}")


def check_zero(archive, directory):
    """Where 0 means nothing it is refused, in a line that can be read."""
    for words in (("report", "--slices", "0", "--html", directory / "zero.html", archive), ("top", "0"), ("top", "--interval", "0"), ("view", "--port", "0", archive), ("run", "--sample=0", "--", "true"),
                  ("what-if", "--threads", "0", archive), ("merge", "--part", "1/0", archive), ("attach", "--time", "-1", "1")):
        done = run(*words)
        need(done.returncode == 2 and max(map(len, done.stderr.splitlines())) < 120, f"{words}: {done.returncode} {done.stderr}")
    for setting in ("RING_SIZE=0", "MEMORY=0", "SIZE_LIMIT=0", "DEVICE_BUFFER=0"):
        need("Did you mean" not in refuses(2, "allowed is", "run", "-s", setting, "--", "true").stderr, f"{setting}: no word of the description is proposed")
    refuses(2, "NAME=VALUE", "run", "-s", "=", "--", "true", cwd=directory)
    need(not list(directory.glob("tracer-true*")), "and nothing is made for it")


def check_wrong_input(directory, archive):
    refuses(1, "does not exist", "report", directory / "nothing")
    refuses(1, "tracer run", "report", cwd=directory)
    refuses(1, "", "report", directory)
    refuses(1, "", "export", directory / "nothing")
    refuses(2, "nosuch", "export", archive, "--format", "nosuch")
    refuses(2, "not a duration", "export", archive, "--min-duration", "long", "-o", directory / "x.json")
    refuses(2, "not a duration", "report", archive, "--from", "nan")
    refuses(2, "not a duration", "report", directory / "nothing", "--html", directory / "x.html", "--min-duration", "long")
    for words in (("--min-duration", "10us"), ("--slices", "100")):
        refuses(2, "--html", "report", archive, *words)
    refuses(2, "is not before", "check", archive, "--from", "5s", "--to", "2s")
    refuses(2, "names no numbers", "report", archive, "--threads", "x")
    for share in ("3/8x", "3/8/2", "1/-1", "/2", "3"):
        refuses(2, "--part takes", "merge", directory, "--part", share, "-o", directory / "share")
    for count in ("barrier=-1", "barrier=", "=1", "barrier"):
        refuses(2, "--expect", "check", archive, "--expect", count)
    for words in (("--html", directory / "page.html"), ("--report",), ("--format", "parquet")):
        refuses(2, "--raw", "run", "--raw", *words, "--", "true")
    refuses(1, "cannot write", "export", archive, "-o", directory / "no" / "such" / "x.json")
    refuses(1, "cannot write", "report", archive, "-o", directory / "no" / "such" / "file")
    refuses(1, "filter", "report", archive, "--filter", directory / "nothing")
    (directory / "wrong.filter").write_text("EXCLUDE x\n")
    refuses(1, "wrong.filter:1", "report", archive, "--filter", directory / "wrong.filter")
    refuses(2, "--threads, --balanced, --without-lock or --task-overhead", "what-if", archive)
    refuses(1, "", "convert", directory / "nothing")
    refuses(1, "", "convert", directory)
    damaged = directory / "damaged"
    shutil.copytree(archive, damaged)
    (damaged / "traces.def").write_bytes((damaged / "traces.def").read_bytes()[:100])
    refuses(1, "", "report", damaged)
    nowhere = directory / "no" / "such" / "page.html"  # said before anything is read
    for words in (("report", "--html", nowhere, damaged), ("report", "-o", nowhere, damaged), ("diff", "--html", nowhere, damaged, damaged)):
        refuses(1, f"cannot write {nowhere}", *words)
    for place, words in ((archive, "is not empty"), (archive / "traces.otf2" / "below", "Not a directory")):
        refuses(1, words, "attach", os.getpid(), "-t", "0.1", "-o", place)
    refuses(2, "--list", "recover", "--list", "--remove", directory)
    refuses(1, f"{directory} has no rings", "recover", "--remove", directory)
    need(run("recover", "--list", directory).stdout == "no leftovers\n", "recover --list DIR is about DIR")
    refuses(2, "name the program", "run")
    refuses(2, "NAME=VALUE", "run", "--set", "x", "--", "true")
    refuses(127, "in PATH", "run", "--", "no-such-program")
    refuses(127, "written --sample=1000", "run", "--sample", "1000", "ls")
    (directory / "text").write_text("no program")
    refuses(127, "not executable", "run", "--", directory / "text")


def check_environment(archive):
    """Commands read TRACER_* as the tool does, and name what is not valid; -j has the range of TRACER_THREADS."""
    wrong = {"TRACER_KEEP_RAW": "maybe", "TRACER_THREADS": "1025", "TRACER_NOSUCH": "1"}
    for words in (["info"], ["convert", archive], ["recover", archive]):
        said = run(*words, env=wrong).stderr
        need(all(said.count(name) == 1 for name in wrong), f"{words[0]} names variables that are not valid: {said}")
    for command in ("convert", "merge", "recover"):
        refuses(2, "--threads", command, "--threads", "1025", archive)


def check_output(archive):
    for arguments in (["check", "--expect", "locations=1"], ["what-if", "--threads", "1,2"], ["report", "--exclude", "implicit*"], ["report", "--threads", "0"]):
        done = run(*arguments, archive)
        need(done.returncode in (0, 1) and not any(line.startswith("Try ") or "error" in line for line in done.stderr.splitlines()),
             f"tracer {' '.join(arguments)} TRACE: options may stand before the trace {done.stderr}")
    for arguments in (["report", archive], ["report", archive, "--json"], ["info"]):
        done = run(*arguments)
        need(done.returncode == 0 and "\x1b" not in done.stdout + done.stderr and "\r" not in done.stderr, f"tracer {arguments[0]}: no colours, no progress bar in a log")
    info = run("info", "--json")
    need(json.loads(info.stdout)["schema"] == "tracer-info/1.0" and json.loads(info.stdout)["version"] in run("--version").stdout, "info --json is JSON and knows the version")
    report = run("report", archive, "--exclude", "implicit*", "--json")
    names = [row["construct"] for row in json.loads(report.stdout)["constructs"]]
    need(names and "implicit barrier" not in names and "no region of" not in report.stderr, "report --exclude leaves regions out")
    need("no region of" in run("report", archive, "--exclude", "flush", "--include", "for", "--include", "no*one").stderr, "and names patterns that mean none")


def check_utf8(directory, archive):
    """Names of a trace may be no UTF-8; what a command writes is."""
    odd = directory / "odd"
    shutil.copytree(archive, odd)
    (odd / "traces.def").write_bytes((archive / "traces.def").read_bytes().replace(b"example.c", b"ex\xe4mple.c"))
    for words in (["report"], ["report", "--json"], ["diff", "--json", archive], ["export", "--format", "chrome", "-o", "-"]):
        done = subprocess.run([TRACER, *map(str, words), odd], capture_output=True, timeout=120)
        need(done.returncode == 0 and b"mple.c" in done.stdout and done.stdout == done.stdout.decode("utf-8", "ignore").encode(),
             f"{' '.join(map(str, words))}: UTF-8, though a name of the trace is not {done.stderr.decode(errors='replace')}")


def check_refused_prediction(directory, make_trace):
    """Where the replay of the run as it was is far off, no number of another run is printed."""
    archive = directory / "late"
    subprocess.run([make_trace, "late-leavers", archive], check=True)
    for question in (["--threads", "1,8"], ["--balanced", "for"], ["--task-overhead", "0"]):
        done = run("what-if", archive, *question)
        need(done.returncode == 1 and "no prediction" in done.stderr and "more than 10 %" in done.stderr and "parallel @example.c:10" in done.stderr,
             f"what-if {' '.join(question)} refuses, and names the region that it cannot replay: {done.stderr.strip()}")
        need("replayed" in done.stdout and "what if" not in done.stdout and "times as fast" not in done.stdout, "it says how far off it is, and no more")


def has_begun(output):
    try:
        return any(file.is_file() and file.stat().st_size for pending in output.parent.glob(output.name + ".part-*") for file in pending.rglob("*"))
    except FileNotFoundError:  # it got its name
        return True


def stopped_in_the_middle(words, place, kept=()):
    """A command that has begun its output; the loop comes too late where the machine is busy."""
    for _ in range(20):
        going = subprocess.Popen([TRACER, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while going.poll() is None and not has_begun(words[-1]):
            time.sleep(0.001)
        going.send_signal(signal.SIGSTOP)
        if going.poll() is None and not words[-1].exists():
            return going
        going.kill()
        going.wait()
        for left in place.iterdir():
            if left.name not in kept:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    raise SystemExit(f"FAILED: {words[0]}: its output is never seen unfinished")


def check_whole_or_nothing(directory, archive, make_trace):
    """Whoever interrupts a command finds nothing under the output's name, nor anything beside it."""
    done = run("export", archive, "--format", "chrome", "-o", "-")
    need(done.returncode == 0 and len(json.loads(done.stdout)["traceEvents"]) > 10 and not pathlib.Path("-").exists(), "-o - is standard output")
    refuses(2, "standard output", "export", archive, "--format", "csv", "-o", "-")
    for form in ("chrome", "sqlite"):
        refuses(1, f"there is no directory {directory / 'nowhere'}", "export", archive, "--format", form, "-o", directory / "nowhere" / "x")
    anchor = (archive / "traces.otf2").read_bytes()
    for words in (("export", archive, "--format", "chrome", "-o"), ("export", archive, "--format", "sqlite", "-o"), ("report", archive, "-o"), ("report", archive, "--html")):
        refuses(1, "is a file of a trace", *words, archive / "traces.otf2")
    need((archive / "traces.otf2").read_bytes() == anchor, "no command replaces a file of a trace by what it writes")
    pipe, link = directory / "pipe", directory / "link.db"
    os.mkfifo(pipe)
    refuses(1, "no regular file", "export", archive, "--format", "sqlite", "-o", pipe)
    need(stat.S_ISFIFO(pipe.stat().st_mode), "what is no file stays what it is")
    link.symlink_to(directory / "linked.db")
    (directory / "linked.db").touch()
    need(run("export", archive, "-o", link).returncode == 0 and link.is_symlink() and (directory / "linked.db").stat().st_size > 0, "what a link leads to is written, and the link stays")
    large, place = directory / "large", directory / "interrupted"
    subprocess.run([make_trace, "large", large, "2000000"], check=True)
    place.mkdir()
    exports = (("export", large, "--format", form, "-o", place / "x") for form in ("chrome", "csv", "parquet", "otf2"))
    for words in (*exports, ("report", large, "--html", place / "x.html")):
        going = stopped_in_the_middle(words, place)
        need([file.name.split(".part-")[0] for file in place.iterdir()] == [words[-1].name], f"{words[0]}: what is not whole has another name")
        going.send_signal(signal.SIGINT)
        going.send_signal(signal.SIGCONT)
        need(going.wait(60) == -signal.SIGINT and not list(place.iterdir()), f"{words[0]}: interrupted, it leaves nothing")
    # One that is killed leaves what it wrote; the next one beside it removes that, but not what another still writes.
    for form in ("chrome", "parquet"):
        killed = stopped_in_the_middle(("export", large, "--format", form, "-o", place / "x"), place)
        killed.kill()
        killed.wait()
        need(len(list(place.iterdir())) == 1, f"{form}: killed, it leaves what it wrote")
        foreign = place / "mine.part-123"
        foreign.mkdir()
        writes = stopped_in_the_middle(("export", large, "--format", "csv", "-o", place / "y"), place, kept={foreign.name})
        names = [file.name for file in place.iterdir() if file != foreign]
        need(len(names) == 1 and names[0].startswith("y.part-") and foreign.exists(), f"{form}: what a killed export left is removed by the next one: {names}")
        run("export", archive, "--format", "chrome", "-o", place / "z")
        need((place / names[0]).exists() and (place / "z").exists(), f"{form}: what another export writes is left alone")
        writes.send_signal(signal.SIGCONT)
        need(writes.wait(60) == 0 and (place / "y").is_dir(), f"{form}: and it comes to its end")
        for left in place.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    subprocess.run([TRACER, "export", archive, "--format", "chrome", "-o", place / "x"], capture_output=True, timeout=120,
                   preexec_fn=lambda: (place / f"x.part-{os.getpid()}").mkdir())
    need(sorted(file.name.split("-")[0] for file in place.iterdir()) == ["x", "x.part"], "what another host's process of the same number writes is left alone")
    for left in place.iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    run("export", archive, "--format", "csv", "-o", place / "tables")
    need(sorted(file.name for file in place.iterdir()) == ["tables"] and (place / "tables" / "slices.csv").exists(), "a directory of tables has its name when it is whole")
    events = json.loads(run("export", archive, "--format", "chrome", "-o", "-").stdout)["traceEvents"]
    need({"parallel", "work", "barrier"} <= {event["cat"] for event in events if event["ph"] == "X"}, "slices have categories")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary).resolve()
        archive = directory / "archive"
        subprocess.run([sys.argv[2], "imbalance", archive], check=True)
        check_helps()
        check_negative_numbers()
        check_empty_words()
        check_zero(archive, directory)
        check_wrong_input(directory, archive)
        check_environment(archive)
        check_output(archive)
        check_utf8(directory, archive)
        check_refused_prediction(directory, sys.argv[2])
        check_whole_or_nothing(directory, archive, sys.argv[2])
        check_run(directory)


main()
