// SPDX-License-Identifier: BSD-3-Clause
// See counters.hpp. Numbers: perf_event_open(2), enum perf_hw_id, perf_sw_ids, and for caches
// cache | operation << 8 | result << 16.
#include "tracer/base/counters.hpp"

#include <algorithm>

#include "tracer/base/text.hpp"

namespace tracer {
namespace {

constexpr std::uint32_t hardware = 0, software = 1, cache = 3;
constexpr std::uint64_t l1d = 0, last_level = 2, data_tlb = 3, miss = 1u << 16;

constexpr CounterKind rows[] = {
    {"cycles", "1", hardware, 0, false},
    {"instructions", "1", hardware, 1, false},
    {"cache-references", "1", hardware, 2, false},
    {"cache-misses", "1", hardware, 3, false},
    {"branches", "1", hardware, 4, false},
    {"branch-misses", "1", hardware, 5, false},
    {"stalled-cycles-frontend", "1", hardware, 7, false},
    {"stalled-cycles-backend", "1", hardware, 8, false},
    {"ref-cycles", "1", hardware, 9, false},
    {"L1-dcache-loads", "1", cache, l1d, false},
    {"L1-dcache-load-misses", "1", cache, l1d | miss, false},
    {"LLC-loads", "1", cache, last_level, false},
    {"LLC-load-misses", "1", cache, last_level | miss, false},
    {"dTLB-load-misses", "1", cache, data_tlb | miss, false},
    {"task-clock", "ns", software, 1, false},
    {"page-faults", "1", software, 2, false},
    {"minor-faults", "1", software, 5, false},
    {"major-faults", "1", software, 6, false},
    {"context-switches", "1", software, 3, true},
    {"cpu-migrations", "1", software, 4, true},
};

}  // namespace

std::span<const CounterKind> counters() noexcept {
  return rows;
}

std::optional<std::vector<CounterId>> parse_counters(std::string_view text) {
  std::vector<CounterId> wanted;
  for (const std::string& name : split(text, ',')) {
    const auto row =
        std::find_if(std::begin(rows), std::end(rows), [&](const CounterKind& r) { return name == r.name; });
    if (row == std::end(rows)) return std::nullopt;
    const auto id = static_cast<CounterId>(row - std::begin(rows));
    if (std::find(wanted.begin(), wanted.end(), id) == wanted.end()) wanted.push_back(id);
  }
  if (wanted.size() > most_counters) return std::nullopt;
  return wanted;
}

}  // namespace tracer
