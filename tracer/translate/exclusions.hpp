// SPDX-License-Identifier: BSD-3-Clause
// What an archive of this trace cannot have, as its threads contradict each other there: found by judging an archive
// that was written (convert/check_repaired.hpp), left out of the next.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "tracer/definitions.hpp"
#include "tracer/translate/repairs.hpp"

namespace tracer::translate {

struct Exclusions {
  /// As events name it.
  struct Task {
    std::string team;  ///< name of its communicator
    std::uint32_t creator = 0;
    std::uint64_t number = 0;
    auto operator<=>(const Task&) const = default;
  };
  std::set<Task> tasks;
  std::set<std::pair<LocationRef, Nanoseconds>> teams;  ///< by the thread that forked, and when
  std::set<std::uint64_t> locks;                        ///< by their numbers in events
  std::set<std::uint64_t> requests;                     ///< of MPI
  /// All of a kind, where leaving out one after the other does not come to an end.
  bool all_tasks = false, all_teams = false, all_locks = false, all_mpi = false, all_devices = false;
  /// What is not left out, and counted.
  Repairs found;

  bool have_tasks() const noexcept { return all_tasks || !tasks.empty(); }
  bool have_lock(std::uint64_t lock) const noexcept { return all_locks || (!locks.empty() && locks.contains(lock)); }
  bool have_request(std::uint64_t request) const noexcept { return !requests.empty() && requests.contains(request); }
  /// The archive lacks something of the kind that it promises.
  bool leave_out() const noexcept {
    return have_tasks() || all_teams || !teams.empty() || all_locks || !locks.empty() || all_mpi || !requests.empty() ||
           all_devices;
  }
};

}  // namespace tracer::translate
