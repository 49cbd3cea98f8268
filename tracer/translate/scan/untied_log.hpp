// SPDX-License-Identifier: BSD-3-Clause
// When untied tasks ran on a channel, as the scan reads it. A few bytes for a switch: most of them run once, as a
// whole.
#pragma once

#include <cstdint>

#include "tracer/ids.hpp"
#include "tracer/record.hpp"
#include "tracer/translate/scan/byte_log.hpp"

namespace tracer::translate {

class UntiedLog {
 public:
  enum Does : std::uint8_t { suspends, resumes, completes };
  struct Switch {
    TaskId task = no_id;
    Ticks time = 0;
    Does does = suspends;
  };

  void add(TaskId task, Ticks time, Does does) {
    const bool same = task == last_.task;
    bytes_.put(zigzag(static_cast<std::int64_t>(time - last_.time)));
    bytes_.put(static_cast<std::uint64_t>(does) | (same ? of_same_task : 0));
    if (!same) bytes_.put(zigzag(static_cast<std::int64_t>(task - last_.task)));
    last_ = {task, time, does};
    ++count_;
  }
  std::uint64_t count() const noexcept { return count_; }

  /// body(switch) for each, in the channel's order.
  template <class Body>
  void for_each(const Body& body) const {
    ByteLog::Reader bytes(bytes_);
    Switch one;
    for (std::uint64_t n = 0; n < count_; ++n) {
      one.time += static_cast<Ticks>(unzigzag(bytes.get()));
      const std::uint64_t head = bytes.get();
      one.does = static_cast<Does>(head & ~of_same_task);
      if ((head & of_same_task) == 0) one.task += static_cast<TaskId>(unzigzag(bytes.get()));
      body(static_cast<const Switch&>(one));
    }
  }

 private:
  static constexpr std::uint64_t of_same_task = 4;

  ByteLog bytes_;
  std::uint64_t count_ = 0;
  Switch last_;
};

}  // namespace tracer::translate
