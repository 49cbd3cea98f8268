#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`tracer run` under signals of the terminal, of batch systems and of timeout(1), and commands that are killed
themselves: the statuses are what a shell expects, and an archive is there, at once or by `tracer recover`.

interrupted.py --tool libtracer.so --tracer tracer [--seed N] PROGRAM (one that never ends by itself) [CASE...]

TRACER_STRESS=N: N times as many kills at random moments."""
import argparse
import os
import pathlib
import pty
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, forget_the_killed, judge, traced  # noqa: E402


class Run:
    """A program under `tracer run`, in a process group of its own, until it has done something."""

    def __init__(self, options, directory, before=(), **how):
        self.output, self.witness = pathlib.Path(directory, "trace"), pathlib.Path(directory, "witness")
        self.witness.write_bytes(bytes(4096))
        environment = clean(TRACER_LIBRARY=options.tool, TRACER_TEST_WITNESS=str(self.witness), OMP_WAIT_POLICY="passive")
        how.setdefault("start_new_session", True)
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stderr", subprocess.STDOUT)
        self.process = subprocess.Popen([*before, options.tracer, "run", "-o", self.output, "--", options.program], env=environment, **how)
        self.wait_for_work()

    def done(self):
        return struct.unpack("Q", self.witness.read_bytes()[:8])[0]

    def wait_for_work(self, more=0):
        begin, end = self.done(), time.monotonic() + 60
        while self.done() <= begin + more - 1 or self.done() == 0:
            if time.monotonic() > end:
                raise SystemExit("the program does not get going")
            time.sleep(0.005)

    def to_program(self, number):
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        for child in children:
            os.kill(int(child), number)

    def end(self, seconds=60):
        try:
            said, _ = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()
            return None, "hangs"
        return self.process.returncode, (said or b"").decode("utf-8", "replace")


def sound(options, output, proven):
    faults, archive = judge(output / "traces.otf2", options.tracer)
    yield from faults
    if archive and archive.enters["barrier"] < proven:
        yield f"{proven} barriers were proven, the archive has {archive.enters['barrier']}"
    if (output / "raw").exists():
        yield "the raw trace is left"


def ended_by(number, act):
    def check(options, directory):
        run = Run(options, directory)
        act(run)
        status, said = run.end()
        if status != 128 + number:
            yield f"status {status} instead of {128 + number}: {said}"
        yield from sound(options, run.output, run.done())
    return check


def timed_out(options, directory):
    run = Run(options, directory, before=["timeout", "3"])
    status, said = run.end()
    if status != 124:
        yield f"status {status} instead of 124: {said}"
    # timeout(1) waits for `tracer run`, which makes the archive.
    yield from sound(options, run.output, run.done())


def stopped_and_continued(options, directory):
    # A group of its own, but not a session: in an orphaned group SIGTSTP means nothing.
    run = Run(options, directory, start_new_session=False, preexec_fn=lambda: os.setpgid(0, 0))
    os.killpg(run.process.pid, signal.SIGTSTP)
    time.sleep(0.3)
    before = run.done()
    time.sleep(0.2)
    if run.done() != before:
        yield "the program runs on while it is stopped"
    os.killpg(run.process.pid, signal.SIGCONT)
    run.wait_for_work(more=10)
    os.killpg(run.process.pid, signal.SIGINT)
    status, said = run.end()
    if status != 130:
        yield f"status {status} instead of 130: {said}"
    yield from sound(options, run.output, run.done())


def terminal_closed(options, directory):
    try:
        master, slave = pty.openpty()
    except OSError as reason:  # /dev/pts is not mounted
        print(f"not tested: a terminal that is closed: {reason}")
        return

    def own_terminal():
        os.setsid()
        import fcntl
        import termios
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    run = Run(options, directory, start_new_session=False, preexec_fn=own_terminal, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    os.close(master)
    status, _ = run.end()
    if status != 128 + signal.SIGHUP:
        yield f"status {status} instead of 129"
    yield from sound(options, run.output, run.done())


def launcher_killed(options, directory):
    """`tracer run` itself: the program goes on; when it has ended its trace can be recovered."""
    run = Run(options, directory)
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(run.process.pid)], capture_output=True, text=True).stdout.split()
    run.process.kill()
    run.process.wait()
    for child in children:
        try:
            os.kill(int(child), signal.SIGKILL)  # it dies with its parent anyway: it asked for that
        except ProcessLookupError:
            pass
    yield from recovered(options, run.output, run.done())


def recovered(options, output, proven, tries=100):
    for _ in range(tries):  # until the program is gone
        done = subprocess.run([options.tracer, "recover", output], capture_output=True, text=True, timeout=120)
        if done.returncode == 0 or "still running" not in done.stderr:
            break
        time.sleep(0.1)
    if done.returncode != 0:
        yield f"recover: {done.stderr}"
        return
    if " missing" in done.stderr or "not recovered" in done.stderr:
        yield done.stderr
    yield from sound(options, output, proven)


def raw_trace(options, directory):
    """A run of some length that was killed: (its output, what it had proven)."""
    run = Run(options, directory)
    run.wait_for_work(more=2000)
    run.process.kill()
    run.to_program(signal.SIGKILL)
    run.process.communicate()
    return run.output, run.done()


def has_files(directory):
    return directory.is_dir() and any(directory.iterdir())


def killed_while_recovering(options, directory):
    output, proven = raw_trace(options, directory)
    wait_until_gone(options, output)
    kept = pathlib.Path(directory, "kept")
    started = time.monotonic()
    shutil.copytree(output, kept)
    subprocess.run([options.tracer, "convert", "-q", "-o", pathlib.Path(directory, "probe"), kept], capture_output=True)
    takes = max(time.monotonic() - started, 0.05)
    delays = []
    for _ in range(12 * int(os.environ.get("TRACER_STRESS", "1"))):
        delays.append(random.uniform(0, takes))
        process = subprocess.Popen([options.tracer, "recover", output], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delays[-1])
        process.kill()
        process.wait()
        if (output / "traces.otf2").exists() and not has_files(output / "raw"):
            break
    kills = f"after {len(delays)} kills, the last after {delays[-1]:.6f} s"
    if has_files(output / "raw"):
        done = subprocess.run([options.tracer, "recover", output], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            yield f"{kills}: recover: {done.stderr}"
        elif "complete already" in done.stderr:
            shutil.rmtree(output / "raw")  # as it says
    elif (output / "raw").is_dir():  # killed before it took the empty directory away: nothing is left to do
        (output / "raw").rmdir()
    yield from (f"{kills}: {fault}" for fault in sound(options, output, proven))


def wait_until_gone(options, output):
    for _ in range(100):
        spools = subprocess.run([options.tracer, "recover", "--list"], capture_output=True, text=True).stdout
        if not any(str(output) in line and "in use" in line for line in spools.splitlines()):
            return
        time.sleep(0.05)


def killed_at_the_start(options, directory):
    """Within the first milliseconds, of every other run those of its trace: there is no trace, or one that can be recovered, or one without
    a region."""
    begun = 0
    for number in range(12 * int(os.environ.get("TRACER_STRESS", "1"))):
        output, witness = pathlib.Path(directory, f"start{number}"), pathlib.Path(directory, f"witness{number}")
        witness.write_bytes(bytes(4096))
        environment = traced(options, output, TRACER_TEST_WITNESS=str(witness))
        process = subprocess.Popen([options.program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while number % 2 and not output.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.0005)
        delay = random.uniform(0, 0.03)
        time.sleep(delay)
        process.kill()
        process.wait()
        if not output.exists():
            continue
        begun += 1
        kill = f"start {number}, killed after {delay:.6f} s"
        proven = struct.unpack("Q", witness.read_bytes()[:8])[0]
        done = subprocess.run([options.tracer, "recover", output], capture_output=True, text=True, timeout=120)
        if done.returncode < 0 or done.returncode > 1 or (done.returncode == 1 and proven > 0):
            yield f"{kill}: recover: {done.returncode} {done.stderr}"
        if done.returncode == 0:
            faults, archive = judge(output / "traces.otf2", options.tracer)
            yield from (f"{kill}: {fault}" for fault in faults)
            if archive and proven > archive.enters["barrier"]:
                yield f"{kill}: {proven} barriers were proven, the archive has {archive.enters['barrier']}"
    if begun == 0:
        yield "no trace had begun"
    left = subprocess.run([options.tracer, "recover", "--list"], capture_output=True, text=True).stdout
    for line in left.splitlines():
        if directory in line:
            subprocess.run([options.tracer, "recover", "--remove", line.split()[0]], capture_output=True)


CASES = {
    "Ctrl-C": ended_by(signal.SIGINT, lambda run: os.killpg(run.process.pid, signal.SIGINT)),
    "Ctrl-\\": ended_by(signal.SIGQUIT, lambda run: os.killpg(run.process.pid, signal.SIGQUIT)),
    "SIGTERM to tracer run": ended_by(signal.SIGTERM, lambda run: run.process.terminate()),
    "SIGTERM to both": ended_by(signal.SIGTERM, lambda run: os.killpg(run.process.pid, signal.SIGTERM)),
    "SIGHUP to tracer run": ended_by(signal.SIGHUP, lambda run: run.process.send_signal(signal.SIGHUP)),
    **{f"{name} to tracer run": ended_by(number, lambda run, number=number: run.process.send_signal(number))
       for name, number in (("SIGINT", signal.SIGINT), ("SIGQUIT", signal.SIGQUIT), ("SIGABRT", signal.SIGABRT), ("SIGIO", signal.SIGIO),
                            ("SIGSEGV", signal.SIGSEGV), ("a real-time signal", signal.SIGRTMIN + 3))},
    "SIGKILL to the program": ended_by(signal.SIGKILL, lambda run: run.to_program(signal.SIGKILL)),
    "timeout": timed_out,
    "stopped and continued": stopped_and_continued,
    "the terminal is closed": terminal_closed,
    "tracer run is killed": launcher_killed,
    "killed while recovering": killed_while_recovering,
    "killed at the start": killed_at_the_start,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("program")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    failures = 0
    for name in options.cases or CASES:
        random.seed(f"{options.seed} {name}")  # alone it has the moments that it has among all
        with tempfile.TemporaryDirectory() as directory:
            faults = list(CASES[name](options, directory))
        print("\n".join(f"{name} (--seed {options.seed}): {fault}" for fault in faults) or f"{name}: as it should be")
        failures += bool(faults)
    forget_the_killed()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
