# SPDX-License-Identifier: BSD-3-Clause
"""workers.py METHOD: two processes of multiprocessing, made by that start method, use the processor in two functions for a known share, and end."""
import multiprocessing
import sys
import time


def spin(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        sum(range(500))


def first_part():
    spin(0.5)


def second_part():
    spin(1.5)


def job():
    first_part()
    second_part()


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    workers = [context.Process(target=job) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
