// SPDX-License-Identifier: BSD-3-Clause
// What the host asked devices for between two looks, by the newest records of its rings: for devices whose own records
// come at the end of the run only, or never.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "formats/raw/live_rings.hpp"
#include "tracer/cli/live/device_look.hpp"
#include "tracer/record.hpp"

namespace tracer::cli {

class HostDevices {
 public:
  void begin_look(Ticks now);
  /// Before the first look: what is not in the rings any more.
  void had_in_use(std::int32_t device, const Allocations& memory);
  /// A ring, once in each look. What was recorded between two looks and is gone is not guessed.
  void see(const raw::RingView& view);
  /// Times are in ticks.
  const std::map<std::int32_t, DeviceLook>& devices() const { return looks_; }

 private:
  struct Target {
    std::uint64_t id = 0;
    std::int32_t device = -1;
  };
  struct Thread {
    std::uint64_t next = 0;  ///< the first position not seen yet
    std::vector<Target> constructs;
    std::int32_t kernel_on = -1;  ///< the device on which a kernel of this thread runs; -1: none
    Ticks kernel_since = 0, copy_since = 0;
    std::set<std::int32_t> used;  ///< devices, in this look
  };
  void record(Thread& thread, const Record& record);
  void submit(Thread& thread, const Record& record);
  void data_op(Thread& thread, const Record& record, const Record& more);
  void end_kernel(Thread& thread, Ticks time);
  DeviceLook& device(Thread& thread, std::int32_t number);

  Ticks from_ = 0, now_ = 0;  ///< of this look
  std::unordered_map<ChannelId, Thread> threads_;
  std::map<std::int32_t, DeviceLook> looks_;
  std::map<std::int32_t, Allocations> allocations_;
};

}  // namespace tracer::cli
