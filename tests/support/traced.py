# SPDX-License-Identifier: BSD-3-Clause
"""What tests of traced programs share: the environment they run in, and the verdict on the archive they leave."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile

from account import archive_account_faults
from archive import Archive, otf2_print


def clean(**more):
    """This process' environment without settings of OpenMP and of the tracer, and with `more`."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER", "LD_PRELOAD"))}
    return dict(plain, **more)


def traced(options, output, **more):
    """That of a traced run."""
    return clean(OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(output), **more)


def run(command, environment, timeout=240, **how):
    """In a session of its own: what hangs is killed with all that it has started, is `hung`, and says so in its standard error."""
    text, hung = how.pop("input", None), False
    pipes = {"stdin": subprocess.PIPE} if text is not None else {}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                          **pipes, **how) as process:
        try:
            output, errors = process.communicate(text, timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            errors += f"\nhangs: killed after {timeout} s: {command}"
            hung = True
    done = subprocess.CompletedProcess(command, process.returncode, output, errors)
    done.hung = hung
    return done


def lines_of(text):
    """What the tool says, but for what other tests' killed runs have left in shared memory meanwhile."""
    return [line for line in text.splitlines() if line.startswith("tracer: ") and "other runs that were killed" not in line]


def runtime_failed(text):
    """Whether libomp said that an assertion of its own does not hold."""
    return "Assertion failure at kmp_" in text


def faults_of(check, options):
    """What check(options, directory) finds. Where an assertion of libomp's own failed, as some do now and then without a tool
    too, it is asked again: one of five runs must come to its end."""
    for _ in range(5):
        with tempfile.TemporaryDirectory() as directory:
            faults = list(check(options, directory))
        if not any(runtime_failed(fault) for fault in faults):
            break
    return faults


def library_out_of_reach(program):
    """The first of a program's libraries that other users cannot read, as below a directory of root's alone; None."""
    for line in subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout.splitlines():
        _, _, found = line.partition(" => ")
        if not found.startswith("/"):
            continue
        named = pathlib.Path(found.split(" (")[0])
        for file in (named, named.resolve()):
            if not file.stat().st_mode & 0o004 or not all(directory.stat().st_mode & 0o001 for directory in file.parents):
                return file
    return None


def forget_the_killed():
    """Removes what libomp leaves in shared memory of processes that were killed: of thousands one is empty, and the next process
    of that number dies of it (SIGBUS). What other users left is theirs."""
    for left in pathlib.Path("/dev/shm").glob("__KMP_REGISTERED_LIB_*_*"):
        with contextlib.suppress(FileNotFoundError):
            if left.lstat().st_uid == os.getuid() and not pathlib.Path("/proc", left.name.split("_")[-2]).exists():
                left.unlink()


def judge(anchor, tracer=None, but=None):
    """(what is wrong with an archive, its contents or None): by otf2-print, by our reader, and where that program is given by
    `tracer check` and the sums of `tracer report`. `but`: a pattern of the reader's problems that are none here."""
    anchor = pathlib.Path(anchor)
    if not anchor.exists():
        return [f"no archive at {anchor}"], None
    faults = []
    if noise := otf2_print(anchor):
        faults.append(f"otf2-print: {noise[:1000]}")
    if tracer:
        checked = run([str(tracer), "check", str(anchor)], clean())
        if checked.returncode != 0:
            faults.append(f"tracer check: {checked.stdout}{checked.stderr}")
        faults += archive_account_faults(tracer, anchor)
    contents = Archive(anchor)
    faults += [problem for problem in contents.problems if but is None or not re.search(but, problem)]
    return faults, contents


def recover(options, output):
    """`tracer recover`, as a list of what is wrong: all that there is must be recovered."""
    done = run([options.tracer, "recover", str(output)], clean(), timeout=120)
    if done.returncode != 0 or " missing" in done.stderr or "not recovered" in done.stderr:
        return [f"recover {pathlib.Path(output).name}: {done.stderr}"]
    return []


def print_faults(what, faults):
    """Prints each of the faults behind what it is of; how many there were."""
    number = 0
    for number, fault in enumerate(faults, 1):
        print(f"{what}: {fault}", flush=True)
    return number
