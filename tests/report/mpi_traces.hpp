// SPDX-License-Identifier: BSD-3-Clause
// Builds traces of MPI jobs, call by call.
#pragma once

#include <map>

#include "tests/report/trace_builder.hpp"
#include "tracer/mpi_functions.hpp"

namespace tracer::test {

/// Operations of MPI by the numbers that events have. A namespace of its own: regions of traces have such names, too.
namespace collectives {
inline constexpr auto barrier = static_cast<unsigned>(MpiOperation::barrier),
                      broadcast = static_cast<unsigned>(MpiOperation::bcast),
                      allreduce = static_cast<unsigned>(MpiOperation::allreduce),
                      reduce = static_cast<unsigned>(MpiOperation::reduce),
                      scan = static_cast<unsigned>(MpiOperation::scan),
                      destroy_handle = static_cast<unsigned>(MpiOperation::destroy_handle);
}  // namespace collectives

/// `ranks` processes of `threads` threads each: location rank * threads + thread. Communicators: 0 is each process' own
/// team, 1 MPI_COMM_WORLD.
class MpiJob {
 public:
  explicit MpiJob(unsigned ranks, unsigned threads = 1) : trace{ranks * threads}, threads_{threads} {
    Definitions& d = trace.editable();
    d.groups_of_locations.clear();
    Group all{"", GroupKind::comm_locations, Paradigm::mpi, {}}, world{"", GroupKind::comm_group, Paradigm::mpi, {}};
    for (unsigned rank = 0; rank < ranks; ++rank) {
      d.groups_of_locations.push_back(
          {"MPI Rank " + std::to_string(rank), LocationGroupKind::process, 1, undefined_ref, {}});
      all.members.push_back(rank * threads);
      world.members.push_back(rank);
      for (unsigned thread = 0; thread < threads; ++thread) {
        Location& location = d.locations[rank * threads + thread];
        location.group = rank;
        location.name = thread == 0 ? "Master thread" : "OMP thread " + std::to_string(thread);
      }
    }
    d.groups.push_back(all);
    d.groups.push_back(world);
    d.comms.push_back({"MPI_COMM_WORLD", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
  }

  LocationRef master(unsigned rank) const { return rank * threads_; }
  void program(unsigned rank, std::uint64_t from, std::uint64_t to) {
    trace.simple(master(rank), from, EventType::program_begin, 0, 1);
    ends_[rank] = to;
  }
  /// After the last call.
  TraceBuilder& finish() {
    for (const auto& [rank, end] : ends_) trace.simple(master(rank), end, EventType::program_end);
    return trace;
  }

  /// One region for each function and line.
  RegionRef function(const std::string& name, unsigned line, RegionRole role = RegionRole::point2point) {
    const auto [found, is_new] = functions_.emplace(std::pair{name, line}, 0);
    if (is_new) {
      found->second = static_cast<RegionRef>(trace.definitions().regions.size());
      trace.editable().regions.push_back(
          {name + " @app.c:" + std::to_string(line), name, "main", role, Paradigm::mpi, "/src/app.c", line, line});
    }
    return found->second;
  }

  void send(unsigned from, unsigned to, std::uint64_t enter, std::uint64_t leave, unsigned line, std::uint64_t bytes,
            std::uint32_t tag = 7) {
    const RegionRef region = function("MPI_Send", line);
    trace.enter(master(from), enter, region);
    trace.simple(master(from), enter, EventType::mpi_send, 1, bytes, to | std::uint64_t{tag} << 32);
    trace.leave(master(from), leave, region);
  }
  void receive(unsigned to, unsigned from, std::uint64_t enter, std::uint64_t leave, unsigned line, std::uint64_t bytes,
               std::uint32_t tag = 7) {
    const RegionRef region = function("MPI_Recv", line);
    trace.enter(master(to), enter, region);
    trace.simple(master(to), leave, EventType::mpi_recv, 1, bytes, from | std::uint64_t{tag} << 32);
    trace.leave(master(to), leave, region);
  }
  void isend(unsigned from, unsigned to, std::uint64_t time, unsigned line, std::uint64_t bytes,
             std::uint64_t request) {
    const RegionRef region = function("MPI_Isend", line);
    trace.enter(master(from), time, region);
    event(from, {time, EventType::mpi_isend, 0, 0, 1, bytes, to | std::uint64_t{7} << 32},
          EventAttribute::payload(0, request));
    trace.leave(master(from), time, region);
  }
  void irecv(unsigned rank, std::uint64_t time, unsigned line, std::uint64_t request) {
    const RegionRef region = function("MPI_Irecv", line);
    trace.enter(master(rank), time, region);
    trace.simple(master(rank), time, EventType::mpi_irecv_request, 0, request);
    trace.leave(master(rank), time, region);
  }
  /// What a call of MPI_Waitall finds at its end.
  void isend_is_over(unsigned rank, std::uint64_t time, std::uint64_t request) {
    trace.simple(master(rank), time, EventType::mpi_isend_complete, 0, request);
  }
  void irecv_is_over(unsigned rank, std::uint64_t time, unsigned from, std::uint64_t bytes, std::uint64_t request) {
    event(rank, {time, EventType::mpi_irecv, 0, 0, 1, bytes, from | std::uint64_t{7} << 32},
          EventAttribute::payload(0, request));
  }
  void collective(unsigned rank, std::uint64_t enter, std::uint64_t leave, const std::string& name, unsigned line,
                  unsigned operation, std::uint32_t root = 0xffffffffu, CommRef comm = 1) {
    const RegionRef region = function(name, line, RegionRole::coll_other);
    trace.enter(master(rank), enter, region);
    trace.simple(master(rank), enter, EventType::mpi_collective_begin);
    event(rank, {leave, EventType::mpi_collective_end, 0, static_cast<std::uint16_t>(operation), comm, 8, 8},
          EventAttribute::payload(root, 0));
    trace.leave(master(rank), leave, region);
  }
  void event(unsigned rank, const Event& event, EventAttribute payload) { trace.add(master(rank), event, {payload}); }

  TraceBuilder trace;

 private:
  unsigned threads_;
  std::map<std::pair<std::string, unsigned>, RegionRef> functions_;
  std::map<unsigned, std::uint64_t> ends_;
};

/// A ring of ranks with teams of threads: in each step of 10 ms all work, the last rank 2 ms longer; each sends to the
/// next and receives from the one before, and then all meet at a barrier. The next of the last waits 2 ms for its
/// message.
inline MpiJob ring(unsigned ranks, unsigned threads, unsigned steps) {
  MpiJob job{ranks, threads};
  TraceBuilder& trace = job.trace;
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  constexpr std::uint64_t begin = 1'000'000, step = 10 * ms;
  Definitions& d = trace.editable();
  const auto teams = static_cast<CommRef>(d.comms.size());
  for (unsigned rank = 0; rank < ranks; ++rank) {
    Group team{"", GroupKind::comm_group, Paradigm::openmp, {}};
    for (unsigned thread = 0; thread < threads; ++thread) team.members.push_back(rank * threads + thread);
    d.groups.push_back(team);
    d.comms.push_back({"", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
    job.program(rank, begin, begin + steps * step);
  }
  for (unsigned i = 0; i < steps; ++i) {
    const std::uint64_t at = begin + i * step;
    for (unsigned rank = 0; rank < ranks; ++rank) {
      const LocationRef master = job.master(rank);
      const bool is_late = rank + 1 == ranks;
      const std::uint64_t worked = at + (is_late ? 7 : 5) * ms, received = rank == 0 ? at + 7 * ms : worked;
      trace.simple(master, at, EventType::thread_fork, 0, threads);
      for (LocationRef thread = master; thread < master + threads; ++thread) {
        trace.simple(thread, at, EventType::team_begin, teams + rank);
        trace.enter(thread, at, parallel);
        trace.leave(thread, worked, parallel);
        trace.simple(thread, worked, EventType::team_end, teams + rank);
      }
      trace.simple(master, worked, EventType::thread_join);
      job.send(rank, (rank + 1) % ranks, worked, worked, 30, 1000 + rank);
      const unsigned before = (rank + ranks - 1) % ranks;
      job.receive(rank, before, worked, received, 31, 1000 + before);
      job.collective(rank, received, at + 8 * ms, "MPI_Barrier", 32, collectives::barrier);
    }
  }
  job.finish();
  return job;
}

}  // namespace tracer::test
