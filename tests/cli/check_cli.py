#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_cli.py TRACER MAKE_TRACE [LIBRARY]: every subcommand has a help, refuses wrong input with one clear line and a
status, and `run` ends as the program does."""
import fcntl
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

TRACER = os.path.abspath(sys.argv[1])


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def run(*arguments, cwd=None, env=None):
    return subprocess.run([TRACER, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, env={**os.environ, **(env or {})}, timeout=120)


def refuses(status, words, *arguments, cwd=None, env=None):
    done = run(*arguments, cwd=cwd, env=env)
    lines = done.stderr.strip().splitlines()
    need(done.returncode == status and lines and all(line.startswith(("tracer:", "Try ")) for line in lines) and words in done.stderr,
         f"tracer {' '.join(map(str, arguments))}: status {done.returncode}, {lines[-1] if lines else 'nothing said'}")
    return done


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
    need(re.fullmatch(r"tracer \d+\.\d+\.\d+\n", run("--version").stdout) is not None, "tracer --version")
    refuses(2, "subcommand", "")
    refuses(2, "unknown command", "nonsense")
    refuses(2, "Did you mean 'report'?", "reprot")
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
    need(run("report", archive, "--json").stdout.encode().decode("utf-8") != "", "the report is UTF-8")


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


def check_run(directory):
    if len(sys.argv) < 4 or not pathlib.Path(sys.argv[3]).exists():
        print("skipped: no libtracer.so in this build")
        return
    env = {"TRACER_LIBRARY": sys.argv[3]}
    for command, status in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -TERM $$"], 143), (["true"], 0), (["sh", "-c", 'test "$1" = --x', "sh", "--x"], 0)):
        done = run("run", "-q", "--", *command, cwd=directory, env=env)
        need(done.returncode == status, f"tracer run -- {' '.join(command)} ends with {done.returncode}")
    done = run("run", "--", "sh", "-c", "echo out; echo err >&2", cwd=directory, env=env)
    need(done.stdout == "out\n" and "err\n" in done.stderr and "no trace:" in done.stderr, "the program's output is its own, and a missing trace is said")
    done = run("run", "--", "sh", "-c", "echo $LD_PRELOAD", cwd=directory, env=env)
    beside = pathlib.Path(sys.argv[3]).parent / "libtracer-gomp.so"
    need(not beside.exists() or str(beside.resolve()) in done.stdout.split(":")[-1], f"what a script starts may be of GCC: its libgomp is listened to {done.stdout}")
    done = run("run", "--runtime", "auto", "--", "sh", "-c", "echo $LD_PRELOAD", cwd=directory, env=env)
    need("omp" in done.stdout or "no LLVM runtime was found" in done.stderr, "--runtime auto puts the newest runtime that is found into every process")
    need("libtracer-gomp" not in done.stdout, "and then nothing stands before libgomp")
    done = run("run", "--runtime", "nowhere.so", "--", "true", cwd=directory, env=env)
    need(done.returncode == 2 and "nowhere.so" in done.stderr, "a runtime that does not exist is said")
    done = run("run", "--set", "RECORD=-wait", "--", "sh", "-c", "echo $TRACER_RECORD $TRACER_CONVERT", cwd=directory, env=env)
    need(done.stdout == "-wait later\n", "--set sets the variable")
    done = run("run", "-q", "--", "sh", "-c", "grep FDSize /proc/$$/status; ls /proc/$$/fd", cwd=directory, env=env)
    size, *descriptors = done.stdout.split()[1:]
    need(int(size) > 400 and max(map(int, descriptors)) < 400, f"the program's table has room for the tool's descriptors, {size}, and none of them yet")
    done = run("run", "--counters", "nosuch", "--", "true", cwd=directory, env=env)
    need(done.returncode == 2 and "--counters nosuch:" in done.stderr, f"a counter that does not exist is refused before the program runs: {done.stderr}")
    check_kinds_of_programs(directory, env)


def check_half_archive(directory, env):
    """What a converter left that was killed is nobody's archive; what has no mark of it is somebody's."""
    run("run", "--raw", "-o", directory / "raw.trace", "--", directory / "gomp", cwd=directory, env=env)
    half = directory / "half"
    (half / "traces").mkdir(parents=True)
    for name in ("traces.def", "traces/0.evt"):
        (half / name).write_text("half")
    refuses(1, "there is an archive already", "convert", "-k", "-o", half, directory / "raw.trace")
    mark = half / "traces.part"
    mark.touch()
    with mark.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        refuses(1, "another process makes an archive", "convert", "-k", "-o", half, directory / "raw.trace")
    done = run("convert", "-k", "-o", half, directory / "raw.trace")
    need(done.returncode == 0 and sorted(path.name for path in half.iterdir()) == ["traces", "traces.def", "traces.otf2"], f"half an archive is made anew {done.stderr}")
    need(run("check", half).returncode == 0, "and whole")
    before = (half / "traces.otf2").read_bytes()
    for command in ("convert", "recover"):
        again = run(command, half)
        need(again.returncode == 0 and "is complete already" in again.stderr and " events" not in again.stderr, f"{command} says that there is nothing to do: {again.stderr}")
    need((half / "traces.otf2").read_bytes() == before, "and leaves the archive as it is")


def runs_untraced(words, program, output, directory, env):
    done = run("run", "--", program, cwd=directory, env=env)
    need(done.returncode == 0 and done.stdout == output and done.stderr.count(words) == 1, f"what is {words} linked or owned runs without a trace: {done.stdout!r} {done.stderr!r}")


def check_loaders(directory, env, compiler):
    """Of another C library's loader nothing is expected, and a program is not started to see what it is; AddressSanitizer comes first."""
    source, log = directory / "logs.c", directory / "runs.txt"
    source.write_text(f"#include <stdio.h>\nint main(int n, char** a) {{\n  FILE* f = fopen(\"{log}\", \"a\");\n  fprintf(f, \"%d\\n\", n);\n  fclose(f);\n  puts(a[n - 1]);\n  return 3;\n}}\n")
    system = next((p for p in pathlib.Path("/lib64").glob("ld-linux*") if p.exists()), None)
    if system is not None:
        loader = directory / "ld-musl-x86_64.so.1"
        loader.symlink_to(system)
        subprocess.run([compiler, source, f"-Wl,--dynamic-linker={loader}", "-o", directory / "musl"], check=True)
        done = run("run", "--", directory / "musl", "x", "y", cwd=directory, env=env)
        need(done.returncode == 3 and done.stdout == "y\n" and log.read_text() == "3\n" and done.stderr.count("another C library") == 1, f"a program of another loader runs once, without a trace: {done} {log.read_text()!r}")
    if os.environ.get("TRACER_TEST_LINK"):
        return
    made = subprocess.run([compiler, "-fsanitize=address", source, "-o", directory / "address"], capture_output=True)
    if made.returncode != 0:
        print("skipped: no AddressSanitizer")
        return
    asan = {**env, "PMI_RANK": "0"}
    for command in ([directory / "address"], ["env", directory / "address"]):
        done = run("run", "--", *command, "x", cwd=directory, env=asan)
        need(done.returncode == 3 and done.stdout == "x\n", f"a program with AddressSanitizer runs: {done}")


def check_kinds_of_programs(directory, env):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        print("skipped: no C compiler")
        return
    source = directory / "program.c"
    source.write_text("#include <stdio.h>\nint main(void) {\n  int n = 0;\n#pragma omp parallel num_threads(2)\n  {\n#pragma omp critical\n    n++;\n  }\n  printf(\"%d\\n\", n);\n  return 0;\n}\n")
    subprocess.run([compiler, "-static", source, "-o", directory / "static"], check=False, capture_output=True)
    if (directory / "static").exists():
        runs_untraced("statically", directory / "static", "1\n", directory, env)
    check_loaders(directory, env, compiler)
    made = subprocess.run([compiler, "-fopenmp", "-g", *os.environ.get("TRACER_TEST_LINK", "").split(), source, "-o", directory / "gomp"], capture_output=True)
    if made.returncode != 0:
        print("skipped: no gcc -fopenmp")
        return
    if os.geteuid() == 0:
        shutil.copy(directory / "gomp", directory / "setuid")
        os.chown(directory / "setuid", 65534, 65534)
        os.chmod(directory / "setuid", 0o4755)
        runs_untraced("set-user-id", directory / "setuid", "2\n", directory, env)
    done = run("run", "-o", directory / "gomp.trace", "--", directory / "gomp", cwd=directory, env=env)
    if not (pathlib.Path(sys.argv[3]).parent / "libtracer-gomp.so").exists():
        print("skipped: no libtracer-gomp.so in this build")
        return
    need(done.stdout == "2\n" and done.returncode == 0 and (directory / "gomp.trace" / "traces.otf2").exists(), "a program of gcc -fopenmp is traced by itself")
    said, everything = run("info", directory / "gomp.trace").stdout, run("info", "--all", directory / "gomp.trace").stdout
    need("host:" in said and "SETTING::" not in said and "SETTING::" in everything and len(said.splitlines()) < 50, f"info says what a person asks first, in {len(said.splitlines())} lines; --all the rest")
    again = run("run", "-o", directory / "gomp.trace", "--", directory / "gomp", cwd=directory, env=env)
    need(again.stderr.count("is not empty") == 1 and (directory / "gomp.trace.2" / "traces.otf2").exists(), "what exists is kept, which is said once")
    (directory / "file.trace").write_text("kept")
    os.symlink("gomp.trace", directory / "link.trace")
    for name, reason in (("file", "is no directory"), ("link", "is a link")):
        other = run("run", "-o", directory / f"{name}.trace", "--", directory / "gomp", cwd=directory, env=env)
        need(other.stderr.count(f"{name}.trace {reason}") == 1 and (directory / f"{name}.trace.2" / "traces.otf2").exists(), f"what {reason} is kept, which is said once")
    many = run("run", "-o", directory / "many.trace", "--", "sh", "-c", f"{directory / 'gomp'}; {directory / 'gomp'}", cwd=directory, env=env)
    need(many.stdout == "2\n2\n" and sorted(p.name for p in (directory / "many.trace").iterdir()) == ["traces", "traces.def", "traces.otf2"] and "is not empty" not in many.stderr, "a script's processes are one archive, without a word between their output")
    left = run("run", "-o", directory / "left.trace", "--", "sh", "-c", f"(sleep 2; exec {directory / 'gomp'}) 2>{directory / 'left.txt'} >&2 & exit 0", cwd=directory, env=env)
    after = directory / "left.txt"
    for _ in range(300):
        if after.exists() and "tracer convert" in after.read_text():
            break
        time.sleep(0.1)
    need(left.returncode == 0 and after.read_text().count("tracer convert") == 1, f"what begins after tracer run has ended says where its raw trace is: {after.read_text()!r}")
    named = re.search(r"tracer convert (\S+)", after.read_text())
    need(named is not None and run("convert", named[1]).returncode == 0 and (pathlib.Path(named[1]) / "traces.otf2").exists(), "and how to make the archive")
    need("Static loops" in done.stderr, "and what libgomp's entry points do not report is named")
    report = json.loads(run("report", "--json", directory / "gomp.trace").stdout)
    need(any(row["construct"] == "critical" for row in report["constructs"]), "its critical region is in the trace")
    check_half_archive(directory, env)
    checked = run("check", directory / "gomp.trace")
    need(checked.returncode == 0, f"and the archive is valid: {checked.stdout.strip().splitlines()[-1:]}")


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
        check_refused_prediction(directory, sys.argv[2])
        check_whole_or_nothing(directory, archive, sys.argv[2])
        check_run(directory)


main()
