// SPDX-License-Identifier: BSD-3-Clause
// Locks, critical regions, ordered and atomic: who waited how long, and for how long they were held.
#pragma once

#include <unordered_map>

#include "tracer/report/replay.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

class Locks final : public Observer {
 public:
  explicit Locks(const Definitions& definitions, const Replay& replay) : definitions_{definitions}, replay_{replay} {}
  unsigned told() const override { return of_events; }
  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override;
  void fill(Report& report) const;

 private:
  struct Entry {
    LockRow row;
    RegionRef region = undefined_ref;
    std::uint64_t acquired = 0, released = 0;
  };
  const Definitions& definitions_;
  const Replay& replay_;
  std::unordered_map<std::uint64_t, Entry> locks_;
};

}  // namespace tracer::report
