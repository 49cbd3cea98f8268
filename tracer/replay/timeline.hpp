// SPDX-License-Identifier: BSD-3-Clause
// Makes slices, arrows and counters (include/tracer/timeline.hpp) out of a trace that is replayed.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "tracer/replay/attributes.hpp"
#include "tracer/replay/bounded_map.hpp"
#include "tracer/replay/mpi/messages.hpp"
#include "tracer/replay/open_copies.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/timeline.hpp"

namespace tracer::report {

class Timeline final : public Observer {
 public:
  Timeline(const Definitions& definitions, TimelineVisitor& visitor);
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void not_recorded(LocationRef location, std::uint64_t from, std::uint64_t to) override;
  void enter(LocationRef location, Task& task, const Frame& frame) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void task_created(LocationRef location, Task& creator, Task& task) override;
  void task_started(LocationRef location, Task& task) override;
  void task_switched(LocationRef location, Task& from, Task& to, std::uint64_t time) override;
  void task_completed(LocationRef location, Task& task, std::uint64_t time) override;
  void finished(std::uint64_t time) override;

 private:
  struct Open {
    Slice slice;
    const Task* owner;
    std::uint64_t task = 0;  ///< number of the task that is to be created in it; 0: none, or that one was created
  };
  struct Origin {
    LocationRef location;
    std::uint64_t time;
  };
  struct Created {
    std::uint64_t number;
    Origin from;
    bool is_drawn;  ///< it has had its first slice, where its flow ends
  };
  struct Submit {
    Origin from;
    std::uint64_t flow = 0;  ///< 0: none begins there
  };
  void push(LocationRef location, const Task& task, std::uint32_t name, std::uint64_t time, bool continues);
  void pop(LocationRef location, std::uint64_t time, bool suspended);
  /// `upcoming`: it is of the slice that the next push opens.
  void device_operation(LocationRef location, std::uint64_t id, std::uint64_t time, ArrowKind kind, bool upcoming);

  void begin_phase(LocationRef location, RegionRef region, std::uint64_t time);
  void end_phase(LocationRef location, RegionRef region, std::uint64_t time);

  const Definitions& definitions_;
  TimelineVisitor& visitor_;
  std::vector<std::uint32_t> process_;  ///< of each location
  std::vector<std::vector<Open>> open_;
  std::unordered_map<OwnNumber, Submit, OwnNumber::Hash> submits_;  ///< by process and host_op_id
  OpenCopies<Slice> copies_;
  std::unordered_map<const Task*, Created> tasks_;
  struct OpenBand {
    Band band;
    std::uint64_t inside = 0;  ///< executions
  };
  std::map<std::pair<std::uint32_t, RegionRef>, OpenBand> bands_;  ///< by process and phase
  std::map<std::uint32_t, std::vector<bool>> lanes_;               ///< of each process: taken
  std::vector<bool> is_phase_;                                     ///< by region
  std::vector<bool> creates_task_;                                 ///< by region
  std::vector<std::uint64_t> flow_;                                ///< of each location's next slice
  std::uint64_t next_task_ = 1, next_flow_ = 1;
  Bound few_submits_{std::size_t{1} << 20};
  HostOperationIds host_operations_;
  std::uint32_t correlation_;
};

/// Messages of MPI for the same visitor; the observer is to be added to the replay as well.
class TimelineMessages final : private MpiSink {
 public:
  TimelineMessages(const Definitions& definitions, const Replay& replay, TimelineVisitor& visitor)
      : visitor_{visitor}, messages_{definitions, replay, *this} {}
  MpiMessages& observer() { return messages_; }

 private:
  void end(const MpiMessage& message, bool is_send) override;
  void lone_end(const MpiMessage& message, bool is_send) override { end(message, is_send); }
  void message(const MpiMessage& message) override;

  TimelineVisitor& visitor_;
  MpiMessages messages_;
};

}  // namespace tracer::report
