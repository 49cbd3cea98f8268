# SPDX-License-Identifier: BSD-3-Clause
"""A pool of threads of an interpreter that knows nothing of OpenMP, and names its phases: what is said is printed (said.py).
The words are those of Kokkos Tools, whose functions can be called by name."""
import concurrent.futures
import ctypes
import os
import threading

THREADS, TASKS = 4, 40

try:
    words = ctypes.CDLL(os.environ["KOKKOS_TOOLS_LIBS"])
    words.kokkosp_push_profile_region
except (KeyError, OSError, AttributeError):  # not set, or no tool for Kokkos
    words = None
together = threading.Barrier(THREADS)


def step(number):
    if number < THREADS:
        together.wait()  # each thread of the pool has one of the first
    if words:
        words.kokkosp_push_profile_region(b"step")
        words.kokkosp_profile_event(b"moment")
        words.kokkosp_pop_profile_region()


with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
    list(pool.map(step, range(TASKS)))
print(f"range step {TASKS}\nrange moment {TASKS}\nthread Thread {THREADS} 1")
