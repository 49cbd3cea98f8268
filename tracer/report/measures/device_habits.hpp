// SPDX-License-Identifier: BSD-3-Clause
// How a program uses its devices: copies that are small and many, kernels shorter than their launch, kernels of fewer
// blocks than the device has multiprocessors, and host and device that wait for each other in turn.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/replay/replay.hpp"
#include "tracer/report/measures/integral.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// Of the constructs on each thread, and of the kernels that they launched.
class DeviceHabits final : public Observer {
 public:
  DeviceHabits(const Definitions& definitions, const Replay& replay);
  bool is_concerned() const override { return is_concerned_; }
  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void finished(std::uint64_t last) override;
  const std::vector<DataMovementRow>& rows() const { return rows_; }

 private:
  enum class Kind : std::uint8_t { other, construct, data, copy_to, copy_from, submit };

  struct Open {
    RegionRef region = undefined_ref;
    Kind kind = Kind::other;
    std::uint64_t begin = 0, bytes = 0;
    std::uint64_t data_ns = 0;  ///< of it: operations on data, and comparing contents
    std::uint64_t kernels = 0;
    bool fetches = false;
    RegionRef copies = undefined_ref;  ///< what copied last in it
    bool small_only = true;            ///< and nothing else was done on data
  };
  /// Operations that belong together: how many, the time, the longest.
  struct Sum {
    std::uint64_t count = 0, bytes = 0, ns = 0, longest = 0, longest_at = 0;
    std::uint64_t constructs_ns = 0;      ///< beside it: of constructs that do nothing else
    RegionRef construct = undefined_ref;  ///< of these
    void add(std::uint64_t duration, std::uint64_t at, std::uint64_t size = 0);
  };
  struct Thread {
    std::vector<Open> open;
    std::map<RegionRef, Sum> copies;  ///< small ones since the last kernel, by what copies
    RegionRef last = undefined_ref;   ///< the construct with a kernel that ended last, where it fetched nothing
    std::uint64_t last_ns = 0, last_end = 0;
    std::uint64_t last_busy = 0;      ///< how long kernels of the process had run until then
    std::uint64_t construct_end = 0;  ///< of the last construct; 0: none
    std::uint64_t gap = 0;            ///< before the one that it is in, where nothing but starting it fits in there
  };
  struct Launches {
    Sum constructs;
    RegionRef submit = undefined_ref;
    std::uint64_t launched = 0, kernels = 0, kernel_ns = 0;
    std::uint64_t shorts = 0, short_ns = 0;  ///< kernels that are short
    std::uint64_t gaps_ns = 0;               ///< between constructs that follow each other at once
    std::uint64_t of_host = 0;               ///< kernels: the host's intervals stand for them
    std::uint64_t usual_ns = 0;              ///< of the constructs, without what others on the machine took of them
  };
  struct Kernel {
    std::uint64_t id = 0, begin = 0;
    std::uint64_t blocks = 0;     ///< 0: not known
    std::uint64_t idle_from = 0;  ///< its device's, when it began
  };
  /// What a process' kernels use of a device's multiprocessors.
  struct Filling {
    std::uint64_t now = 0, blocks = 0, kernels = 0;  ///< whose blocks are known
    std::uint64_t unknown = 0;                       ///< kernels of which they are not: these may fill the device
    std::uint64_t idle = 0;  ///< ns times multiprocessors without a block, shared by the kernels

    void pass(std::uint64_t time, std::uint64_t units);
    void add(Kernel& kernel, std::uint64_t units);
    /// ns that it could have been shorter on all multiprocessors.
    std::uint64_t remove(const Kernel& kernel, std::uint64_t time, std::uint64_t units);
  };

  void hashed(LocationRef location, const Event& event);
  void entered(LocationRef location, Thread& thread, const Event& event, std::span<const EventAttribute> attributes);
  void ended(LocationRef location, Thread& thread, const Event& event);
  void left(Thread& thread, const Open& open, std::uint64_t ns);
  void on_stream(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);
  void kernel_begun(LocationRef location, Kernel kernel);
  std::uint64_t kernel_left(LocationRef location, const Kernel& kernel, std::uint64_t time);
  void kernel_ended(LocationRef location, const Kernel& kernel, RegionRef region, std::uint64_t time,
                    std::uint64_t unfilled);
  void copied(Thread& thread, const Open& open, std::uint64_t ns);
  void flush(Thread& thread);
  std::uint64_t blocks_of(std::uint64_t text) const;
  void add(DataPattern pattern, RegionRef region, RegionRef also, const Sum& sum);

  const Definitions& definitions_;
  const Replay& replay_;
  const KernelRegions is_kernel_;
  std::vector<Kind> kinds_;           ///< of each region
  std::vector<std::uint64_t> units_;  ///< of each location's device: multiprocessors, 0 not known
  std::vector<bool> of_host_;         ///< each location's device operations are the host's intervals
  std::uint32_t host_op_id_, bytes_, grid_;
  std::uint64_t launch_ns_ = 0;  ///< what the host takes for one at most: its shortest interval of a kernel; 0: none
  bool is_concerned_ = false;
  std::unordered_map<LocationRef, Thread> threads_;
  std::unordered_map<LocationRef, Kernel> running_;                          ///< by stream
  std::unordered_map<std::uint32_t, Filling> fillings_;                      ///< by the streams' location group
  std::map<std::uint32_t, Integral> busy_;                                   ///< kernels that run, by process
  std::map<std::pair<std::uint32_t, std::uint64_t>, RegionRef> constructs_;  ///< of submits, by process and number
  std::map<RegionRef, Launches> launches_;                                   ///< by construct
  std::map<RegionRef, Sum> turns_, few_;                                     ///< by construct
  std::map<RegionRef, Sum> bursts_;                                          ///< by what copies
  std::vector<DataMovementRow> rows_;
};

}  // namespace tracer::report
