// SPDX-License-Identifier: BSD-3-Clause
// Who made a range: bits 0-3 of `sub` of the records range_*. Those of the tool's own front ends.
#pragma once

#include <cstdint>

namespace tracer {

namespace range_language {
inline constexpr std::uint16_t mpi = 5, cuda = 6, python = 7;
}

/// `sub` of the range_push of a call of CUDA: the payload is the correlation id of what it makes on a device.
inline constexpr std::uint16_t call_of_device = range_language::cuda | 5 << 4;

}  // namespace tracer
