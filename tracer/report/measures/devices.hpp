// SPDX-License-Identifier: BSD-3-Clause
// Devices: kernels, copies, bandwidth, and how much of it overlaps with what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tracer/device_names.hpp"
#include "tracer/replay/open_copies.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/report/measures/device_time.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// Events come in order of time, so what goes on at once is known at each of them: counts of what is
/// active, integrated from one event of a process to its next.
class Devices final : public Observer {
 public:
  Devices(const Definitions& definitions, const Replay& replay);
  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void fill(Report& report);

 private:
  struct State {
    DeviceRow row;
    DeviceTime time;
    std::vector<StreamRow> streams;  ///< as the account has them
    std::map<RegionRef, KernelRow> by_region;
  };
  enum class Doing : std::uint8_t { other, work, call, wait, kernel, copy };
  struct Transfer {
    std::uint64_t begin, bytes;
    bool to_device, is_pageable;
  };
  struct Process {
    std::vector<std::uint32_t> devices;
    HostThreads threads;
    std::uint64_t now = 0;                ///< 0: before its first event
    LocationRef changed = undefined_ref;  ///< had the last event; what it does since is not counted yet
  };
  /// Beside a provider's records.
  bool is_stand_in(LocationRef location) const {
    return of_host_[location] && devices_[device_of_[location]].row.provider != "host";
  }
  void add_stream(LocationRef location, State& state);
  void advance(Process& process, std::uint64_t time);
  /// In a region of a stream: kernel, copy (within the device, and memset) or other.
  Doing on_stream(RegionRef region) const;
  Doing doing(LocationRef location) const;
  void refresh(LocationRef location);
  void copies(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);
  /// By a region of a stream.
  void moved(LocationRef location, RegionRef region, std::uint64_t bytes);
  bool is_pageable(std::span<const EventAttribute> attributes) const;
  void end_transfer(LocationRef location, const Transfer& transfer, std::uint64_t time);
  void changed(DeviceRow& row, const Event& event);
  /// Where a region of a stream counts as one; nullptr: it moves no pages of unified memory.
  TransferTotals* migrations(LocationRef location, RegionRef region);
  StreamRow& stream(LocationRef location) { return devices_[device_of_[location]].streams[stream_of_[location]]; }

  const Definitions& definitions_;
  const Replay& replay_;
  const KernelRegions is_kernel_;
  const std::uint32_t bytes_, host_memory_;  ///< attributes
  std::vector<std::uint32_t> device_of_;     ///< of each location; undefined_ref for host threads
  std::vector<State> devices_;
  OpenCopies<Transfer> open_;
  std::vector<bool> of_host_;           ///< of each location: the host's view
  std::vector<std::size_t> stream_of_;  ///< of each location: in its device's account
  std::vector<Doing> doing_;            ///< of each location
  std::vector<bool> is_wait_;           ///< of each region: a call that waits for a device
  std::vector<bool> is_move_;           ///< of each region: on a stream, a memset or copy
  std::vector<DeviceMetric> metrics_;   ///< what each is on a stream
  std::vector<Process> processes_;
};

}  // namespace tracer::report
