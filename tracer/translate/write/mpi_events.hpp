// SPDX-License-Identifier: BSD-3-Clause
// What MPI's wrappers recorded: calls are regions, and messages, requests, collective operations and communicators
// events between their Enter and Leave. Everything stands on the thread that called.
#pragma once

#include "tracer/translate/scan/collective_calls.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/region_events.hpp"

namespace tracer::translate {

class MpiEvents {
 public:
  MpiEvents(WriteContext& context, RegionEvents& regions) : context_(context), regions_(regions) {}

  void call(const Record& r, Nanoseconds t);
  void request(const Record& r, Nanoseconds t);
  void comm(const Record& r, Nanoseconds t);
  /// Messages, ends of collective operations, one-sided ones, input and output, whose rest is in the next record.
  static constexpr bool is_pair(RecordKind kind) noexcept {
    return kind == RecordKind::mpi_send || kind == RecordKind::mpi_recv || kind == RecordKind::mpi_collective ||
           kind == RecordKind::mpi_rma || kind == RecordKind::mpi_io;
  }
  void pair(const Record& first, const Record& more, Nanoseconds t);

 private:
  /// Of the collective operation that began there: CollectiveCalls.
  bool has_failed(const Record& begin) const;
  bool is_left_out() const noexcept { return context_.tables.excluded.all_mpi; }
  void one_sided(const Record& r, const Record& more, Nanoseconds t);
  void io(const Record& r, const Record& more, Nanoseconds t);

  WriteContext& context_;
  RegionEvents& regions_;
};

}  // namespace tracer::translate
