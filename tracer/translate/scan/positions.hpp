// SPDX-License-Identifier: BSD-3-Clause
// Positions in the program, where the runtime gives its own instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/base/address_ranges.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/record.hpp"
#include "tracer/record_table.hpp"
#include "tracer/translate/regions/constructs.hpp"
#include "tracer/translate/scan/growing_table.hpp"
#include "tracer/translate/scan/unplaced_loop.hpp"

namespace tracer::translate {

/// The code of the OpenMP runtimes of a run, of their libraries for target regions, and of libffi, by which these call
/// target regions on the host.
using RuntimeCode = AddressRanges;

/// A position inside the runtime is useless and becomes 0: where the compiler made a tail call of
/// the runtime's function, libomp sees its own caller. For a taskloop and the tasks it makes libomp
/// (to 22) always gives its own: the taskgroup around it, which has the program's, stands in.
/// A loop without a position has that of its end, where the scan found one.
/// The scan and the writing show it every record of a taskgroup, and every other whose position they look at; the
/// writing also every loop without a position, in order.
class PositionMender {
 public:
  /// The code and the loops must outlive it.
  explicit PositionMender(const RuntimeCode& runtime, const GrowingTable<UnplacedLoop>* loops = nullptr)
      : runtime_(runtime), loops_(loops) {}
  /// Calls body with the record, or with a mended copy of it.
  template <class Body>
  void mend(const Record& r, Body&& body) {
    if (r.kind == RecordKind::sync_region && r.sub == sync_kind::taskgroup) note_taskgroup(r);
    const bool is_unplaced = loops_ != nullptr && is_loop_without_codeptr(r);
    if (!is_unplaced && (!runtime_.contains(r.c) || !has_position(r.kind))) return body(r);
    Record mended = r;
    if (is_unplaced)
      mended.c = end_of_loop(r.time);
    else
      mended.c = r.kind == RecordKind::work || r.kind == RecordKind::task_create ? innermost_taskgroup() : 0;
    body(mended);
  }

 private:
  static constexpr bool has_position(RecordKind kind) noexcept {
    return record_table[static_cast<std::size_t>(kind)].c == "codeptr_ra" || kind == RecordKind::more;
  }
  /// A task that runs where it is made has taskgroups of its own, which end before the next is made.
  void note_taskgroup(const Record& r) {
    if (r.endpoint == Endpoint::begin) {
      if (taskgroups_.size() < deepest) taskgroups_.push_back(runtime_.contains(r.c) ? 0 : r.c);
    } else if (!taskgroups_.empty()) {
      taskgroups_.pop_back();
    }
  }
  std::uint64_t end_of_loop(Ticks begin) {
    while (next_loop_ < loops_->size() && (*loops_)[next_loop_].begin < begin) ++next_loop_;
    if (next_loop_ == loops_->size() || (*loops_)[next_loop_].begin != begin) return 0;
    return (*loops_)[next_loop_++].codeptr;
  }
  std::uint64_t innermost_taskgroup() const { return taskgroups_.empty() ? 0 : taskgroups_.back(); }

  static constexpr std::size_t deepest = 4096;  // of a damaged trace
  const RuntimeCode& runtime_;
  const GrowingTable<UnplacedLoop>* loops_;
  std::size_t next_loop_ = 0;
  std::vector<std::uint64_t> taskgroups_;
};

}  // namespace tracer::translate
