# SPDX-License-Identifier: BSD-3-Clause
"""What the checks of the command line share: they run `tracer`, the first word of the command line, and look at what it said."""
import os
import subprocess
import sys

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
