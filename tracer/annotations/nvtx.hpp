// SPDX-License-Identifier: BSD-3-Clause
// What NVTX's core and its extensions share: domains, registered strings, payloads of the extension.
//
// The layouts and numbers are those of NVTX's public headers (nvToolsExt.h, nvtxTypes.h, nvToolsExtPayload.h,
// nvToolsExtCounters.h; version 3). They have not changed since 2018; fields that an older header of the program lacks
// are left out by the sizes and versions that the program passes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracer/annotations/annotation.hpp"

namespace tracer::words::nvtx {

struct Category {
  const Category* next;
  std::uint32_t number;
  char name[];
};

/// What a nvtxDomainHandle_t points to; NULL is the default domain. Never freed: the handle may be used after its end.
struct Domain {
  std::uint32_t name = 0;
  std::atomic<const Category*> categories{nullptr};
};
Domain& domain_at(const void* handle) noexcept;
const char* category_name(const Domain& domain, std::uint32_t number) noexcept;

/// What push and pop return where depths are not counted: NVTX_NO_PUSH_POP_TRACKING.
inline constexpr int no_depth = -2;

/// What a nvtxStringHandle_t points to.
struct Registered {
  std::uint32_t name;
};

/// nvtxPayloadData_t.
struct PayloadData {
  std::uint64_t schema;
  std::size_t size;
  const void* bytes;
};

/// Reads an annotation of the payload extension into `annotation`: the first number or text as its payload, and its
/// name, category and colour where the schema marks them. Other fields are counted.
void read_extended(const Domain& domain, const PayloadData* data, std::size_t count, Annotation& annotation) noexcept;

using Function = void (*)();
template <class Original>
Function plain(Original* function) noexcept {
  return reinterpret_cast<Function>(function);
}
struct Row {
  unsigned id;
  Function function;
};

}  // namespace tracer::words::nvtx
