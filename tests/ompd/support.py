# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of snapshot and attach share: the command, the programs, and the unstripped runtime."""
import contextlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import unit_tests  # noqa: E402
from waiting import wait_until  # noqa: E402, F401

TRACER = os.environ.get("OMPD_TRACER", "tracer")
RUNTIME = pathlib.Path(os.environ.get("OMPD_RUNTIME", "missing"))
PROGRAMS = pathlib.Path(os.environ.get("OMPD_PROGRAMS", "."))
HAVE_RUNTIME = (RUNTIME / "libomp.so").exists() and (RUNTIME / "libompd.so").exists()
NO_CORES = "no core file is written here (/proc/sys/kernel/core_pattern names a program or a directory, or ulimit -c is small)"
NO_RUNTIME = f"no unstripped libomp in {RUNTIME} (tests/ompd/unstripped_libomp.sh makes it)"
ASAN = "ASAN" in os.environ.get("OMPD_SANITIZE", "").upper() or "address" in os.environ.get("OMPD_SANITIZE", "")


def environment(debug=True, runtime=RUNTIME, **more):
    result = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER", "LD_"))}
    result.update({"OMP_DEBUG": "enabled" if debug else "disabled", "OMP_STACKSIZE": "256k", "KMP_BLOCKTIME": "50"})
    if runtime:
        result["LD_LIBRARY_PATH"] = str(runtime)
    result.update(more)
    return result


def longest_core():
    """What a process of this user may have as its limit of core files, which root may raise."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (soft, resource.RLIM_INFINITY))
        hard = resource.RLIM_INFINITY
    return hard


class Program:
    """A program that rests: started, and ended with the test."""

    def __init__(self, name, *arguments, core=None, **options):
        limit = longest_core()
        before = (lambda: resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))) if core else None
        self.process = subprocess.Popen([str(PROGRAMS / name), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=before,
                                        stderr=subprocess.DEVNULL, text=True, env=environment(**options), cwd=core)
        self.id = self.process.pid

    def line(self):
        return self.process.stdout.readline()

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def finish(self, timeout=60):
        out, _ = self.process.communicate(timeout=timeout)
        return self.process.returncode, out

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def tracer(*words, timeout=120, **options):
    if words[0] in ("snapshot", "attach") and HAVE_RUNTIME:  # root's core files may be anybody's
        words = (*words, "--ompd-safe-path", RUNTIME)
    return subprocess.run([TRACER, *map(str, words)], capture_output=True, text=True, timeout=timeout, errors="replace", **options)


def snapshot(what, *words):
    done = tracer("snapshot", what, "--json", *words)
    assert done.returncode in (0, 3), (done.returncode, done.stderr)
    return json.loads(done.stdout)


def core_of(name, *arguments, directory):
    """A core file that the kernel wrote and what the program said before; None where the kernel does not write it here, or not all of it."""
    pattern, limit = pathlib.Path("/proc/sys/kernel/core_pattern").read_text(), longest_core()
    if pattern.startswith(("|", "/")) or limit != resource.RLIM_INFINITY and limit < 1 << 30:
        return None, None
    with Program(name, *arguments, core=directory) as program:
        said = program.line()
        program.process.send_signal(signal.SIGABRT)
        program.process.wait(timeout=60)
    found = sorted(pathlib.Path(directory).glob("core*"))
    return (found[0] if found else None), said


def main():
    if not HAVE_RUNTIME:
        print("skipped: " + NO_RUNTIME)
        sys.exit(77)
    unit_tests.main(verbosity=2)
