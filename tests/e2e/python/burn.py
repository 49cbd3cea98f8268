# SPDX-License-Identifier: BSD-3-Clause
"""burn.py SECONDS [kill|fifo]: burns processor time in functions, and prints how much in each. At the end kills itself, or puts a FIFO in the place of
its map."""
import json
import os
import signal
import sys
import threading
import time


def spin(seconds):
    total, end = 0, time.process_time() + seconds
    while time.process_time() < end:
        for i in range(3000):
            total += i * i
    return total


class Solver:
    def solve(self, seconds):
        return spin(seconds)


def check(seconds):
    return spin(seconds)


def in_thread(seconds):
    return spin(seconds)


def main():
    seconds = float(sys.argv[1])
    used = {}
    for name, function, share in (("Solver.solve", Solver().solve, 0.5), ("check", check, 0.3)):
        before = time.process_time()
        function(seconds * share)
        used[name] = time.process_time() - before
    thread = threading.Thread(target=in_thread, args=(seconds * 0.2,))
    thread.start()
    thread.join()
    print(json.dumps(used), flush=True)
    way = sys.argv[2] if len(sys.argv) > 2 else ""
    if way == "fifo":
        name = f"/tmp/perf-{os.getpid()}.map"
        if os.path.exists(name):
            os.unlink(name)
        os.mkfifo(name)
        time.sleep(0.3)
        os.unlink(name)
    if way == "kill":
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)


main()
