# SPDX-License-Identifier: BSD-3-Clause
# needs: ctypes
"""CUDA's driver, called by a program that loads it when it runs: copies to a device and back. Prints what it asked for."""
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")
SIZE, ROUNDS = 1 << 16, 40


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status != 0:
        raise SystemExit(f"{name}: error {status}")


call("cuInit", 0)
device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(SIZE))
there, back = (ctypes.c_ubyte * SIZE)(*(i % 251 for i in range(SIZE))), (ctypes.c_ubyte * SIZE)()
for _ in range(ROUNDS):
    call("cuMemcpyHtoD_v2", memory, there, ctypes.c_size_t(SIZE))
call("cuMemcpyDtoH_v2", back, memory, ctypes.c_size_t(SIZE))
call("cuMemFree_v2", memory)
print("as it was" if bytes(there) == bytes(back) else "changed")
print(f"kernels 0\nbytes to device {ROUNDS * SIZE}\nbytes from device {SIZE}")
