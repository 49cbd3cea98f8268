#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every source of names has what a terminal obeys in it - regions, functions, files, folders, modules, annotations, threads,
properties, the program, the trace's directory, arguments, settings - and no command writes it: neither into a pipe nor on a
terminal, where only the styles of the commands' own are.

check_terminal.py --tool libtracer.so --tracer tracer PROGRAM"""
import argparse
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
MARK, OBEYED = b"EVIL_", b"\x1b]0;\x07"  # of one length: what archives and samples have becomes the other
EVIL = "\x1b]0;title\x07\x1b[2J\u009b\u202e"
# Control characters but for lines and tabs, C1, and changes of the writing direction; what is no UTF-8.
WRONG = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffd]")
STYLES = re.compile(r"\x1b\[(0|1|31|32|1;31)m")
PROGRESS = re.compile(r"\r|\x1b\[K")


class Check:
    def __init__(self, options, scratch):
        self.options, self.scratch, self.faults, self.commands = options, pathlib.Path(scratch), [], 0
        self.program = self.scratch / f"program {EVIL}"
        shutil.copy(options.program, self.program)

    def environment(self, **more):
        annotations = pathlib.Path(self.options.tool).parent / "libtracer-annotations.so"
        usual = {"TRACER_LIBRARY": self.options.tool, "LD_PRELOAD": str(annotations), "OMP_WAIT_POLICY": "passive", "NO_COLOR": "", "TERM": "xterm"}
        return clean(**{**usual, **more})

    def judge(self, what, text, terminal=False):
        self.commands += 1
        plain = PROGRESS.sub("", STYLES.sub("", text)).replace("\r\n", "\n") if terminal else text
        if found := WRONG.search(plain):
            at = found.start()
            self.faults.append(f"{what!r} writes {plain[max(0, at - 60):at + 40]!r}")

    def run(self, *words, environment=None, most=2, **how):
        done = subprocess.run([str(word) for word in words], capture_output=True, timeout=200, env=environment or self.environment(), cwd=self.scratch, **how)
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        self.judge(" ".join(str(word).replace(str(self.scratch), "") for word in words[1:]), said)
        if done.returncode > most:
            self.faults.append(f"{words[1:]!r} ended with {done.returncode}: {said[-500:]!r}")
        return done.returncode, said

    def on_terminal(self, *words, **more):
        """As run(), where standard output and error are a terminal."""
        parent, child = pty.openpty()
        process = subprocess.Popen([str(word) for word in words], stdout=child, stderr=child, stdin=child, env=self.environment(**more), cwd=self.scratch)
        os.close(child)
        text = b""
        while True:
            try:
                part = os.read(parent, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        process.wait(timeout=100)
        os.close(parent)
        self.judge("terminal: " + " ".join(str(word) for word in words[1:3]), text.decode("utf-8", "replace"), True)
        if not text:
            self.faults.append(f"{words[1:]} writes nothing on a terminal")
        return text

    def on_dumb_terminal(self, trace):
        for term in ("dumb", ""):
            for command in ("report", "check"):
                if b"\x1b" in (text := self.on_terminal(self.options.tracer, command, trace, TERM=term)):
                    self.faults.append(f"{command} sends TERM={term!r} what that does not obey: {text[:200]!r}")

    def all_commands(self, trace):
        tracer = self.options.tracer
        reading = [("report",), ("report", "--rows", "0"), ("report", "--json"), ("samples",), ("samples", "--raw"), ("samples", "--form", "folded"),
                   ("samples", "--form", "speedscope"), ("samples", "--form", "json"), ("info",), ("info", "--all"), ("info", "--json"), ("check",),
                   ("check", "--all"), ("check", "--json"), ("what-if", "--threads", "1,4"), ("what-if", "--balanced", "file.c"), ("what-if", "--without-lock", EVIL)]
        for words in reading:
            _, said = self.run(tracer, words[0], trace, *words[1:])
            if not said:
                self.faults.append(f"{words} says nothing")
            self.on_terminal(tracer, words[0], trace, *words[1:])
        for words in (("diff", trace, trace), ("diff", "--json", trace, trace), ("diff", trace, trace, "--fail-if", EVIL)):
            self.run(tracer, *words)
            self.on_terminal(tracer, *words)
        for form in ("chrome", "csv", "sqlite", "perfetto", "otf2", "parquet"):
            self.run(tracer, "export", "--format", form, "-o", self.scratch / f"{form} {EVIL}", trace)
        self.run(tracer, "report", "--html", self.scratch / f"page {EVIL}.html", trace)

    def wrong_arguments(self, trace):
        tracer, nothing = self.options.tracer, f"nothing {EVIL}"
        for command in ("report", "samples", "info", "check", "diff", "what-if", "export", "convert", "recover", "merge", "top", "snapshot", "attach", "run",
                        "completion", "manual"):
            self.run(tracer, command, nothing, most=127)
            self.run(tracer, command, f"--{EVIL}", most=127)
        for words in ((EVIL,), ("run", "-s", f"{EVIL}=1", "--", "true"), ("run", "-s", f"SAMPLE={EVIL}", "--", "true"), ("run", "-o", f"{trace}/traces.otf2/{EVIL}", "--", "true"),
                      ("run", "--filter", nothing, "--", "true"), ("run", "--runtime", nothing, "--", "true"), ("run", "--annotations", EVIL, "--", "true"),
                      ("run", "--counters", EVIL, "--", self.program), ("report", trace, "--phase", EVIL), ("report", trace, "--ranks", EVIL), ("report", trace, "--part", EVIL),
                      ("snapshot", self.program), ("recover", "--list"), ("report", trace, "--rows", EVIL), ("export", "--format", EVIL, trace)):
            self.run(tracer, *words, most=127)

    def by_the_library(self):
        """Without `tracer run` the tool's own messages go to the program's standard error."""
        for settings in ({"TRACER_MEMORY": EVIL}, {"TRACER_SPOOL": f"/no/{EVIL}"}, {"TRACER_FILTER": f"/no/{EVIL}"}, {"TRACER_CONVERT": "later"}, {"TRACER_LOG": "debug"},
                         {"TRACER_OUTPUT": f"/dev/null/{EVIL}"}):
            settings = {"TRACER_OUTPUT": str(self.scratch / f"library {EVIL}"), "OMP_TOOL_LIBRARIES": self.options.tool, **settings}
            _, said = self.run(self.program, "", environment=self.environment(**settings))
            if "tracer: " not in said:
                self.faults.append(f"{settings}: the tool says nothing")

    def by_the_library_for_gcc(self):
        """libtracer-gomp.so alone in the process says itself what it cannot see: once, not again in a child."""
        gomp, gcc = pathlib.Path(self.options.tool).parent / "libtracer-gomp.so", HERE.parent / "gcc"
        if not gomp.exists() or shutil.which("gcc") is None or os.environ.get("TRACER_TEST_SANITIZED"):
            return print("not tested: the warning of libtracer-gomp.so")
        place = self.scratch / f"gcc {EVIL}"
        place.mkdir()
        found = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True).stdout.strip()
        (place / "libgomp-1.so").write_bytes(pathlib.Path(found).read_bytes().replace(b"libgomp.so.1\0", b"libgomp-1.so\0"))  # hosts.py has it so
        for words in (["-fopenmp", "-fPIC", "-c", "-DFUNCTION=f1", gcc / "plugin.c", "-o", "p1.o"], ["-shared", "p1.o", "libgomp-1.so", "-Wl,-rpath,$ORIGIN", "-o", "p1.so"],
                      [gcc / "host.c", "-o", "host", "-ldl", "-lpthread"]):
            subprocess.run(["gcc", *words], check=True, cwd=place)
        _, said = self.run(place / "host", f"deep:{place}/p1.so", "fork:f1:10", "call:f1:10",
                           environment=clean(LD_PRELOAD=str(gomp), TRACER_OUTPUT=str(self.scratch / "gcc"), OMP_NUM_THREADS="2"))
        if said.count("tracer: warning: ") != 1 or "p1.so calls libgomp" not in said:
            self.faults.append(f"libtracer-gomp.so says not once what it cannot see: {said!r}")


def make_hostile(trace):
    """Of the names in archive and samples those of the bytes that a terminal obeys."""
    changed = 0
    for file in sorted(trace.rglob("*")):
        if file.is_file() and file.suffix in (".def", ".bin"):
            data = file.read_bytes()
            changed += data.count(MARK)
            file.write_bytes(data.replace(MARK, OBEYED))
    return changed


def main():
    arguments = argparse.ArgumentParser()
    for name in ("--tool", "--tracer"):
        arguments.add_argument(name, required=True)
    arguments.add_argument("program")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        check = Check(options, scratch)
        trace = check.scratch / f"trace {EVIL}"
        status, said = check.run(options.tracer, "run", "--sample", "-o", trace, "--", check.program)
        if status != 0 or not (trace / "traces.otf2").exists():
            print(f"no trace: {status} {said}")
            return 1
        if not (trace / "samples.bin").exists():
            shutil.rmtree(trace)
            check.run(options.tracer, "run", "--sample", "-s", "SAMPLE_SOURCE=signal", "-o", trace, "--", check.program)
        changed = make_hostile(trace)
        for name in (b"critical", b"function", b"file.c", b"range", b"mark"):
            if not any(name in file.read_bytes() for file in trace.rglob("*") if file.is_file() and file.suffix in (".def", ".bin")):
                check.faults.append(f"the trace has no {name}")
        check.all_commands(trace)
        check.on_dumb_terminal(trace)
        check.wrong_arguments(trace)
        check.by_the_library()
        check.by_the_library_for_gcc()
        print(f"{changed} names changed, {check.commands} commands looked at")
    print("\n".join(check.faults))
    return 1 if check.faults or changed < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
