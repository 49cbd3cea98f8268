# SPDX-License-Identifier: BSD-3-Clause
"""children.py METHOD: calls job() once itself and once in a process of multiprocessing that this start method makes."""
import multiprocessing
import sys


def job():
    return 1


if __name__ == "__main__":
    job()
    child = multiprocessing.get_context(sys.argv[1]).Process(target=job)
    child.start()
    child.join()
    print(child.exitcode)
