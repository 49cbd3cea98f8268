// SPDX-License-Identifier: BSD-3-Clause
// Which calls of MPI begin a collective operation and return without its end: it failed, or an error handler has left
// the call by an exception. The archive has no begin of these. A call that never returns keeps its begin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracer/mpi_functions.hpp"
#include "tracer/record.hpp"

namespace tracer::translate {

/// Of a begin of mpi_call, in its field a.
inline constexpr std::uint32_t begins_collective = 1;

/// The records of one thread in their order, each of MPI's.
class CollectiveCalls {
 public:
  void record(const Record& r) {
    if (r.kind == RecordKind::mpi_rma) rma_ = r;
    if (r.kind == RecordKind::mpi_call && r.endpoint == Endpoint::begin && r.a == begins_collective) begin(r);
    if (r.kind == RecordKind::mpi_call && r.endpoint == Endpoint::end) end(r, false);
    if (r.kind == RecordKind::mpi_collective && r.endpoint == Endpoint::end) end(r, true);
  }
  /// The second half of a record of mpi_rma.
  void more(const Record& r) {
    if (rma_.kind != RecordKind::mpi_rma) return;
    const auto step = static_cast<RmaStep>(r.a & 0xff);
    if (step == RmaStep::collective_begin) begin(rma_);
    if (step == RmaStep::collective_end) end(rma_, true);
    rma_ = {};
  }
  /// When each of them began, in order.
  std::vector<Ticks> take_failed() {
    std::sort(failed_.begin(), failed_.end());
    return std::move(failed_);
  }

 private:
  void begin(const Record& r) { open_.push_back({r.time, r.sub}); }
  /// A call inside another is of another function, or one that begins an operation as well.
  void end(const Record& r, bool is_done) {
    if (open_.empty() || open_.back().function != r.sub) return;
    if (!is_done) failed_.push_back(open_.back().since);
    open_.pop_back();
  }

  struct Open {
    Ticks since = 0;
    std::uint16_t function = 0;
  };
  std::vector<Open> open_;
  std::vector<Ticks> failed_;
  Record rma_{};
};

}  // namespace tracer::translate
