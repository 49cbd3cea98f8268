// SPDX-License-Identifier: BSD-3-Clause
// Which unwind table belongs to an address: by the binary search table that linkers write (.eh_frame_hdr; Linux
// Standard Base, 10.6.2) of the object that the C library names. libgcc's own lookup is not for handlers: first it
// searches the tables that compilers register at run time, behind a lock that the interrupted thread may hold.
#pragma once

#include <cstdint>

namespace tracer::sample {

struct FrameEntry {
  const void* description = nullptr;  ///< nullptr: none
  std::uint64_t function = 0;         ///< where its function begins
};

/// Not in handlers. Whether the C library names objects without a lock (_dl_find_object, glibc 2.35); else
/// find_frame_entry() finds nothing.
bool can_find_tables() noexcept;

/// Of the function that begins last before the address, which may end before it. Async-signal-safe.
FrameEntry find_frame_entry(std::uint64_t code) noexcept;

}  // namespace tracer::sample
