// SPDX-License-Identifier: BSD-3-Clause
// Devices: kernels, copies, bandwidth, and how much of it overlaps with what.
#pragma once

#include <map>
#include <unordered_map>

#include "tracer/replay/replay.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// Events come in order of time, so what goes on at once is known at each of them: counts of what is
/// active, integrated from one event of a process to its next.
class Devices final : public Observer {
 public:
  Devices(const Definitions& definitions, const Replay& replay);
  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void fill(Report& report);

 private:
  struct State {
    DeviceRow row;
    std::int64_t kernels = 0, transfers = 0;
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    std::map<RegionRef, KernelRow> by_region;
  };
  struct Transfer {
    std::uint64_t begin, bytes;
    bool to_device;
  };
  struct Process {
    std::vector<std::uint32_t> devices;
    std::int64_t working = 0;  ///< threads
    std::uint64_t now = 0;
    LocationRef changed = undefined_ref;  ///< had the last event; what it does since is not counted yet
  };
  /// Beside a provider's records.
  bool is_stand_in(LocationRef location) const {
    return of_host_[location] && devices_[device_of_[location]].row.provider != "host";
  }
  void advance(Process& process, std::uint64_t time);
  void refresh(LocationRef location);

  const Definitions& definitions_;
  const Replay& replay_;
  const KernelRegions is_kernel_;
  std::vector<std::uint32_t> device_of_;  ///< of each location; undefined_ref for host threads
  std::vector<State> devices_;
  std::unordered_map<OwnNumber, Transfer, OwnNumber::Hash> open_;  ///< by location and matching id
  std::vector<bool> of_host_;                                      ///< of each location: the host's view
  std::vector<bool> active_;  ///< of each location: a thread that works, a stream with a kernel
  std::vector<Process> processes_;
};

}  // namespace tracer::report
