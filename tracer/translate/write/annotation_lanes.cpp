// SPDX-License-Identifier: BSD-3-Clause
// What nests on a lane is entered and left in order of time.
#include "tracer/translate/write/annotation_lanes.hpp"

#include "tracer/translate/write/annotation_attributes.hpp"

namespace tracer::translate {
namespace {

class LaneTranslator {
 public:
  LaneTranslator(const AnnotationLane& lane, const Tables& tables, const Vocabulary& vocabulary, const ClockFit& clock,
                 LocationWriter& writer)
      : lane_(lane),
        tables_(tables),
        names_(vocabulary),
        clock_(clock),
        out_(writer, *tables.regions, lane.ranges.size()) {}

  LocationResult run() {
    for (const AnnotationRange& range : lane_.ranges) {
      leave_until(range.begin);
      add_word_attributes(out_, names_, range.details, range.sub, range.payload);
      const RegionRef region =
          tables_.regions->use({range.name, Construct::range, false, static_cast<std::uint16_t>(range.sub & 0xf)});
      out_.enter(clock_(range.begin), region);
      open_.push_back({region, range.end});
    }
    leave_until(never);
    out_.flush();
    return result_of(out_);
  }

 private:
  void leave_until(Ticks time) {
    for (; !open_.empty() && open_.back().end <= time; open_.pop_back())
      out_.leave(clock_(open_.back().end), open_.back().region);
  }

  struct Open {
    RegionRef region;
    Ticks end;
  };
  const AnnotationLane& lane_;
  const Tables& tables_;
  const Vocabulary& names_;
  const ClockFit& clock_;
  EventBuffer out_;
  std::vector<Open> open_;
};

}  // namespace

LocationResult translate_lane(const AnnotationLane& lane, const Tables& tables, const Vocabulary& vocabulary,
                              const ClockFit& clock, LocationWriter& writer) {
  return LaneTranslator(lane, tables, vocabulary, clock, writer).run();
}

}  // namespace tracer::translate
