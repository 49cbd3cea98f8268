// SPDX-License-Identifier: BSD-3-Clause
// What an archive cannot say, by its own properties about how it was recorded: from the absence of what nobody recorded
// follows nothing. Archives without those properties are taken to have everything.
#pragma once

#include <cstdint>
#include <string>

#include "tracer/base/config.hpp"
#include "tracer/definitions.hpp"

namespace tracer::report {

struct NotRecorded {
  /// RecordGroup: tasks, sync, work, mutex and target, of what threads do and wait for. `sync` is recorded where
  /// `wait` is.
  std::uint32_t groups = 0;
  /// By `tracer attach` and `tracer snapshot`, which see less than the tool, and stop threads for it.
  bool from_outside = false;
  bool ranks = false;        ///< processes of the job are left out (--ranks), or left no trace: what others wait for
  bool is_cut = false;       ///< of a process that was killed: what it did last
  std::uint64_t events = 0;  ///< that are missing, at least
  std::string filter;        ///< that leaves regions out; "" none
  bool lacks(std::uint32_t any_of) const { return (groups & any_of) != 0; }
  /// Whether work looks like waiting, or waiting like work.
  bool misleads() const { return (groups & ~std::uint32_t{record_work}) != 0; }
  std::string names() const;         ///< "tasks, barriers"
  std::string consequences() const;  ///< a sentence for each
};

/// Of a job: what any of its processes lacks.
NotRecorded what_is_not_recorded(const Definitions& definitions);

}  // namespace tracer::report
