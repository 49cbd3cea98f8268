// SPDX-License-Identifier: BSD-3-Clause
// The ids of threads, regions, tasks and device operations in all stages.
#pragma once

#include <cstdint>

namespace tracer {

/// One producer's ring, numbered from 0 in the order of the threads' first records. At most 2^24 in a run.
using ChannelId = std::uint32_t;

/// Ids that the tool puts into `ompt_data_t::value`: unique in the process, never 0, assigned
/// without an atomic operation: the channel of the creator, and the creator's counter.
using ParallelId = std::uint64_t;
using TaskId = std::uint64_t;
using TargetId = std::uint64_t;
using HostOpId = std::uint64_t;

inline constexpr std::uint64_t no_id = 0;
inline constexpr unsigned counter_bits = 40;
/// A handler sets it in the id of an untied task, which may continue on another thread; not part of
/// the counter.
inline constexpr std::uint64_t untied_bit = std::uint64_t{1} << (counter_bits - 1);
inline constexpr std::uint64_t counter_mask = untied_bit - 1;

/// `counter` starts at 1 in each channel: no id is 0.
constexpr std::uint64_t make_id(ChannelId channel, std::uint64_t counter) noexcept {
  return (std::uint64_t{channel} << counter_bits) | (counter & counter_mask);
}
constexpr ChannelId channel_of(std::uint64_t id) noexcept {
  return static_cast<ChannelId>(id >> counter_bits);
}
constexpr std::uint64_t counter_of(std::uint64_t id) noexcept {
  return id & counter_mask;
}

}  // namespace tracer
