#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Events of the kernel that are denied, in some twenty ways and two dozen errno: the program's output and status are its
own, one line says what is missing, and the rest of the trace is whole."""
import argparse
import errno
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from failing import fail

OWN_LINE = "the program's own line"
NONE = "no samples are taken and no scheduling is recorded: "
SOME = "samples: some threads are not watched: "
NO_RING = "no locked memory is left for the ring ("
FORBIDDEN = "the system forbids it (kernel.perf_event_paranoid is "

# What the preloaded kernel is told, and how the one line begins.
KINDS = [(f"open:{getattr(errno, name)}", NONE) for name in (
    "EPERM EACCES ENOSYS EINVAL EMFILE ENFILE ENOMEM ENODEV EBUSY EOPNOTSUPP E2BIG ENOENT ENOSPC EINTR EAGAIN ESRCH EFAULT "
    "EBADF").split()]
KINDS += [(f"mmap:{getattr(errno, name)}", NONE) for name in "ENOMEM EINVAL ENODEV EAGAIN".split()]
# Where the system does not let this user see the kernel, the trial is made a second time without it.
TRIALS = 1 if os.geteuid() == 0 or int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 2 else 2
KINDS += [
    (f"switches:{errno.EINVAL}", "no scheduling is recorded: "),
    (f"sampling:{errno.EOPNOTSUPP}", "no samples are taken: "),
    (f"sampling:{errno.EINVAL}", "no samples are taken: "),
    (f"open:{errno.EMFILE}:{TRIALS + 2}", SOME),   # behind the trials comes the first thread's
    (f"open:{errno.EPERM}:{TRIALS + 1}", SOME),
    (f"one:{errno.ENOMEM}:{TRIALS + 3}", SOME),
    (f"mmap:{errno.EPERM}", NONE + NO_RING),
    (f"mmap:{errno.EPERM}:3", SOME + NO_RING),
    ("empty:0", "no samples came"),
]


class Check:
    def __init__(self, options):
        self.options = options
        self.output = subprocess.run([options.program], capture_output=True, text=True, timeout=60).stdout
        self.events = None

    def events_of(self, trace):
        checked = subprocess.run([self.options.tracer, "check", trace], capture_output=True, text=True, timeout=120)
        if checked.returncode != 0:
            fail("tracer check: " + checked.stdout + checked.stderr)
        told = subprocess.run([self.options.tracer, "info", trace], capture_output=True, text=True, timeout=120).stdout
        return [re.search(rf"^{what}: +(\d+)", told, re.M).group(1) for what in ("events", "threads")]

    def kernel_allows(self):
        with tempfile.TemporaryDirectory() as scratch:
            environment = {**os.environ, "OMP_TOOL_LIBRARIES": self.options.tool, "TRACER_OUTPUT": scratch + "/trace", "TRACER_SAMPLE": "1000"}
            ran = subprocess.run([self.options.program], env=environment, capture_output=True, text=True, timeout=120)
            return "are taken" not in ran.stderr and "is recorded" not in ran.stderr

    def run(self, name, expected, before=(), **variables):
        """expected: how the only line begins; None: none is said."""
        with tempfile.TemporaryDirectory() as scratch:
            trace = pathlib.Path(scratch, "trace")
            environment = {**os.environ, "OMP_TOOL_LIBRARIES": self.options.tool, "TRACER_OUTPUT": str(trace), "TRACER_SAMPLE": "1000",
                           "TRACER_SAMPLE_SOURCE": "perf", "OMP_WAIT_POLICY": "passive", **variables}
            ran = subprocess.run([*before, self.options.program], env=environment, capture_output=True, text=True, timeout=120)
            if ran.returncode == 77 and "skipped" in ran.stderr:
                print(f"not tested: {name}: {ran.stderr.strip()}")
                return
            if ran.returncode != 7 or ran.stdout != self.output:
                fail(f"{name}: status {ran.returncode}, output {ran.stdout!r}")
            lines = [line for line in ran.stderr.splitlines() if line != OWN_LINE]
            if len(lines) != len(ran.stderr.splitlines()) - 1:
                fail(f"{name}: the program's own line is not there once: {ran.stderr}")
            if not lines or " events, " not in lines.pop():
                fail(f"{name}: no summary: {ran.stderr}")
            if len(lines) != (expected is not None) or (lines and expected not in lines[0]):
                fail(f"{name}: said is {lines}, expected is {expected!r}")
            events = self.events_of(trace)
            self.events = self.events or events
            if events != self.events:
                fail(f"{name}: {events} events and threads, {self.events} when nothing is denied")
            print(f"{name}: {lines[0] if lines else 'nothing is said'}")


def main():
    arguments = argparse.ArgumentParser()
    for name in ("--tool", "--tracer", "--fake", "--refuse"):
        arguments.add_argument(name, required=True)
    arguments.add_argument("program")
    options = arguments.parse_args()
    check = Check(options)
    check.run("without samples", None, TRACER_SAMPLE="0")
    allows = check.kernel_allows()
    if allows:
        check.run("nothing denied", None)
    for kind, expected in KINDS:
        if allows or expected == NONE:
            check.run(kind, expected, LD_PRELOAD=options.fake, TRACER_TEST_PERF=kind)
    for paranoid in "34":
        check.run(f"paranoid {paranoid}", NONE + FORBIDDEN + paranoid + ";", LD_PRELOAD=options.fake,
                  TRACER_TEST_PERF=f"open:{errno.EACCES}", TRACER_TEST_PARANOID=paranoid + "\n")
    check.run("schedule alone", "no scheduling is recorded: ", LD_PRELOAD=options.fake, TRACER_TEST_PERF=f"open:{errno.EACCES}",
              TRACER_SAMPLE="0", TRACER_SCHEDULE="on")
    for kind in (f"open:{errno.EPERM}", f"open:{errno.ENOSYS}", f"mmap:{errno.EPERM}"):
        check.run(f"signals are not chosen: {kind}", "; TRACER_SAMPLE_SOURCE=signal takes samples by signals", LD_PRELOAD=options.fake,
                  TRACER_TEST_PERF=kind, TRACER_SAMPLE_SOURCE="auto")
        check.run(f"signals asked for: {kind}", "no scheduling is recorded: ", LD_PRELOAD=options.fake, TRACER_TEST_PERF=kind,
                  TRACER_SAMPLE_SOURCE="signal")
    if allows:
        check.run("signals where nothing is denied", None, TRACER_SAMPLE_SOURCE="signal")
    for number in (errno.EPERM, errno.EACCES, errno.ENOSYS):
        check.run(f"filter {errno.errorcode[number]}", NONE, before=[options.refuse, str(number)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
