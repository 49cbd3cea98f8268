// SPDX-License-Identifier: BSD-3-Clause
// The numbers by which all stages name threads, regions, tasks and device operations.
#pragma once

#include <cstdint>

namespace tracer {

/// One producer's ring, numbered from 0 in the order in which threads appeared. At most 2^24 in a run.
using ChannelId = std::uint32_t;

/// Identities that the tool puts into `ompt_data_t::value`: unique in the process, never 0, made
/// without an atomic operation: the channel that created the thing, and how many it had created.
using ParallelId = std::uint64_t;
using TaskId = std::uint64_t;
using TargetId = std::uint64_t;
using HostOpId = std::uint64_t;

inline constexpr std::uint64_t no_id = 0;
inline constexpr unsigned counter_bits = 40;
/// Set in the id of an untied task (a handler does so), so that whoever sees it run knows that it may
/// go on with another thread; not part of the counter.
inline constexpr std::uint64_t untied_bit = std::uint64_t{1} << (counter_bits - 1);
inline constexpr std::uint64_t counter_mask = untied_bit - 1;

/// `counter` starts at 1 in each channel, so that no id is 0.
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
