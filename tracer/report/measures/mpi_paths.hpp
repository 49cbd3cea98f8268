// SPDX-License-Identifier: BSD-3-Clause
// Takes the longest path (graph.hpp) from rank to rank: a receive goes on from its send, a collective operation from
// the members that it waits for, a send that has to wait from its receive, a window's synchronisation from its partner.
//
// What a call of MPI has waited for others is neither on a path nor work; the rest of it is both. That is known when
// the call is over at the latest, or shortly after, when those of the others are, too. A blocking probe does nothing
// but wait: which message it found shows long after, and the path goes on from its send to the call that receives it.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "tracer/replay/mpi/messages.hpp"
#include "tracer/replay/mpi/world.hpp"
#include "tracer/replay/replay.hpp"

namespace tracer::report {

class Graph;

/// Observes the replay after the graph, and after those that pass it messages and operations.
class MpiPaths final : public Observer, public MpiSink {
 public:
  MpiPaths(const Definitions& definitions, const Replay& replay, Graph& graph);
  bool is_concerned() const override { return world_.ranks() > 1; }
  void enter(LocationRef location, Task& task, const Frame& frame) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void finished(std::uint64_t time) override;

  void end(const MpiMessage& message, bool is_send) override;
  void message(const MpiMessage& message) override;
  void meeting(const MpiMeeting& meeting) override;
  void waited(const MpiWaited& waited) override;

  /// By the graph: time in a call of MPI. False: in none that is followed.
  bool take(LocationRef location, std::uint64_t from, std::uint64_t to);
  /// By the graph: the team that `task` forked at `begin` has ended, whose path is `path`. True: the task is in a call
  /// since, which has begun behind that path. Members may leave at the very time at which the call begins.
  bool join_before_call(const Task& task, std::uint64_t begin, const Path& path);

 private:
  /// A location's last call.
  struct Call {
    std::uint64_t enter = 0, leave = 0;
    bool is_open = false, is_settled = true, only_waits = false;
    TaskRef task;
    Path base;                                                    ///< of the task when it called
    Path cause;                                                   ///< of those that it waited for
    std::uint64_t cause_time = 0;                                 ///< when they came
    std::vector<std::pair<std::uint64_t, std::uint64_t>> inside;  ///< times in MPI itself
  };
  struct Arrival {
    std::uint64_t time;
    Path path;
  };
  struct Where {
    Call call;
    std::deque<Arrival> arrivals;  ///< its last calls
  };
  static constexpr std::size_t most_arrivals = 64;
  /// Of a trail.
  struct Stretch {
    LocationRef location;
    std::uint64_t from, to;
  };

  void settle(LocationRef location, std::uint64_t now);
  Trail with_last_of(const Trail& trail, std::uint64_t ns, Trail before, const std::vector<Stretch>& own) const;
  Trail with_inside(const Trail& trail, std::uint64_t enter, std::vector<Stretch> own) const;
  void begin_behind(Call& call, const Path& cause);
  void came_after(LocationRef location, std::uint64_t enter, std::uint64_t cause_time, const Path& cause);
  const Path* arrival(std::uint32_t rank, std::uint64_t time) const;
  LocationRef caller(std::uint32_t rank, std::uint64_t enter) const;

  const Definitions& definitions_;
  const Replay& replay_;
  Graph& graph_;
  MpiWorld world_;
  std::vector<bool> blocking_probes_;                ///< by region
  std::vector<Where> where_;                         ///< by location
  std::vector<std::vector<LocationRef>> locations_;  ///< that have called MPI, by rank
  std::unordered_map<std::uint64_t, Path> sent_;     ///< by the message's number
  struct Early {
    LocationRef location;
    std::uint64_t enter;  ///< of the call that receives
  };
  std::unordered_map<std::uint64_t, Early> too_early_;  ///< received before they were sent, likewise
};

}  // namespace tracer::report
