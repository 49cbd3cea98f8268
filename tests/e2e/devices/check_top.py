#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_top.py TRACER LIBTRACER PROGRAM: tracer top on a program with target regions, whose device makes no records while it runs
(steps.c): kernels, copies, bytes and memory are what the host asks for."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    tracer, library, program = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as directory:
        env = {**os.environ, "OMP_TOOL_LIBRARIES": library, "TRACER_OUTPUT": str(pathlib.Path(directory, "trace"))}
        process = subprocess.Popen([program], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        top = subprocess.Popen([tracer, "top", "--json", "--interval", "0.1", str(process.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = [json.loads(top.stdout.readline())]
        text = subprocess.Popen([tracer, "top", "--interval", "0.5", "--times", "3", str(process.pid)], stdout=subprocess.PIPE, text=True)
        steps, size = map(int, process.communicate("\n", timeout=120)[0].split())
        lines += [json.loads(line) for line in top.communicate(timeout=60)[0].splitlines()]
        shown = text.communicate(timeout=60)[0]
    looks = [device for line in lines for device in line["devices"]]
    faults = [] if process.returncode == 0 else [f"the program ended with {process.returncode}"]
    if not looks or {(look["device"], look["source"]) for look in looks} != {(0, "host")}:
        faults.append(f"devices are {looks[:3]}")
    later = [look for line in lines[1:] for look in line["devices"]]
    seen = {key: sum(look[key] for look in later) for key in ("kernels", "copies", "to_device_bytes", "from_device_bytes")}
    # The last look is before the program's end.
    if not 0 < seen["kernels"] <= steps or not seen["kernels"] * 2 - 1 <= seen["copies"] <= seen["kernels"] * 2 + 1:
        faults.append(f"{seen} of {steps} steps")
    if any(seen[way] % size or abs(seen[way] // size - seen["kernels"]) > 1 for way in ("to_device_bytes", "from_device_bytes")):
        faults.append(f"{seen}: not {size} bytes a step")
    if not any(look["memory_bytes"] == size for look in later) or any(look["memory_bytes"] > 2 * size for look in later):
        faults.append(f"memory in use is {sorted({look['memory_bytes'] for look in later})}")
    running = [look["kernels_running"] for look in later]
    if not 0 < max(running, default=0) < 1.01:
        faults.append(f"one thread has at most one kernel running, not {running}")
    if "kernels running" not in shown or "1 thread " not in shown:
        faults.append(f"the text has no device: {shown}")
    print("\n".join(faults) or f"ok: {seen} of {steps} steps, at most {max(running):.2f} kernels running")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
