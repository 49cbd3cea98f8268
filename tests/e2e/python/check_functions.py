#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_functions.py TRACER: `tracer run --python` records each call of a function that the program makes, and the program prints and returns
what it does without. With every Python from 3.9 on. Exit status 77: none here."""
import ast
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from pythons import find_pythons

HERE = pathlib.Path(__file__).resolve().parent
STEPPED_BACK = "sets a profile function of its own"
CUT_SHORT = "TRACER::COUNTER::PYTHON_CALLS_CUT_SHORT"


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what[:200])


class Checker:
    def __init__(self, tracer, python, version, directory):
        self.tracer, self.python, self.version, self.directory, self.runs = tracer, python, version, directory, 0

    def run(self, *command, python="--python", settings=(), **environment):
        """The traced run, and its report; None without a trace."""
        self.runs += 1
        place = self.directory / f"trace{self.runs}"
        options = [word for setting in settings for word in ("--set", setting)]
        done = subprocess.run([self.tracer, "run", *([python] if python else []), "-o", place, *options, "--", *command], capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=200, cwd=self.directory)
        if not (place / "traces.otf2").exists():
            return done, None
        report = subprocess.run([self.tracer, "report", "--json", place], capture_output=True, text=True, check=True)
        checked = subprocess.run([self.tracer, "check", place], capture_output=True, text=True)
        need(checked.returncode == 0, f"the archive is sound {checked.stdout[-300:] if checked.returncode else ''}")
        return done, json.loads(report.stdout)

    def plain(self, *command):
        return subprocess.run(command, capture_output=True, text=True, timeout=200, cwd=self.directory)

    def short(self, name):
        """Before 3.11 code has no qualified name."""
        return name if self.version >= (3, 11) else name.rpartition(".")[2]

    def counts_and_output(self):
        source = (HERE / "functions.py").read_text()
        wanted = {self.short(name): n for name, n in ast.literal_eval(re.search(r"CALLS = ({.*?})", source, re.DOTALL).group(1)).items()}
        wanted["leaf"] += 3  # of the child
        plain = self.plain(self.python, HERE / "functions.py")
        done, report = self.run(self.python, HERE / "functions.py")
        need((done.returncode, done.stdout) == (3, plain.stdout) and plain.returncode == 3, f"output and status are those without: {done.stdout} {done.stderr[-300:]}")
        counts = {phase["name"]: phase["count"] for phase in report["phases"]}
        need({name: counts.get(name) for name in wanted} == wanted, f"each call is recorded: {counts}")
        need(all(phase["said_by"] == "Python" for phase in report["phases"]), "they are Python's")
        need(len(report["threads"]) >= 5 and len(report["processes"]) == 2, f"of {len(report['threads'])} threads and {len(report['processes'])} processes")
        need(report["trace"]["irregular_events"] == 0 and not any("REPAIR" in name for name in report["trace"]["properties"]), "no call is without its end, no end without its call")
        need(CUT_SHORT not in report["trace"]["properties"], "no call is cut short")
        need(not [name for name in counts if name in ("Thread.start", "run", "_bootstrap", "decode", "wait")], "the standard library is left out")
        need(not [name for name in counts if name.endswith(("<lambda>", "<genexpr>", "<locals>"))], "what is entered for each element is part of the function around it")
        need(STEPPED_BACK not in done.stderr, "nothing is said")
        places = {c["name"]: (c["file"], c["line"]) for c in report["constructs"] if c["name"] in counts}
        line = source[:source.index("def leaf(n)")].count("\n") + 1
        need(places["leaf"] == (str(HERE / "functions.py"), line), f"functions have file and line: {places['leaf']}")
        return wanted

    def profiles(self, wanted):
        plain = self.plain(self.python, HERE / "functions.py", "profile")
        done, report = self.run(self.python, HERE / "functions.py", "profile")
        need((done.returncode, done.stdout) == (3, plain.stdout), f"the program's own profilers see what they see without: {done.stdout}")
        said = 1 if self.version < (3, 12) else 0  # sys.monitoring has room for all
        need(done.stderr.count(STEPPED_BACK) == said, f"that ours steps back is said once: {done.stderr}")
        counts = {phase["name"]: phase["count"] for phase in report["phases"]}
        need(all(counts.get(name, 0) >= n for name, n in wanted.items()), "what came before is recorded")
        need(report["trace"]["irregular_events"] == 0 and not any("REPAIR" in name for name in report["trace"]["properties"]), "and ends")

    def modules(self):
        _, report = self.run(self.python, HERE / "functions.py", python="--python=asyncio.tasks,asyncio.runners")
        counts = {phase["name"]: phase["count"] for phase in report["phases"]}
        need("run" in counts and "sleep" in counts and not {"leaf", "main", "wait", "select"} & set(counts), f"modules that are named, and no others: {counts}")
        _, report = self.run(self.python, HERE / "functions.py", python="--python=all")
        counts = {phase["name"]: phase["count"] for phase in report["phases"]}
        need(counts.get("leaf") == 148 and counts.get(self.short("Thread.start")) == 4, "all: with the standard library")
        _, report = self.run(self.python, "-c", "import threading\ndef f(): pass\nf(); f()")
        counts = {phase["name"]: phase["count"] for phase in report["phases"]}
        need(counts == {"f": 2, "<module>": 1} or counts.get("f") == 2, f"a program on the command line: {counts}")

    def greenlets(self):
        """Of a greenlet's call that is open when the call below it returns there is the number."""
        if self.plain(self.python, "-c", "import greenlet").returncode != 0:
            print(f"not tested: greenlets: {self.python} has none")
            return
        _, report = self.run(self.python, "-c", "import greenlet\ndef b(): back.switch()\ndef a(): kept.switch()\n"
                             "back = greenlet.getcurrent()\nkept = greenlet.greenlet(b)\na()")
        need(str(report["trace"]["properties"].get(CUT_SHORT)) == "1", f"a greenlet's call that is cut short is counted: {report['trace']['properties']}")

    def children(self):
        """A child's one call is not lost, of a function that its parent has called already; nor is that of the program's first module, which is
        called __mp_main__ in what is spawned."""
        for method in ("fork", "forkserver", "spawn"):
            for chosen in ("--python", "--python=__main__"):
                done, report = self.run(self.python, HERE / "children.py", method, python=chosen)
                need((done.returncode, done.stdout) == (0, "0\n"), f"{method}: the program does what it does without: {done.stdout} {done.stderr[-300:]}")
                counts = {phase["name"]: phase["count"] for phase in report["phases"]}
                need(counts.get("job") == 2, f"{method}, {chosen}: the parent's call and the child's: {counts}")
                need(method != "fork" or len(report["processes"]) == 2, f"{method}: of {len(report['processes'])} processes")

    def shims(self):
        """What starts the interpreter hides its version and its frame pointers: the way of sampling is one that suits any, and a line says so."""
        shim = self.directory / "shims" / "python3"
        shim.parent.mkdir()
        shim.write_text(f'#!/bin/sh\nexec {self.python} "$@"\n')
        shim.chmod(0o755)
        code = "import os; print(os.environ.get('PYTHONPERFSUPPORT'), os.environ.get('TRACER_SAMPLE_SOURCE'))"
        left, _ = self.run(shim, "-c", code, python="--sample")
        need(left.stdout == "None None\n" and "PYTHONPERFSUPPORT=1 names them" in left.stderr, f"a script that starts Python: {left.stdout} {left.stderr}")
        asked, _ = self.run(shim, "-c", code, python="--sample", PYTHONPERFSUPPORT="1")
        need(asked.stdout == "1 signal\n" and f"{shim} cannot be inspected" in asked.stderr, f"and with names: {asked.stdout} {asked.stderr}")
        chosen, _ = self.run(shim, "-c", code, python="--sample", settings=["SAMPLE_SOURCE=perf"], PYTHONPERFSUPPORT="1")
        need(chosen.stdout == "1 perf\n" and "cannot be inspected" not in chosen.stderr, f"and what the user has chosen: {chosen.stdout} {chosen.stderr}")

    def leaves_others_alone(self):
        off, report = self.run(self.python, HERE / "functions.py", python=None)
        need(report is None or not report["phases"], "without --python no function is recorded")
        done, report = self.run("/bin/sh", "-c", 'echo "$PYTHONPERFSUPPORT|$TRACER_PYTHON|$LD_PRELOAD"', python="--sample")
        need(done.stdout.startswith("||") and "libtracer-python" not in done.stdout, f"another program's environment has nothing of it: {done.stdout}")
        self.shims()
        code = "import os; print([n for n in sorted(os.environ) if n.startswith('PYTHON')])"
        if self.version < (3, 12):
            old, _ = self.run(self.python, "-c", code, python="--sample")
            need("PYTHONPERFSUPPORT" not in old.stdout and "older than Python 3.12" in old.stderr, f"an older Python's environment stays, and a line says why: {old.stderr}")
            return
        sets = self.version >= (3, 13)  # the interpreter recurses as deeply with it, up to Python's own limit
        recursion = "def f(n): return n and 1 + f(n - 1)\nprint(f(900))"
        deeper = "import sys; sys.setrecursionlimit(20000)\n" + recursion.replace("900", "9000")
        for program, chosen in ((recursion, {}), (deeper, {"PYTHONPERFSUPPORT": "0"})):
            with_sample, _ = self.run(self.python, "-c", program, python="--sample", **chosen)
            plain = self.plain(self.python, "-c", program)
            need((with_sample.returncode, with_sample.stdout) == (0, plain.stdout), f"--sample changes nothing for Python: {with_sample.stdout}{with_sample.stderr[-300:]}")
        script = self.directory / "script"
        script.write_text(f"#!{self.python}\n{code}\n")
        script.chmod(0o755)
        mine = ast.literal_eval(self.plain(self.python, "-c", code).stdout)
        for command in ((self.python, "-c", code), ("env", "X=1", self.python, "-c", code), (script,)):
            done, _ = self.run(*command, python="--sample")
            need(ast.literal_eval(done.stdout) == sorted({*mine, *(["PYTHONPERFSUPPORT"] if sets else [])}), f"{command[0]}: one variable at most: {done.stdout}")
            need(("PYTHONPERFSUPPORT=1 names them" in done.stderr) != sets, f"{command[0]}: a line where it isn't set: {done.stderr}")
        for command, chosen in (((self.python, "-c", "print(1)"), {"PYTHONPERFSUPPORT": "1"}), (("env", "PYTHONPERFSUPPORT=1", self.python, "-c", "print(1)"), {}),
                                ((self.python, "-X", "perf", "-c", "print(1)"), {})):
            chosen_by_user, _ = self.run(*command, python="--sample", **chosen)
            need("names them" not in chosen_by_user.stderr, f"but not where the user has chosen: {chosen_by_user.stderr}")

    def option_counts(self):
        program = "def f(): pass\nf(); f()"
        for variable, option in (("nosuch", "--python"), ("off", "--python=__main__")):
            done, report = self.run(self.python, "-c", program, python=option, TRACER_PYTHON=variable)
            counts = {phase["name"]: phase["count"] for phase in report["phases"]} if report else {}
            need(counts.get("f") == 2, f"{option} wins over TRACER_PYTHON={variable}: {counts} {done.stderr[-300:]}")
        done, report = self.run(self.python, "-c", program, python="--python=nosuch")
        need(len(report["threads"]) == 1 and not report["phases"] and done.stderr.count("no function of the modules") == 1, f"that no function was called is said: {done.stderr}")
        _, report = self.run(self.python, "-c", program, settings=["PYTHON=nosuch"])
        need(report is None or not report["phases"], "and --set over both")
        for wrong in ("a b", "1x", "a,,b", "on,pk", "all,pk"):
            done, _ = self.run(self.python, "-c", "print(1)", python=f"--python={wrong}")
            need(done.returncode == 2 and not done.stdout and "names of modules with commas" in done.stderr, f"--python={wrong} is an error: {done.stderr}")


def too_old(tracer, python, version):
    with tempfile.TemporaryDirectory() as directory:
        checker = Checker(tracer, python, version, pathlib.Path(directory))
        done, _ = checker.run(python, "-c", "print(1)")
        need(done.stdout == "1\n" and "older than Python 3.9" in done.stderr, f"{version}: a line says why no calls are recorded: {done.stderr}")
        done, _ = checker.run(python, "-c", "print(1)", python="--sample")
        need("older than Python 3.12" in done.stderr and "--python" not in done.stderr, f"{version}: --sample does not advise --python: {done.stderr}")


def main():
    tracer = os.path.abspath(sys.argv[1])
    pythons = find_pythons((3, 9))
    if not pythons:
        print("skipped: no Python 3.9 or newer here")
        return 77
    for python, version in pythons:
        with tempfile.TemporaryDirectory() as directory:
            checker = Checker(tracer, python, version, pathlib.Path(directory))
            print(f"-- {python} {version}")
            wanted = checker.counts_and_output()
            checker.profiles(wanted)
            checker.modules()
            checker.greenlets()
            checker.children()
            checker.leaves_others_alone()
            checker.option_counts()
    for python, version in find_pythons((3, 0)):
        if version < (3, 9):
            too_old(tracer, python, version)
    return 0


sys.exit(main())
