// SPDX-License-Identifier: BSD-3-Clause
// The time namespace of the process: the kernel stamps what it notes with its own CLOCK_MONOTONIC, and the process
// reads another.
#pragma once

#include <cstdint>
#include <string>

namespace tracer::sample {

/// What is added to the kernel's CLOCK_MONOTONIC, in ns, by the text of /proc/PID/timens_offsets; 0 where it has none.
std::int64_t monotonic_offset(const std::string& offsets);

/// Of this process. Throws std::bad_alloc.
std::int64_t own_monotonic_offset();

}  // namespace tracer::sample
