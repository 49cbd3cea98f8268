#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_places.py TRACER: what stands in the place of a trace, a directory or a process is named as what it is."""
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

TRACER = os.path.abspath(sys.argv[1])


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def run(*words, prefix=()):
    return subprocess.run([*prefix, TRACER, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)


def check_kinds(directory):
    loop, fifo, file, gone, bound = (directory / name for name in ("loop", "fifo", "file", "gone", "socket"))
    loop.symlink_to(loop)
    os.mkfifo(fifo)
    file.write_text("")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(bound))
        for command in ("recover", "convert", "merge"):
            for place, says in ((loop, "cannot look at {}: Too many levels of symbolic links"), ("/dev/full", "{} is a device, not a directory."),
                                (fifo, "{} is a FIFO, not a directory."), (bound, "{} is a socket, not a directory."),
                                (file, "{} is a file, not a directory."), (gone, "{} does not exist."),
                                (directory / ("x" * 300), "cannot look at {}: File name too long")):
                done = run(command, place)
                need(done.returncode == 1 and done.stderr == f"tracer: error: {says.format(place)}\n", f"{command} {place}: {done.returncode} {done.stderr}")


def check_without_proc():
    bare = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc; exec "$@"', "sh"]
    if os.geteuid() != 0 or subprocess.run([*bare, "true"], capture_output=True, check=False).returncode != 0:
        print("not tested: processes without /proc (not root, or no namespaces here)")
        return
    done = run("snapshot", os.getpid(), prefix=bare)
    need(done.returncode == 11 and "/proc is not mounted" in done.stderr, f"without /proc a process is not said to be gone: {done.returncode} {done.stderr}")
    done = run("snapshot", 0x7fffffff, prefix=bare)
    need(done.returncode == 10 and "there is no process" in done.stderr, f"but one that is: {done.returncode} {done.stderr}")


with tempfile.TemporaryDirectory() as temporary:
    check_kinds(pathlib.Path(temporary))
check_without_proc()
