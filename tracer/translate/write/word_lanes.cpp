// SPDX-License-Identifier: BSD-3-Clause
// What nests on a lane is entered and left in order of time.
#include "tracer/translate/write/word_lanes.hpp"

namespace tracer::translate {
namespace {

class LaneTranslator {
 public:
  LaneTranslator(const WordLane& lane, const Tables& tables, const Vocabulary& vocabulary, const ClockFit& clock,
                 LocationWriter& writer)
      : lane_(lane),
        tables_(tables),
        names_(vocabulary),
        clock_(clock),
        out_(writer, *tables.regions, lane.ranges.size()) {}

  LocationResult run() {
    for (const WordRange& range : lane_.ranges) {
      leave_until(range.begin);
      attributes(range);
      const RegionRef region =
          tables_.regions->use({range.name, Construct::range, false, static_cast<std::uint16_t>(range.sub & 0xf)});
      out_.add(clock_(range.begin), EventType::enter, region);
      open_.push_back({region, range.end});
    }
    leave_until(never);
    out_.flush();
    LocationResult result;
    result.first = out_.first();
    result.last = out_.last();
    result.events = out_.count();
    result.clamped = out_.clamped();
    result.used = std::move(out_.usage());
    return result;
  }

 private:
  void leave_until(Ticks time) {
    for (; !open_.empty() && open_.back().end <= time; open_.pop_back())
      out_.add(clock_(open_.back().end), EventType::leave, open_.back().region);
  }

  void attributes(const WordRange& range) {
    const auto known = names_.word_details.find(range.details);
    if (range.details != 0 && known != names_.word_details.end()) {
      if (known->second.category != undefined_ref) {
        out_.usage().string(known->second.category);
        out_.attribute(names_[Attribute::category], known->second.category);
      }
      if (known->second.has_color) out_.attribute(names_[Attribute::color], known->second.color);
    }
    if (range.sub >> 4 == 1) out_.attribute(names_[Attribute::payload], range.payload);
    if (range.sub >> 4 == 2) out_.attribute(names_[Attribute::payload_signed], range.payload);
  }

  struct Open {
    RegionRef region;
    Ticks end;
  };
  const WordLane& lane_;
  const Tables& tables_;
  const Vocabulary& names_;
  const ClockFit& clock_;
  EventBuffer out_;
  std::vector<Open> open_;
};

}  // namespace

LocationResult translate_lane(const WordLane& lane, const Tables& tables, const Vocabulary& vocabulary,
                              const ClockFit& clock, LocationWriter& writer) {
  return LaneTranslator(lane, tables, vocabulary, clock, writer).run();
}

}  // namespace tracer::translate
