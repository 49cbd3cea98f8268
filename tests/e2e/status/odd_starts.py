# SPDX-License-Identifier: BSD-3-Clause
"""`tracer run` that is started in a way that few are: each takes the Check of check_status.py."""
import os
import pathlib
import shutil
import subprocess
import tempfile


def full_environment(check):
    """An environment that has no room for Tracer's variables has enough for the program, which runs without a trace."""
    with tempfile.TemporaryDirectory() as scratch:
        words, piece = check.command(f"{scratch}/trace", check.options.program, "status", 3), 100_000

        def filled(size):
            return {**check.environment(), **{f"FILLER{at}": "x" * min(piece, size - at) for at in range(0, size, piece)}}

        def fits(size):
            try:
                subprocess.run(words, executable=shutil.which("true"), env=filled(size), check=True)
            except OSError:
                return False
            return True

        low, high = 0, 8 << 20  # the kernel takes 6 MiB at most
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        done = subprocess.run(words, capture_output=True, text=True, timeout=200, env=filled(low - len(check.options.tracer) - 64))
        check.look("a full environment", done.returncode, 3, done.stderr, None, None)
        if done.stdout != "sum 2\n" or "no room for Tracer's variables: the program runs without a trace" not in done.stderr or os.listdir(scratch):
            check.fault("a full environment", f"{done.stdout!r} {done.stderr} {os.listdir(scratch)}")


def first_process(check):
    """As the first process of a container it waits for those whose parents have ended: whoever looks for one finds it gone."""
    isolated = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid() != 0 or shutil.which("unshare") is None or subprocess.run([*isolated, "true"], capture_output=True).returncode != 0:
        return print("not tested: the first process of a container: not root, or no namespaces here")
    script = ("orphan=$(sh -c 'sleep 0.2 >/dev/null 2>&1 & echo $!'); n=0\n"
              "while kill -0 $orphan 2>/dev/null && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done\n"
              '[ $n -lt 300 ] && echo gone; exec "$0" status 5')
    with tempfile.TemporaryDirectory() as scratch:
        output = pathlib.Path(scratch, "trace")
        done = subprocess.run([*isolated, *check.command(output, "sh", "-c", script, check.options.program)], capture_output=True, text=True, timeout=200, env=check.environment())
        check.look("the first process of a container", done.returncode, 5, done.stderr, output)
        if done.stdout != "gone\nsum 2\n":
            check.fault("the first process of a container", f"{done.stdout!r} {done.stderr}")
