// SPDX-License-Identifier: BSD-3-Clause
// What a copy between host and device moved, as a hash of the host's memory (TRACER_TRANSFER_CONTENT).
#pragma once

#include <cstdint>

#include "omp-tools.h"

namespace tracer::ompt {

struct Content {
  bool is_there = false;
  std::uint64_t hash = 0;
};

/// Of a copy whose end the runtime reports: XXH3 of the `bytes` at the host's end of it, read at some 10 GB/s on the
/// calling thread. Nothing for operations that are no copy, and where it is not certain that one end, and which, is the
/// host's: memory of a device must not be read.
Content content_of(ompt_target_data_op_t optype, const void* source, int source_device, const void* destination,
                   int destination_device, std::uint64_t bytes) noexcept;

}  // namespace tracer::ompt
