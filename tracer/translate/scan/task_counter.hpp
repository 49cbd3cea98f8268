// SPDX-License-Identifier: BSD-3-Clause
// The ids of tasks that a channel's thread made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "tracer/ids.hpp"
#include "tracer/record.hpp"

namespace tracer::translate {

/// Extends the half of a task's counter that its creation record has room for: creations of a channel
/// are in the order of their counters. Whoever reads a channel has one of its own.
class TaskCounter {
 public:
  /// `near`: a counter of the channel that is less than 2^31 from that of its first creation.
  explicit TaskCounter(std::uint64_t near) noexcept : last_(near) {}

  std::uint64_t extend(std::uint32_t low) noexcept {
    constexpr std::uint64_t half = 0x80000000u, whole = std::uint64_t{1} << 32;
    std::uint64_t counter = (last_ & ~(whole - 1)) | low;
    if (counter + half < last_) {
      counter += whole;
    } else if (counter > last_ + half && counter >= whole) {
      counter -= whole;
    }
    return last_ = counter;
  }

 private:
  std::uint64_t last_;
};

/// Of the channel's own ids in its first records, of which a batch is enough, the largest counter. What a flight
/// recorder has left of a run begins with any.
inline std::uint64_t counter_near(std::span<const Record> first, ChannelId channel) noexcept {
  std::uint64_t near = 0;
  const auto take = [&](std::uint64_t id) {
    if (channel_of(id) == channel) near = std::max(near, counter_of(id));
  };
  for (const Record& r : first) {
    switch (r.kind) {
      case RecordKind::parallel_begin:
      case RecordKind::task_create:
        take(r.b);
        break;
      case RecordKind::implicit_task:
      case RecordKind::initial_task:
        take(r.c);
        break;
      case RecordKind::task_schedule:
        take(r.b);
        take(r.c);
        break;
      default:
        break;
    }
  }
  return near;
}

}  // namespace tracer::translate
