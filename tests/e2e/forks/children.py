# SPDX-License-Identifier: BSD-3-Clause
"""children.py LIBRARY HOW: processes of Python's multiprocessing, each of which calls regions of a shared object. HOW: `processes`,
which main starts; `pool`, of workers; `threads`, each of which forks while the others have regions."""
import concurrent.futures
import ctypes
import multiprocessing
import sys

FORKS = multiprocessing.get_context("fork")


def work(number):
    library = ctypes.CDLL(sys.argv[1])
    return all(library.count_in_region(1000) == 1000 for _ in range(20)) and number


def child(number):
    if work(number) is False:
        sys.exit(1)


def start_and_wait(number):
    process = FORKS.Process(target=child, args=(number,))
    process.start()
    process.join()
    return process.exitcode


def thread(number):
    work(number)
    return start_and_wait(number)


def main():
    how = sys.argv[2]
    if how == "processes":
        print([start_and_wait(number) for number in range(2)])
    elif how == "pool":
        with FORKS.Pool(2) as pool:
            print(pool.map(work, range(1, 5)))
    else:
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            print(list(pool.map(thread, range(1, 7))))


if __name__ == "__main__":
    main()
