// SPDX-License-Identifier: BSD-3-Clause
// The counters of the processor and of the kernel that samples may carry, by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tracer {

/// A row of counters(): part of the raw trace, whose samples contain it instead of the name.
using CounterId = std::uint16_t;

struct CounterKind {
  const char* name;      ///< as perf_event_open(2)'s tools call it
  const char* unit;      ///< "ns", or "1" for what is a number
  std::uint32_t type;    ///< perf_event_attr::type: 0 hardware, 1 software, 3 caches
  std::uint64_t config;  ///< perf_event_attr::config
  bool kernel_too;       ///< happens in the kernel only: counting the program's own code alone counts none
  bool is_hardware() const noexcept { return type != 1; }
};

/// So many at most of one run: what processors have room for, and some of the kernel's.
inline constexpr std::size_t most_counters = 8;

/// All that have a name. Rows are only ever added at the end.
std::span<const CounterKind> counters() noexcept;
/// "cycles,instructions" as rows, each once, in the order of the text. Nothing where a name is unknown, or where
/// there are more than most_counters. Throws std::bad_alloc.
std::optional<std::vector<CounterId>> parse_counters(std::string_view text);

}  // namespace tracer
