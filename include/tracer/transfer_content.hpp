// SPDX-License-Identifier: BSD-3-Clause
// Comparing what is copied between host and devices (TRACER_TRANSFER_CONTENT).
#pragma once

#include <cstdint>

namespace tracer {

/// Bytes of a copy from which on a record contains the duration of hashing its content. Hashing less takes no longer
/// than making that record.
inline constexpr std::uint64_t least_recorded_hashing = 1024;

}  // namespace tracer
