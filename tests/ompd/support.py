# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of snapshot and attach share: the command, the programs, and the unstripped runtime."""
import json
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import unit_tests  # noqa: E402

TRACER = os.environ.get("OMPD_TRACER", "tracer")
RUNTIME = pathlib.Path(os.environ.get("OMPD_RUNTIME", "missing"))
PROGRAMS = pathlib.Path(os.environ.get("OMPD_PROGRAMS", "."))
HAVE_RUNTIME = (RUNTIME / "libomp.so").exists() and (RUNTIME / "libompd.so").exists()
NO_RUNTIME = f"no unstripped libomp in {RUNTIME} (tests/ompd/unstripped_libomp.sh makes it)"
ASAN = "ASAN" in os.environ.get("OMPD_SANITIZE", "").upper() or "address" in os.environ.get("OMPD_SANITIZE", "")


def environment(debug=True, runtime=RUNTIME, **more):
    result = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER", "LD_"))}
    result.update({"OMP_DEBUG": "enabled" if debug else "disabled", "OMP_STACKSIZE": "256k", "KMP_BLOCKTIME": "50"})
    if runtime:
        result["LD_LIBRARY_PATH"] = str(runtime)
    result.update(more)
    return result


class Program:
    """A program that rests: started, and ended with the test."""

    def __init__(self, name, *arguments, core=None, **options):
        before = None
        if core:
            import resource
            before = lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
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
    """A core file that the kernel wrote and what the program said before; None where the kernel does not write it here."""
    if pathlib.Path("/proc/sys/kernel/core_pattern").read_text().startswith(("|", "/")):
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
