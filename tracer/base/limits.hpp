// SPDX-License-Identifier: BSD-3-Clause
// What the process may still take of the machine before somebody ends it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

#include "tracer/time.hpp"

namespace tracer {

inline constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// Bytes of memory until a limit of the process's (RLIMIT_AS, RLIMIT_DATA), of one of its control groups (version 1 or
/// 2, its own or one above; what the kernel would take back first is free) or the machine's end. Allocations beyond
/// fail, or the process is killed for them. `root`: where /proc and /sys are.
std::uint64_t memory_left(const std::filesystem::path& root = "/");

/// Processor time until RLIMIT_CPU, whose signal ends the process.
Nanoseconds processor_time_left() noexcept;

}  // namespace tracer
