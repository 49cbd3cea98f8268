# SPDX-License-Identifier: BSD-3-Clause
# needs: cupy
"""CuPy: a kernel of its own source, a sum in a stream, a library's function."""
import cupy

twice = cupy.RawKernel(r"""extern "C" __global__ void twice(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;
}""", "twice")
a = cupy.ones(100000, dtype=cupy.float32)
for _ in range(20):
    twice(((100000 + 255) // 256,), (256,), (a, 100000))
cupy.cuda.Device().synchronize()
stream = cupy.cuda.Stream(non_blocking=True)
with stream:
    total = a.sum()
stream.synchronize()
print(float(total), float(cupy.linalg.norm(cupy.arange(10, dtype=cupy.float64))))
