// SPDX-License-Identifier: BSD-3-Clause
// Where the translator's input comes from: a raw trace on disk, or records that a test made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tracer/device_record.hpp"
#include "tracer/journal.hpp"
#include "tracer/record.hpp"

namespace tracer {

/// Kinds of records that may say nothing about what their thread does, and come between a fork and its team's begin, or
/// between that team's end and the join. All others say that the thread has gone on.
constexpr bool may_be_aside(RecordKind kind) noexcept {
  return kind == RecordKind::thread_begin || kind == RecordKind::thread_end || kind == RecordKind::control_tool ||
         kind == RecordKind::error || kind == RecordKind::ring_wait || kind == RecordKind::more;
}

constexpr bool is_aside(const Record& r) noexcept {
  constexpr std::uint64_t end = 4;  // omp_control_tool_t: the first with a meaning are start, pause, flush and end
  return may_be_aside(r.kind) && (r.kind != RecordKind::control_tool || (r.b != 0 && r.b <= end));
}

/// For readers who look for what is new: records that repeat an earlier one are counted instead of returned.
/// By kind and endpoint, `kind | endpoint << 6`.
struct Repeats {
  static constexpr std::size_t index(const Record& record) noexcept {
    return (static_cast<std::size_t>(record.kind) & 63) | (static_cast<std::size_t>(record.endpoint) & 3) << 6;
  }
  /// Set by the caller: another record like the last one that it got of this kind and endpoint, with the
  /// same sub and c, is of no interest. Cleared by the reader when one comes that differs.
  std::array<bool, 256> skip{};
  std::array<std::uint64_t, 256> skipped{};  ///< how many were not returned
  Ticks latest = 0;                          ///< the largest time of those
  /// The last record returned, but for those aside, is a fork or the end of an implicit task: whatever comes next is
  /// returned, since it says that a team's begin or a join is missing.
  bool expects_team = false;
  constexpr bool expects_team_behind(RecordKind kind, Endpoint endpoint) const noexcept {
    if (may_be_aside(kind)) return expects_team;
    const bool ends = kind == RecordKind::implicit_task || kind == RecordKind::initial_task;
    return kind == RecordKind::parallel_begin || (ends && endpoint == Endpoint::end);
  }
};

/// A channel's records in the order in which they were written. Not to be shared between threads.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  /// The next batch; empty at the end. Valid until the next call. A `more` record is never the
  /// first of a batch. Throws tracer::Error on damaged input that cannot be skipped.
  virtual std::span<const Record> next() = 0;
  /// As next(), but may leave out what `repeats` says. The otherwise unused `a` of a mutex_released is then how many
  /// ticks before it the channel's last record was, returned or not; 0: not told.
  virtual std::span<const Record> next_new(Repeats& repeats) {
    (void)repeats;
    return next();
  }
};

/// One run's records and journal. The const members may be called by several threads at once;
/// each channel can be read more than once.
class TraceSource {
 public:
  virtual ~TraceSource() = default;
  virtual const Journal& journal() const = 0;
  virtual std::unique_ptr<RecordReader> records(ChannelId channel) const = 0;
  /// Device records in the order of arrival, in batches; `next` returns empty at the end.
  class DeviceReader {
   public:
    virtual ~DeviceReader() = default;
    virtual std::span<const DeviceRecord> next() = 0;
  };
  virtual std::unique_ptr<DeviceReader> device_records() const = 0;
};

}  // namespace tracer
