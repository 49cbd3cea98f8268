#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`tracer run` under everything that may change its status: children that leave nothing, a full disk, a place that is spoilt,
a converter that is killed, signals that are ignored or come from a batch system, a reader that has gone. The status is the
program's; no message names a descriptor; the raw trace is there where no archive is.

check_status.py --tool libtracer.so --tracer tracer [--nvtx] PROGRAM"""
import argparse
import fcntl
import os
import pathlib
import pty
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from odd_starts import first_process, full_environment  # noqa: E402
from traced import clean, forget_the_killed, judge, library_out_of_reach  # noqa: E402


class Check:
    def __init__(self, options):
        self.options, self.faults, self.said = options, [], ""

    def environment(self, **more):
        return clean(TRACER_LIBRARY=self.options.tool, OMP_WAIT_POLICY="passive", **more)

    def command(self, output, *words, flags=()):
        return [self.options.tracer, "run", "-o", str(output), *flags, "--", *map(str, words)]

    def fault(self, name, text):
        self.faults.append(f"{name}: {text}")

    def look(self, name, status, expected, said, output=None, archive=True, raw=None):
        print(f"{name}: {status}. {said.strip()[-300:]}")
        self.said = said
        if status != expected:
            self.fault(name, f"status {status} instead of {expected}: {said}")
        if "/proc/self/fd" in said or "/proc/" in said and "/fd/" in said:
            self.fault(name, f"a message names a descriptor: {said}")
        if "error" in said and archive is True:
            self.fault(name, f"an error is said: {said}")
        if output is None:
            return
        has = (output / "traces.otf2").is_file()
        if archive is not None and has != archive:
            self.fault(name, f"archive {has}, expected {archive}: {said}")
        if has:
            for fault in judge(output / "traces.otf2", self.options.tracer)[0]:
                self.fault(name, fault)
        elif raw is not False and not list(output.glob("**/raw/trace")):
            self.fault(name, f"neither an archive nor a raw trace is left: {said}")
        if not has and raw is not False and "tracer " not in said.replace("tracer: ", ""):
            self.fault(name, f"no command is named: {said}")

    def run(self, name, words, expected, flags=(), archive=True, environment=None, before=(), raw=None, sum_="sum 2\n", **how):
        with tempfile.TemporaryDirectory() as scratch:
            output = pathlib.Path(scratch, "trace")
            words = [str(word).replace("OUTPUT", str(output)) for word in words]
            flags = [flag.replace("SCRATCH", scratch) for flag in flags]
            how.setdefault("stdout", subprocess.PIPE)
            done = subprocess.run([*before, *self.command(output, self.options.program, *words, flags=flags)], stderr=subprocess.PIPE, text=True, timeout=200,
                                  env=environment or self.environment(), **how)
            if done.stdout is not None and sum_ not in done.stdout:
                self.fault(name, f"the program's output is {done.stdout!r}")
            self.look(name, done.returncode, expected, done.stderr, output, archive, raw)

    def plain(self):
        for status in (0, 1, 3, 77, 126, 255):
            self.run(f"status {status}", ["status", status], status)
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGUSR1, signal.SIGINT, signal.SIGPIPE, signal.SIGXCPU):
            self.run(f"signal {number}", ["signal", int(number)], 128 + number, archive=None)
        done = subprocess.run([self.options.tracer, "run", "--", "./no-such-program"], capture_output=True, text=True, env=self.environment())
        self.look("no such program", done.returncode, 127, done.stderr, None, None)

    def nested(self):
        """A run in a run has its part in the outer one's archive."""
        for inner in ([], ["-q"]):
            self.run("a run in a run", ["status", 7], 7, flags=["--", self.options.tracer, "run", *inner])
            if "no trace:" in self.said:
                self.fault("a run in a run", self.said)

    def gone(self):
        """The working directory is gone: a place with a whole name needs none, another one is refused."""
        for words, expected in (("-o OUT/trace", 5), ("-o trace", 1), ("", 5)):
            with tempfile.TemporaryDirectory() as scratch:
                script = f'mkdir {scratch}/here && cd {scratch}/here && rmdir ../here && "$0" run {words.replace("OUT", scratch)} -- "$1" status 5'
                done = subprocess.run(["sh", "-c", script, self.options.tracer, self.options.program], capture_output=True, text=True, env=self.environment())
                self.look(f"no working directory, {words}", done.returncode, expected, done.stderr, pathlib.Path(scratch, "trace"), words == "-o OUT/trace", False)
                if ("sum 2" in done.stdout) != (expected == 5) or "filesystem error" in done.stderr:
                    self.fault(f"no working directory, {words}", f"{done.stdout!r} {done.stderr!r}")

    def another_user(self, what):
        """The words for subprocess by which root runs the program as another user; None, with a line, where that one cannot read its libraries."""
        if os.geteuid() != 0:
            return {}
        if library := library_out_of_reach(self.options.program):
            return print(f"not tested: {what}: only root can read {library}")
        return {"user": 65534}

    def unreadable(self):
        """A program that may be executed, but not read, runs as it does."""
        user = self.another_user("an unreadable program")
        if user is None:
            return
        with tempfile.TemporaryDirectory() as scratch:
            os.chmod(scratch, 0o777)
            program = pathlib.Path(scratch, "program")
            shutil.copy(self.options.program, program)
            program.chmod(0o111)
            command = [self.options.tracer, "run", "-o", scratch + "/trace", "--", str(program), "status", "5"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, env=self.environment(), cwd=scratch, **user)
            except PermissionError as error:
                return print(f"not tested: an unreadable program: {error}")
            self.look("a program that cannot be read", done.returncode, 5, done.stderr, None, None)
            if done.stdout != "sum 2\n":
                self.fault("a program that cannot be read", f"{done.stdout!r} {done.stderr!r}")

    def late_child(self):
        """What ends with a status of failure leaves its child a moment: timeout(1) kills its group, itself first."""
        with tempfile.TemporaryDirectory() as scratch:
            output = pathlib.Path(scratch, "trace")
            script = '"$0" waits 10 >said & child=$!; until grep -qs ready said; do sleep 0.1; done; (sleep 0.3; kill -9 $child) & exit 9'
            done = subprocess.run(self.command(output, "sh", "-c", script, self.options.program), capture_output=True, text=True, cwd=scratch, env=self.environment())
            self.look("a child that is killed behind its parent's end", done.returncode, 9, done.stderr, output)
        forget_the_killed()

    def children(self):
        self.run("children that are killed in their first 30 ms", ["children", 60], 0)
        forget_the_killed()

    def spoilt(self):
        self.run("a directory lies where the archive goes", ["spoils", "OUTPUT"], 4, archive=False)
        self.run("a page into a full device", ["status", 0], 0, flags=["--report", "--html", "/dev/full"], archive=None)
        self.run("a page into the trace's directory", ["status", 0], 0, flags=["--html", "SCRATCH/trace/page.html"])

    def full_output(self):
        """Standard output takes nothing: a message says that the report is missing, also where it is made without a process of its own."""
        with open("/dev/full", "wb") as full, tempfile.TemporaryDirectory() as scratch:
            self.run("a report into a full device", ["status", 7], 7, flags=["--report"], archive=None, stdout=full)
            if "the report is not printed: cannot write to standard output: No space left on device" not in self.said:
                self.fault("a report into a full device", f"nobody says that it is missing: {self.said}")
            if shutil.which("prlimit") is None:
                return print("not tested: a report into a full device, by one process: no prlimit")
            user = self.another_user("a report into a full device, by one process")  # root has no limit
            if user is None:
                return
            os.chmod(scratch, 0o777)
            tracer, tool, program = (shutil.copy(file, scratch) for file in (self.options.tracer, self.options.tool, self.options.program))
            script = 'prlimit --pid=$PPID --nproc=0:0; exec "$0" status 7'
            done = subprocess.run([tracer, "run", "--report", "-o", f"{scratch}/trace", "--", "sh", "-c", script, program], stdout=full, stderr=subprocess.PIPE, text=True, cwd=scratch,
                                  timeout=200, env={**self.environment(), "TRACER_LIBRARY": tool}, **user)
            self.look("a report into a full device, by one process", done.returncode, 7, done.stderr, None, None)
            if pathlib.Path(scratch, "trace", "traces.otf2").is_file() and "the report is not printed" not in done.stderr:
                self.fault("a report into a full device, by one process", f"nobody says that it is missing: {done.stderr}")

    def refused(self):
        """What cannot be written behind the program's end is refused before it starts, and leaves nothing."""
        with tempfile.TemporaryDirectory() as scratch:
            file, output = pathlib.Path(scratch, "file"), pathlib.Path(scratch, "trace")
            file.write_text("")
            for place, page, why in ((output, f"{scratch}/no/page.html", "No such file"), (output, scratch, "Is a directory"), (output, f"{file}/page.html", "Not a directory"),
                                     (file / "below", f"{scratch}/page.html", "Not a directory"), ("/proc/no/trace", "", "No such file")):
                flags = ["--html", page] if page else []
                done = subprocess.run(self.command(place, self.options.program, "status", 5, flags=flags), capture_output=True, text=True, env=self.environment())
                self.look(f"{place}, {page}", done.returncode, 1, done.stderr, None, None)
                if done.stdout or why not in done.stderr or "the program is not started" not in done.stderr or sorted(os.listdir(scratch)) != ["file"]:
                    self.fault(f"{place}, {page}", f"{done.stdout!r}, {why} expected in {done.stderr!r}, left is {os.listdir(scratch)}")

    def full_disk(self):
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k,mode=0700", "tmpfs", scratch], capture_output=True, text=True)
            if done.returncode != 0:
                print(f"not tested: a full disk: {done.stderr.strip()}")
                return
            try:
                for criticals in (20, 3000, 300000):
                    output = pathlib.Path(scratch, f"trace{criticals}")
                    done = subprocess.run(self.command(output, self.options.program, "long", criticals), capture_output=True, text=True, timeout=200, env=self.environment())
                    self.look(f"a full disk, {criticals} criticals", done.returncode, 6, done.stderr, None, None)
            finally:
                subprocess.run(["umount", "-l", scratch], check=False)

    def killed_converter(self):
        """The process that converts is killed as the system does where memory does not suffice."""
        with tempfile.TemporaryDirectory() as scratch:
            output = pathlib.Path(scratch, "trace")
            run = subprocess.Popen(self.command(output, self.options.program, "long", 800000), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment())
            end, killed = time.monotonic() + 120, False
            while run.poll() is None and not killed and time.monotonic() < end:
                for child in children_of(run.pid):
                    if command_of(child) == command_of(run.pid) and (output / "traces").exists():
                        os.kill(child, signal.SIGKILL)
                        killed = True
                time.sleep(0.02)
            _, said = run.communicate(timeout=120)
            if not killed:
                print("the converter was faster than the killer")
            self.look("a converter that is killed", run.returncode, 6, said, output, archive=not killed)
            if killed and ((output / "traces").exists() or "tracer convert" not in said):
                self.fault("a converter that is killed", f"left is {sorted(p.name for p in output.iterdir())}: {said}")
            if killed:
                done = subprocess.run([self.options.tracer, "convert", output], capture_output=True, text=True, env=self.environment())
                self.look("and the command that was named", done.returncode, 0, done.stderr, output)

    def little_memory(self):
        """What a conversion needs is more than there is: put off, of a single process and of one of several."""
        free, long = "ulimit -S -v unlimited", f"{self.options.program} regions 200000"
        for name, words in (("one process", f"{free}; exec {long}"), ("a job", f"{free}; {self.options.program} status 0; exec {long}")):
            with tempfile.TemporaryDirectory() as scratch:
                output = pathlib.Path(scratch, "trace")
                done = subprocess.run(["sh", "-c", 'ulimit -S -v 64000; exec "$@"', "sh", *self.command(output, "sh", "-c", words)], capture_output=True, text=True, timeout=300,
                                      env=self.environment())
                self.look(f"little memory, {name}", done.returncode, 6, done.stderr, None)
                if "of memory, and " not in done.stderr or "tracer convert " not in done.stderr or not list(output.glob("**/raw/trace")):
                    self.fault(name, f"nothing is put off: {done.stderr}")
                if list(output.glob("**/traces.def")) and not list(output.glob("**/traces.otf2")):
                    self.fault(name, f"a half archive is left: {done.stderr}")

    def signals(self):
        self.run("SIGCHLD is ignored", ["status", 7], 7, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        with tempfile.TemporaryDirectory() as scratch:
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run(self.command(scratch + "/trace", self.options.program, "status", 5, flags=["--report"]), stdout=subprocess.DEVNULL, stderr=writer, env=self.environment(), timeout=100,
                                  preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
            os.close(writer)
            self.look("whoever reads the messages has gone", done.returncode, 5, "", pathlib.Path(scratch, "trace"))
        for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT, signal.SIGIO, signal.SIGWINCH, signal.SIGSEGV, signal.SIGRTMIN + 3):
            self.waiting(f"signal {int(number)} to tracer run alone", number, lambda run, number=number: run.send_signal(number))
        self.waiting("a signal of the program's to its group", signal.SIGTERM, lambda run: None, how="group", start_new_session=True)
        self.on_terminal()
        self.inherited()

    def waiting(self, name, number, act, how="waits", **more):
        """The program counts the signals that come to it."""
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        with tempfile.TemporaryDirectory() as scratch:
            command = self.command(scratch + "/trace", self.options.program, how, int(number))
            run = subprocess.Popen(command, text=True, env=self.environment(), **more)
            while (line := run.stdout.readline()) and line.strip() != "ready":
                pass
            act(run)
            _, said = run.communicate(timeout=100)
            self.look(name, run.returncode, 9, said, pathlib.Path(scratch, "trace"))

    def on_terminal(self):
        """A terminal's signal goes to the group: it comes once."""
        try:
            master, slave = pty.openpty()
        except OSError as reason:  # /dev/pts is not mounted
            return print(f"not tested: signals of a terminal: {reason}")

        def own_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.waiting("Ctrl-C on a terminal", signal.SIGINT, lambda run: os.write(master, b"\x03"), stdin=slave, preexec_fn=own_terminal)
        os.close(slave)
        os.close(master)

    def inherited(self):
        """What is ignored or blocked when tracer run starts is so in the program, as without it."""
        def before():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGRTMIN + 5, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2, signal.SIGIO, signal.SIGRTMAX})

        words = ["grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"]
        alone, traced = (subprocess.run(command, stdout=subprocess.PIPE, text=True, env=self.environment(), preexec_fn=before).stdout
                         for command in (words, [self.options.tracer, "run", "-q", "--", *words]))
        if not alone or alone != traced:
            self.fault("ignored and blocked signals", f"{traced!r} instead of {alone!r}")

    def few_descriptors(self):
        """A low limit of open files is raised for the command, and is the program's as it was; where it cannot be raised the program
        runs untraced."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        for soft in (4, 5, 6, 8, 10, 12, 64):
            self.run(f"{soft} descriptors, more on request", ["status", 3], 3, archive=soft >= 8 or None, raw=False,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
            shell = subprocess.run([self.options.tracer, "run", "-q", "--", "bash", "-c", "ulimit -Sn"], capture_output=True, text=True, env=self.environment(),
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
            if soft >= 8 and shell.stdout != f"{soft}\n":
                self.fault(f"{soft} descriptors", f"the program's limit is {shell.stdout!r}: {shell.stderr}")
        for most in (4, 6, 8, 10, 12, 64):
            self.run(f"{most} descriptors at most", ["status", 3], 3, archive=None, raw=False,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
            if most <= 8 and "ulimit -n" not in self.said:
                self.fault(f"{most} descriptors at most", f"the limit is not named: {self.said}")

    def unread(self):
        """Nobody reads the messages any more, or for now: before the program starts (its place is taken, which is said) and after it."""
        for name, is_full in (("a closed pipe", False), ("a full pipe", True)):
            for by_tool in (False, True):
                with tempfile.TemporaryDirectory() as scratch:
                    output = pathlib.Path(scratch, "trace")
                    (output / "taken").mkdir(parents=True)
                    reader, writer = os.pipe()
                    if is_full:
                        os.set_blocking(writer, False)
                        for size in (4096, 1):
                            try:
                                while os.write(writer, b"x" * size):
                                    pass
                            except BlockingIOError:
                                pass
                        os.set_blocking(writer, True)
                    else:
                        os.close(reader)
                    environment = self.environment()
                    if by_tool:
                        environment.update(OMP_TOOL_LIBRARIES=self.options.tool, TRACER_OUTPUT=str(output))
                    words = [self.options.program, "status", "3"] if by_tool else self.command(output, self.options.program, "status", 3)
                    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=writer, text=True, timeout=60,
                                          preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
                    os.close(writer)
                    if is_full:
                        os.close(reader)
                    self.look(f"{name}{', by the variable' if by_tool else ''}", done.returncode, 3, "")
                    if done.stdout != "sum 2\n" or not (pathlib.Path(scratch) / "trace.2" / "traces.otf2").is_file():
                        self.fault(name, f"output {done.stdout!r}, {sorted(pathlib.Path(scratch).iterdir())}")

    def no_process(self):
        """Where no process can be made, this one becomes the program."""
        if os.geteuid() != 0:
            return print("not tested: that no process can be made: needs root")

        def alone():
            resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
            os.setgid(65534)
            os.setuid(65534)

        with tempfile.TemporaryDirectory() as scratch:
            os.chmod(scratch, 0o755)
            place = pathlib.Path(scratch, "place")
            place.mkdir()
            place.chmod(0o777)
            tracer, tool = (shutil.copy(file, scratch) for file in (self.options.tracer, self.options.tool))  # the build may be root's alone
            done = subprocess.run([tracer, "run", "--", "/bin/sh", "-c", "echo sum 2; exit 5"], capture_output=True, text=True, cwd=place,
                                  env={**self.environment(), "TRACER_LIBRARY": tool}, preexec_fn=alone)
            self.look("no process can be made", done.returncode, 5, done.stderr, None, None)
            if done.stdout != "sum 2\n" or "cannot make a process" not in done.stderr or list(place.iterdir()):
                self.fault("no process can be made", f"{done.stdout!r} {done.stderr} {list(place.iterdir())}")

    def nvtx(self):
        self.run("a child that names a domain and its thread", [], 0, sum_="ok 2\n")
        self.run("a child that has a range", ["range"], 0, sum_="ok 2\n")
        self.run("a counter without a name", ["counter"], 0, sum_="ok 2\n")
        self.run("empty names", ["empty"], 0, sum_="ok 2\n")


def children_of(process):
    said = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True).stdout
    return [int(child) for child in said.split()]


def command_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return None


def main():
    arguments = argparse.ArgumentParser()
    for name in ("--tool", "--tracer"):
        arguments.add_argument(name, required=True)
    arguments.add_argument("--nvtx", action="store_true")
    arguments.add_argument("program")
    check = Check(arguments.parse_args())
    if check.options.nvtx:
        check.nvtx()
    else:
        for part in (check.plain, check.nested, check.gone, check.unreadable, check.late_child, check.children, check.spoilt, check.full_output, check.refused, check.full_disk, check.killed_converter, check.little_memory, check.few_descriptors, check.unread, check.no_process, check.signals):
            part()
        full_environment(check)
        first_process(check)
    print("\n".join(check.faults))
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
