// SPDX-License-Identifier: BSD-3-Clause
// Reading a channel without the records that repeat an earlier one: an interface between the translator's scan and the
// readers of raw traces, which need not unpack records without new information.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tracer/ompt_values.hpp"
#include "tracer/record.hpp"

namespace tracer {

/// Kinds of records that may contain no information on the thread's position, and may occur between a fork and its
/// team's begin, or between that team's end and the join. All others imply that the thread has continued.
constexpr bool may_be_neutral(RecordKind kind) noexcept {
  return kind == RecordKind::thread_begin || kind == RecordKind::thread_end || kind == RecordKind::control_tool ||
         kind == RecordKind::error || kind == RecordKind::ring_wait || kind == RecordKind::more;
}

constexpr bool is_neutral(const Record& r) noexcept {
  return may_be_neutral(r.kind) && (r.kind != RecordKind::control_tool || (r.b != 0 && r.b <= control_command::end));
}

/// For readers that need only new information: repeated records are counted instead of returned.
/// By kind and endpoint, `kind | endpoint << 6`.
struct Repeats {
  static constexpr std::size_t index(const Record& record) noexcept {
    return (static_cast<std::size_t>(record.kind) & 63) | (static_cast<std::size_t>(record.endpoint) & 3) << 6;
  }
  /// The caller sets it to skip further records like the last one of this kind and endpoint, with the same
  /// sub and c. The reader clears it at a different record.
  std::array<bool, 256> skip{};
  std::array<std::uint64_t, 256> skipped{};  ///< number of skipped records
  Ticks latest = 0;                          ///< the largest time of skipped records
  /// The last returned record, except neutral ones, is a fork or the end of an implicit task: the next record is
  /// returned in any case, since it shows that a team's begin or a join is missing.
  bool expects_team = false;
  constexpr bool expects_team_behind(RecordKind kind, Endpoint endpoint) const noexcept {
    if (may_be_neutral(kind)) return expects_team;
    const bool ends = kind == RecordKind::implicit_task || kind == RecordKind::initial_task;
    return kind == RecordKind::parallel_begin || (ends && endpoint == Endpoint::end);
  }
};

}  // namespace tracer
