# SPDX-License-Identifier: BSD-3-Clause
# needs: numba
"""A kernel that numba compiles when the program runs. Prints what it asked for."""
import numpy as np
from numba import cuda


@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] + y[i]


ROUNDS = 57
x = np.arange(100000, dtype=np.float64)
on_device, result = cuda.to_device(x), cuda.to_device(x)
for _ in range(ROUNDS):
    add[400, 256](on_device, result)
cuda.synchronize()
print(result.copy_to_host().sum())
print(f"kernels {ROUNDS}\nbytes to device {2 * x.nbytes}\nbytes from device {x.nbytes}")
