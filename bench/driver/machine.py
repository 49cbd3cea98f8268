# SPDX-License-Identifier: BSD-3-Clause
"""Which machine this is, and how much of it others used meanwhile."""
import os
import platform
import re
import resource
import subprocess
import time


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            found = re.search(r"model name\s*:\s*(.*)", f.read())
        return found.group(1) if found else platform.machine()
    except OSError:
        return platform.machine()


def runtime_of(program):
    """The OpenMP runtime that a program loads, with its build string: all versions look alike otherwise."""
    listing = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    found = re.search(r"libomp\S* => (\S+)", listing)
    if not found:
        return "unknown"
    with open(found.group(1), "rb") as f:
        build = re.search(rb"LLVM OMP build compiler: ([ -~]*)", f.read())
    return found.group(1) + (f" ({build.group(1).decode()})" if build else "")


def describe(program):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(memory / 2**30, 1),
        "system": platform.platform(),
        "openmp": runtime_of(program),
        "date": time.strftime("%Y-%m-%d %H:%M:%S"),
    }


def go_first():
    """The highest weight among ordinary processes, for this process and its children. Not a real-time priority: Linux
    stops such threads for 50 ms in each second (sched_rt_runtime_us), which would be measured as stalls."""
    try:
        os.setsid()
    except OSError:
        pass  # already the leader of its group: then the shell's session is meant
    os.setpriority(os.PRIO_PROCESS, 0, -20)
    try:
        with open("/proc/self/autogroup", "w") as f:
            f.write("-20")
    except OSError:
        pass  # not grouped by session


class Noise:
    """The share of the machine that processes other than ours used since the construction."""

    def __init__(self):
        self.begin = self._read()

    @staticmethod
    def _read():
        with open("/proc/stat") as f:
            fields = [int(x) for x in f.readline().split()[1:]]
        busy = sum(fields[:3]) + sum(fields[5:8])  # user nice system irq softirq steal
        ours = resource.getrusage(resource.RUSAGE_CHILDREN)
        mine = resource.getrusage(resource.RUSAGE_SELF)
        own = ours.ru_utime + ours.ru_stime + mine.ru_utime + mine.ru_stime
        return busy / os.sysconf("SC_CLK_TCK"), fields[7] / os.sysconf("SC_CLK_TCK"), own, time.monotonic()

    def result(self):
        busy, steal, own, now = (b - a for a, b in zip(self.begin, self._read()))
        capacity = max(now, 1e-9) * (os.cpu_count() or 1)
        return {
            "others_percent": round(100 * max(0.0, busy - own) / capacity, 1),
            "stolen_percent": round(100 * steal / capacity, 1),
            "seconds": round(now, 1),
        }
