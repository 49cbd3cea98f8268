// SPDX-License-Identifier: BSD-3-Clause
// The activity records as far as they are read. Each is the oldest struct that begins as all later ones do, so that
// this builds with the headers of CUDA 11.8 to 13 and reads the records of any of those libraries: records only grow.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cupti.h>

namespace tracer::device::cupti {

using Kernel = CUpti_ActivityKernel4;
using Copy = CUpti_ActivityMemcpy;
using PeerCopy = CUpti_ActivityMemcpyPtoP;
using Set = CUpti_ActivityMemset;
using Memory = CUpti_ActivityMemory3;
using Pool = CUpti_ActivityMemoryPool2;
using UnifiedMemory = CUpti_ActivityUnifiedMemoryCounter2;
using Synchronization = CUpti_ActivitySynchronization;
using Overhead = CUpti_ActivityOverhead;
using Device = CUpti_ActivityDevice4;
using Context = CUpti_ActivityContext;
using Correlation = CUpti_ActivityExternalCorrelation;
using ApiCall = CUpti_ActivityAPI;

/// Of the pointer in records of overhead, since CUDA 13: behind a correlation id and its padding.
inline constexpr std::size_t offset_of_overhead_data = sizeof(Overhead) + 2 * sizeof(std::uint32_t);

#if CUPTI_API_VERSION >= 130000
#define TRACER_SAME(Old, New, field) static_assert(offsetof(Old, field) == offsetof(New, field))
TRACER_SAME(Kernel, CUpti_ActivityKernel10, start);
TRACER_SAME(Kernel, CUpti_ActivityKernel10, gridX);
TRACER_SAME(Kernel, CUpti_ActivityKernel10, correlationId);
TRACER_SAME(Kernel, CUpti_ActivityKernel10, name);
TRACER_SAME(Kernel, CUpti_ActivityKernel10, registersPerThread);
TRACER_SAME(Kernel, CUpti_ActivityKernel10, blockZ);
TRACER_SAME(Kernel, CUpti_ActivityKernel10, dynamicSharedMemory);
TRACER_SAME(Copy, CUpti_ActivityMemcpy6, copyKind);
TRACER_SAME(Copy, CUpti_ActivityMemcpy6, dstKind);
TRACER_SAME(Copy, CUpti_ActivityMemcpy6, bytes);
TRACER_SAME(Copy, CUpti_ActivityMemcpy6, correlationId);
TRACER_SAME(PeerCopy, CUpti_ActivityMemcpyPtoP4, start);
TRACER_SAME(PeerCopy, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
TRACER_SAME(PeerCopy, CUpti_ActivityMemcpyPtoP4, correlationId);
TRACER_SAME(Set, CUpti_ActivityMemset4, bytes);
TRACER_SAME(Set, CUpti_ActivityMemset4, correlationId);
TRACER_SAME(Memory, CUpti_ActivityMemory4, timestamp);
TRACER_SAME(Memory, CUpti_ActivityMemory4, streamId);
TRACER_SAME(Memory, CUpti_ActivityMemory4, isAsync);
TRACER_SAME(Memory, CUpti_ActivityMemory4, memoryPoolConfig);
static_assert(sizeof(Memory::memoryPoolConfig) == sizeof(CUpti_ActivityMemory4::memoryPoolConfig));
TRACER_SAME(Pool, CUpti_ActivityMemoryPool3, memoryPoolType);
TRACER_SAME(Pool, CUpti_ActivityMemoryPool3, deviceId);
TRACER_SAME(Pool, CUpti_ActivityMemoryPool3, size);
TRACER_SAME(Pool, CUpti_ActivityMemoryPool3, utilizedSize);
TRACER_SAME(UnifiedMemory, CUpti_ActivityUnifiedMemoryCounter3, value);
TRACER_SAME(UnifiedMemory, CUpti_ActivityUnifiedMemoryCounter3, end);
TRACER_SAME(UnifiedMemory, CUpti_ActivityUnifiedMemoryCounter3, dstId);
TRACER_SAME(Synchronization, CUpti_ActivitySynchronization2, start);
TRACER_SAME(Synchronization, CUpti_ActivitySynchronization2, streamId);
TRACER_SAME(Overhead, CUpti_ActivityOverhead3, objectId);
TRACER_SAME(Overhead, CUpti_ActivityOverhead3, start);
TRACER_SAME(Overhead, CUpti_ActivityOverhead3, end);
static_assert(offset_of_overhead_data == offsetof(CUpti_ActivityOverhead3, overheadData));
TRACER_SAME(Device, CUpti_ActivityDevice5, name);
TRACER_SAME(Device, CUpti_ActivityDevice5, maxRegistersPerMultiprocessor);
TRACER_SAME(Device, CUpti_ActivityDevice5, migUuid);
TRACER_SAME(Context, CUpti_ActivityContext3, deviceId);
#undef TRACER_SAME
#endif

}  // namespace tracer::device::cupti
