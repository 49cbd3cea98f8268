// SPDX-License-Identifier: BSD-3-Clause
// The records of one CPU thread become its events, each behind what is due before it: ends that come late or never,
// pauses, releases without a record, what waited for the next record.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tracer/trace_source.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/event_buffer.hpp"
#include "tracer/translate/write/fast_path.hpp"
#include "tracer/translate/write/record_events.hpp"

namespace tracer::translate {

struct LocationResult {
  Nanoseconds first = 0, last = 0;
  std::uint64_t events = 0, clamped = 0;
  Repairs repairs;  ///< what was closed, moved or ignored
  Usage used;
  Balance balance;
  bool is_inside = false;  ///< the last record leaves the thread in a team or in a construct
};

/// What was written through a buffer that is flushed; its usage goes with it.
inline LocationResult result_of(EventBuffer& out) {
  LocationResult result;
  result.first = out.batch().first();
  result.last = out.last();
  result.events = out.batch().count();
  result.clamped = out.batch().clamped();
  result.used = std::move(out.usage());
  return result;
}

class LocationTranslator {
 public:
  LocationTranslator(const Tables& tables, const Journal& journal, const Vocabulary& vocabulary, const ClockFit& clock,
                     ChannelId channel, LocationWriter& writer);
  /// Translates the whole channel; the writer is flushed, not closed.
  LocationResult run(RecordReader& records);
  /// The thread ended while its process went on.
  bool has_ended() const noexcept;
  /// In a first writing, to nowhere: ranges that do not nest are put here (annotation_events.hpp).
  void find_strays(std::vector<StrayRange>& found) noexcept { events_.words.find_strays(found); }

 private:
  void begin();
  void record(const Record& r);
  void translate(const Record& r);
  Ticks last_moment() const;
  bool is_inside() const;
  void finish();

  // What is due before a record
  /// Before this time nothing is looked at but the record itself. It is all that fast path and common way share, and
  /// both go by it: what is due and not counted here is never done.
  Ticks next_due() const noexcept;
  Ticks next_release() const noexcept;
  Ticks next_toggle() const noexcept;
  /// Does what is due before the record, and returns its time as it is meant.
  Ticks do_due(const Record& r);
  void pass_limits(Ticks when);
  void toggle(Ticks until);
  void release_implied(Ticks before, const Record* next);
  bool is_last_before(Ticks time) const;
  void write_waits();
  /// The time's, or the last event's.
  Nanoseconds not_before_last(Ticks time) const { return std::max(context_.clock(time), context_.out.last()); }

  WriteContext context_;
  RecordEvents events_;
  FastPath fast_;
  const bool is_first_;        ///< the location that begins and ends the program
  Ticks due_ = 0;              ///< next_due()
  std::vector<Record> waits_;  ///< for the drainer, not yet written
  std::size_t next_toggle_ = 0;
  bool was_inside_ = false;  ///< LocationResult::is_inside
};

}  // namespace tracer::translate
