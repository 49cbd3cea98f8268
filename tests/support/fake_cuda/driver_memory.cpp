// SPDX-License-Identifier: BSD-3-Clause
// The fake driver's memory: the host's; copies between its parts and settings of it happen at the call.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "support/fake_cuda/driver.hpp"

using namespace tracer::test::fake_cuda;

namespace {

constexpr std::uint64_t piece_of_pool = std::uint64_t{2} << 20, migrated_at_once = 64 << 10;

/// True: the pool is new.
bool take_from_pool(std::size_t bytes) {
  const std::lock_guard lock(driver->lock);
  const auto [found, is_new] = driver->pools.try_emplace(current->device);
  Pool& pool = found->second;
  pool.used += bytes;
  if (pool.used > pool.size) pool.size = (pool.used + piece_of_pool - 1) / piece_of_pool * piece_of_pool;
  return is_new;
}

CUresult allocate(const char* name, CUdeviceptr* address, const Memory& wanted) {
  if (const auto no = ready()) return no;
  const Call call(name);
  void* memory = std::calloc(1, wanted.bytes ? wanted.bytes : 1);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  {
    const std::lock_guard lock(driver->lock);
    driver->memory[*address] = wanted;
  }
  if (wanted.is_of_pool && take_from_pool(wanted.bytes)) at_once(Kind::pool, {0, false, true, false}, 0);
  return at_once(Kind::alloc, wanted, *address), CUDA_SUCCESS;
}

CUresult release(const char* name, CUdeviceptr address) {
  if (gone) return CUDA_ERROR_DEINITIALIZED;
  if (!current) return CUDA_ERROR_INVALID_CONTEXT;
  const Call call(name);
  Memory memory;
  {
    const std::lock_guard lock(driver->lock);
    const auto it = driver->memory.find(address);
    if (it == driver->memory.end()) return CUDA_ERROR_INVALID_VALUE;
    memory = it->second;
    driver->memory.erase(it);
    if (memory.is_of_pool) driver->pools[current->device].used -= memory.bytes;
  }
  std::free(reinterpret_cast<void*>(address));
  return at_once(Kind::free, memory, address), CUDA_SUCCESS;
}

}  // namespace

extern "C" {
EXPORT CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  return allocate("cuMemAlloc_v2", address, {bytes, false, false, false});
}
EXPORT CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream) {
  return allocate("cuMemAllocAsync", address, {bytes, false, true, false});
}
EXPORT CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned) {
  return allocate("cuMemAllocManaged", address, {bytes, true, false, false});
}
EXPORT CUresult cuMemFree(CUdeviceptr address) {
  return release("cuMemFree_v2", address);
}
EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream) {
  return release("cuMemFreeAsync", address);
}
/// Of the device's default pool, whatever `pool` is.
EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool, std::size_t keep) {
  if (const auto no = ready()) return no;
  {
    const std::lock_guard lock(driver->lock);
    Pool& pool = driver->pools[current->device];
    pool.size = std::min(pool.size, std::max<std::uint64_t>(keep, pool.used));
  }
  return at_once(Kind::pool, {0, false, true, false}, 0), CUDA_SUCCESS;
}
/// The pages of managed memory go where they are needed, 64 KiB at a time; the first of each piece faults.
EXPORT CUresult fake_cuda_touches(CUdeviceptr address, int on_device) {
  if (const auto no = ready()) return no;
  const bool to_device = on_device != 0;
  std::uint64_t bytes = 0;
  {
    const std::lock_guard lock(driver->lock);
    const auto it = driver->memory.find(address);
    if (it == driver->memory.end() || !it->second.is_managed) return CUDA_ERROR_INVALID_VALUE;
    if (std::exchange(it->second.is_on_device, to_device) != to_device) bytes = it->second.bytes;
  }
  for (std::uint64_t done = 0; done < bytes; done += migrated_at_once) {
    const Memory piece{std::min(bytes - done, migrated_at_once), true, false, to_device};
    at_once(to_device ? Kind::device_fault : Kind::host_fault, piece, address + done);
    at_once(to_device ? Kind::migrate_to : Kind::migrate_from, piece, address + done);
  }
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  if (const auto no = ready()) return no;
  const std::lock_guard lock(driver->lock);
  auto it = driver->memory.upper_bound(address);
  if (it == driver->memory.begin() || address >= std::prev(it)->first + std::prev(it)->second.bytes)
    return CUDA_ERROR_NOT_FOUND;
  --it;
  if (base) *base = it->first;
  if (bytes) *bytes = it->second.bytes;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned) {
  return *address = reinterpret_cast<CUdeviceptr>(memory), CUDA_SUCCESS;
}
EXPORT CUresult cuMemAllocHost(void** memory, std::size_t bytes) {
  return *memory = std::calloc(1, bytes), CUDA_SUCCESS;
}
EXPORT CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return cuMemAllocHost(memory, bytes);
}
EXPORT CUresult cuMemFreeHost(void* memory) {
  return std::free(memory), CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuMemcpyHtoDAsync_v2");
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return run(Kind::copy_to, stream, bytes, 1000 + bytes / 16, to), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuMemcpyDtoHAsync_v2");
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return run(Kind::copy_from, stream, bytes, 1000 + bytes / 16, from), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuMemcpyDtoDAsync_v2");
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return run(Kind::copy_on, stream, bytes, 500 + bytes / 64, to), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext peer, CUdeviceptr from, CUcontext, std::size_t bytes,
                                  CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuMemcpyPeerAsync");
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return run(Kind::copy_peer, stream, bytes, 500 + bytes / 32, to, nullptr, 1, peer->device), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  if (const auto no = cuMemcpyHtoDAsync(to, from, bytes, nullptr)) return no;
  return wait(nullptr), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  if (const auto no = cuMemcpyDtoHAsync(to, from, bytes, nullptr)) return no;
  return wait(nullptr), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  if (const auto no = cuMemcpyDtoDAsync(to, from, bytes, nullptr)) return no;
  return wait(nullptr), CUDA_SUCCESS;
}
EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t n, CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuMemsetD8Async");
  std::memset(reinterpret_cast<void*>(to), value, n);
  return run(Kind::set, stream, n, 800, to), CUDA_SUCCESS;
}
EXPORT CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t n) {
  if (const auto no = cuMemsetD8Async(to, value, n, nullptr)) return no;
  return wait(nullptr), CUDA_SUCCESS;
}
#define MEMSET(name, Type)                                                           \
  EXPORT CUresult name(CUdeviceptr to, Type value, std::size_t n, CUstream stream) { \
    if (const auto no = ready()) return no;                                          \
    const Call call(#name);                                                          \
    std::fill_n(reinterpret_cast<Type*>(to), n, value);                              \
    return run(Kind::set, stream, n * sizeof(Type), 800, to), CUDA_SUCCESS;          \
  }
MEMSET(cuMemsetD16Async, unsigned short)
MEMSET(cuMemsetD32Async, unsigned)
#define NOT_HERE(name, ...)           \
  EXPORT CUresult name(__VA_ARGS__) { \
    return CUDA_ERROR_NOT_SUPPORTED;  \
  }
NOT_HERE(cuMemsetD2D8Async, CUdeviceptr, std::size_t, unsigned char, std::size_t, std::size_t, CUstream)
NOT_HERE(cuMemsetD2D16Async, CUdeviceptr, std::size_t, unsigned short, std::size_t, std::size_t, CUstream)
NOT_HERE(cuMemsetD2D32Async, CUdeviceptr, std::size_t, unsigned, std::size_t, std::size_t, CUstream)
NOT_HERE(cuMemcpy2D, const CUDA_MEMCPY2D*)
NOT_HERE(cuMemcpy2DUnaligned, const CUDA_MEMCPY2D*)
NOT_HERE(cuMemcpy3D, const CUDA_MEMCPY3D*)
NOT_HERE(cuPointerGetAttribute, void*, CUpointer_attribute, CUdeviceptr)
NOT_HERE(cuMemUnmap, CUdeviceptr, std::size_t)
NOT_HERE(cuMemRelease, CUmemGenericAllocationHandle)
NOT_HERE(cuMemAddressFree, CUdeviceptr, std::size_t)
NOT_HERE(cuMemAddressReserve, CUdeviceptr*, std::size_t, std::size_t, CUdeviceptr, unsigned long long)
NOT_HERE(cuMemMap, CUdeviceptr, std::size_t, std::size_t, CUmemGenericAllocationHandle, unsigned long long)
NOT_HERE(cuMemCreate, CUmemGenericAllocationHandle*, std::size_t, const CUmemAllocationProp*, unsigned long long)
NOT_HERE(cuMemSetAccess, CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t)
NOT_HERE(cuMemGetAllocationGranularity, std::size_t*, const CUmemAllocationProp*, CUmemAllocationGranularity_flags)
}
