// SPDX-License-Identifier: BSD-3-Clause
// Puts the ranks' parts of each collective operation together, and finds who waited for whom.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "tracer/replay/mpi/messages.hpp"
#include "tracer/report/mpi/rounds.hpp"

namespace tracer::report {

/// The n-th operation on a communicator is one and the same for all its ranks; blocking and non-blocking ones are
/// counted apart, the latter in the order of their begin. Of operations among neighbours, between two groups and of one
/// process nobody waits for all: they are only counted. MPI_Finalize is a barrier where all are in it at a time.
class MpiCollectives final : public Observer {
 public:
  MpiCollectives(const Definitions& definitions, const Replay& replay, MpiSink& sink);
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void finished(std::uint64_t time) override;

  std::uint64_t complete() const { return complete_; }
  std::uint64_t incomplete() const { return incomplete_; }  ///< a member did not come, or is unknown
  /// Communicators whose members did different operations at a time: what follows there is not looked at.
  std::uint64_t out_of_step() const;

 private:
  struct Operation {
    std::uint16_t kind = 0;              ///< MpiOperation
    std::uint32_t root = undefined_ref;  ///< in the communicator
    bool operator==(const Operation&) const = default;
  };
  struct Instance {
    Operation what;
    bool done = false;
    std::vector<MpiPart> parts;
  };
  /// A non-blocking operation of a process. They are reported when they are over, and counted as they begin.
  struct Begun {
    std::uint64_t request = 0;
    CommRef comm = undefined_ref;
    Operation what;
    bool over = false;
    MpiPart part;
  };
  static constexpr std::size_t most_open = 1024;  ///< instances of a series, and begun operations of a process

  void complete(std::uint32_t rank, const Frame* call, const Event& event, std::uint64_t request, std::uint32_t root);
  void add(CommRef comm, bool blocking, const Operation& what, const MpiPart& part);
  void look_at(CommRef comm, Instance& instance);
  void wait(MpiWait kind, const MpiPart& mine, const MpiPart& other);
  static const MpiPart& last_for(const MpiPart& mine, const std::vector<MpiPart>& by_arrival);
  bool is_among_neighbours(RegionRef region) const;
  bool is_end_of_mpi(const std::vector<MpiPart>& parts) const;

  const Replay& replay_;
  const Definitions& definitions_;
  MpiSink& sink_;
  MpiWorld world_;
  std::unordered_map<std::uint64_t, MpiRounds<Instance>> series_;  ///< by comm * 2 + blocking
  std::unordered_map<std::uint32_t, std::deque<Begun>> begun_;     ///< by rank
  std::uint64_t complete_ = 0, incomplete_ = 0;
};

}  // namespace tracer::report
