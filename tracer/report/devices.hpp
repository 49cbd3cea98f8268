// SPDX-License-Identifier: BSD-3-Clause
// Devices: kernels, copies, bandwidth, and how much of it overlaps with what.
#pragma once

#include <map>
#include <unordered_map>

#include "tracer/report/replay.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

class Devices final : public Observer {
 public:
  Devices(const Definitions& definitions, const Replay& replay);
  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override;
  void interval(LocationRef location, Task&, Activity activity, std::uint64_t from, std::uint64_t to) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void finished(std::uint64_t) override { settle(~std::uint64_t{0}); }
  void fill(Report& report);

 private:
  enum class What : std::uint8_t { host, kernel, transfer };
  /// A change of how many of `what` are active on a device, from `time` on.
  struct Change {
    std::uint64_t time;
    std::uint32_t device;
    What what;
    std::int8_t by;
  };
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
  void change(std::uint64_t from, std::uint64_t to, std::uint32_t device, What what);
  void settle(std::uint64_t until);
  void apply(const Change& change);

  const Definitions& definitions_;
  const Replay& replay_;
  std::vector<std::uint32_t> device_of_;  ///< of each location; undefined_ref for host threads
  std::vector<State> devices_;
  std::unordered_map<std::uint64_t, Transfer> open_;
  std::vector<Change> changes_;
  std::int64_t host_working_ = 0;
  std::uint64_t now_ = 0;
};

}  // namespace tracer::report
