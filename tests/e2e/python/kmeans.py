# SPDX-License-Identifier: BSD-3-Clause
"""kmeans.py SECONDS: fits KMeans for some seconds, then does other work of its own, then a numba kernel if there is numba, and prints
the seconds of processor time and of the clock that each part took, as JSON."""
import json
import sys
import time

import numpy as np
from sklearn.cluster import KMeans

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0


def cluster(data, until):
    fits = 0
    while time.perf_counter() < until:
        KMeans(n_clusters=8, n_init=1, max_iter=100, random_state=fits).fit(data)
        fits += 1
    return fits


def other_work(until):
    total = 0
    while time.perf_counter() < until:
        for i in range(20000):
            total += i * i
    return total


def make_kernel():
    try:
        import numba
    except ImportError:
        return None

    @numba.njit(parallel=True, cache=False)
    def kernel(values, result):
        for i in numba.prange(values.shape[0]):
            x = values[i]
            for _ in range(200):
                x = x * 0.999 + 0.001
            result[i] = x

    return kernel


def run_kernel(kernel, values, result, until):
    while time.perf_counter() < until:
        kernel(values, result)


def main():
    data = np.random.default_rng(1).normal(size=(20000, 16))
    values, result = np.random.default_rng(2).normal(size=200000), np.zeros(200000)
    kernel = make_kernel()
    if kernel is not None:
        kernel(values[:64], result[:64])  # compiles it
    KMeans(n_clusters=2, n_init=1, max_iter=2, random_state=1).fit(data)
    parts = {"cluster": lambda until: cluster(data, until), "other_work": other_work}
    if kernel is not None:
        parts["run_kernel"] = lambda until: run_kernel(kernel, values, result, until)
    shares = {"cluster": 0.5, "other_work": 0.3, "run_kernel": 0.2}
    seconds = {}
    for name, part in parts.items():
        clock, used = time.perf_counter(), time.process_time()
        part(clock + SECONDS * shares[name])
        seconds[name] = [time.process_time() - used, time.perf_counter() - clock]
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
