# SPDX-License-Identifier: BSD-3-Clause
"""`tracer run` that is started in a way that few are: each takes the Check of check_status.py."""
import os
import pathlib
import shutil
import subprocess
import tempfile


def first_process(check):
    """As the first process of a container it waits for those whose parents have ended: whoever looks for one finds it gone."""
    isolated = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid() != 0 or shutil.which("unshare") is None or subprocess.run([*isolated, "true"], capture_output=True).returncode != 0:
        return print("skipped: the first process of a container: not root, or no namespaces here")
    script = ("orphan=$(sh -c 'sleep 0.2 >/dev/null 2>&1 & echo $!'); n=0\n"
              "while kill -0 $orphan 2>/dev/null && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done\n"
              '[ $n -lt 300 ] && echo gone; exec "$0" status 5')
    with tempfile.TemporaryDirectory() as scratch:
        output = pathlib.Path(scratch, "trace")
        done = subprocess.run([*isolated, *check.command(output, "sh", "-c", script, check.options.program)], capture_output=True, text=True, timeout=200, env=check.environment())
        check.look("the first process of a container", done.returncode, 5, done.stderr, output)
        if done.stdout != "gone\nsum 2\n":
            check.fault("the first process of a container", f"{done.stdout!r} {done.stderr}")
