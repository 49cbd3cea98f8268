#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""In a memory cgroup, as batch systems and containers make them: a program that the kernel kills for its memory leaves what it
had recorded, and the tracer takes little more than its TRACER_MEMORY from what the program may have.

out_of_memory.py --tool libtracer.so --tracer tracer PROGRAM

Needs a cgroup hierarchy that can be written (root, cgroup 1 or 2); else it is skipped."""
import argparse
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, judge, recover, run, traced  # noqa: E402

SKIPPED = 77
MIB = 1 << 20


class Group:
    """A cgroup with a limit of memory; programs enter it in their own process. OSError where there can be none."""

    def __init__(self, limit):
        top = pathlib.Path("/sys/fs/cgroup")
        first = (top / "memory" / "cgroup.procs").exists()
        if not first and "memory" not in (top / "cgroup.subtree_control").read_text().split():
            raise OSError("no memory controller for new cgroups")
        self.directory = top / ("memory" if first else "") / f"tracer-test-{os.getpid()}"
        if pathlib.Path("/proc/sys/vm/panic_on_oom").read_text().strip() == "2":
            raise OSError("this kernel panics instead")
        self.directory.mkdir()
        try:
            (self.directory / ("memory.limit_in_bytes" if first else "memory.max")).write_text(str(limit))
            if not first:
                (self.directory / "memory.swap.max").write_text("0")
        except OSError:
            self.directory.rmdir()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for tries in range(100):  # who was killed may be on its way out
            try:
                return self.directory.rmdir()
            except OSError:
                if tries == 99:
                    raise
                time.sleep(0.1)

    def enter(self):
        (self.directory / "cgroup.procs").write_text(str(os.getpid()))


def in_group(limit, command, environment):
    with Group(limit) as group:
        return run([str(word) for word in command], environment, timeout=110, preexec_fn=group.enter)


def killed(options, directory):
    """Recovered by hand, and by the `tracer run` that is in the same cgroup."""
    for how in "recover", "run":
        output, witness = pathlib.Path(directory, how), pathlib.Path(directory, "witness")
        witness.write_bytes(bytes(4096))
        settings = {"TRACER_TEST_WITNESS": str(witness), "OMP_WAIT_POLICY": "passive"}
        if how == "recover":
            ended = in_group(100 * MIB, [options.program, 4000], traced(options, output, **settings))
            status = -signal.SIGKILL
        else:
            ended = in_group(100 * MIB, [options.tracer, "run", "-o", output, "--", options.program, 4000],
                             clean(TRACER_LIBRARY=options.tool, **settings))
            status = 128 + signal.SIGKILL
        if ended.returncode != status:
            yield f"{how}: status {ended.returncode} instead of {status}: {ended.stderr}"
            return
        if how == "recover":
            yield from recover(options, output)
        faults, archive = judge(output / "traces.otf2", options.tracer)
        yield from (f"{how}: {fault}" for fault in faults)
        proven = struct.unpack("Q", witness.read_bytes()[:8])[0]
        if archive and archive.enters["critical"] < proven:
            yield f"{how}: {proven} critical sections were proven, the archive has {archive.enters['critical']}"
        print(f"{how}: {ended.stderr.strip()}")


def bounded(options, directory):
    """What the program needs, TRACER_MEMORY and 16 MiB more are enough for the run and for its conversion."""
    for policy in "wait", "newest":
        output = pathlib.Path(directory, policy)
        ended = in_group((64 + 8 + 16) * MIB, [options.program, 64],
                         traced(options, output, TRACER_MEMORY="8M", TRACER_ON_FULL=policy, OMP_WAIT_POLICY="passive"))
        if ended.returncode != 3 or ended.stdout != f"sections {64 * 200}\n":
            yield f"{policy}: status {ended.returncode}: {ended.stdout} {ended.stderr}"
        faults, _ = judge(output / "traces.otf2", options.tracer)
        yield from (f"{policy}: {fault}" for fault in faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    try:
        untraced = in_group(100 * MIB, [options.program, 4000], clean())
    except (OSError, subprocess.SubprocessError) as reason:
        print(f"skipped: no cgroup can be made here: {reason}")
        return SKIPPED
    if untraced.returncode != -signal.SIGKILL:
        print(f"skipped: a program of 4 GB in a cgroup of 100 MiB is not killed here, but ends with {untraced.returncode}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as directory:
        faults = [*killed(options, directory), *bounded(options, directory)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
