// SPDX-License-Identifier: BSD-3-Clause
// See distinct_times.hpp.
#include "tracer/convert/distinct_times.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tracer/base/text.hpp"
#include "tracer/error.hpp"
#include "tracer/event_source.hpp"
#include "tracer/time_properties.hpp"

namespace tracer {
namespace {

constexpr std::uint64_t ticks_per_ns = 64;
constexpr std::uint64_t longest = std::uint64_t{1} << 57;  ///< ns: of the clock's range a half

std::uint64_t to_ticks(std::uint64_t time, std::uint64_t begin) {
  return (time - std::min(time, begin)) * ticks_per_ns;
}

/// Times in properties count nanoseconds from the clock's zero, which is the trace's begin now: the process began
/// before.
void count_from(std::uint64_t begin, std::vector<Property>& all) {
  std::erase_if(all, [](const Property& one) { return properties::is_begin_of_process(one.name); });
  for (Property& one : all) {
    if (!properties::is_time(one.name)) continue;
    if (const std::optional<std::uint64_t> time = parse_number(one.value))
      one.value = std::to_string(*time - std::min(*time, begin));
  }
}

/// One count for all locations: in the order of the source's events.
class Spreader final : public EventVisitor {
 public:
  Spreader(EventVisitor& visitor, std::uint64_t begin) : visitor_{visitor}, begin_{begin} {}

  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override {
    if (event.time > begin_ && event.time - begin_ > longest)
      throw Error{"an event is more than four years behind the trace's begin: no room for parts of nanoseconds"};
    Event later = event;
    later.time = std::max(next_, to_ticks(event.time, begin_));
    if (event.type == EventType::buffer_flush) later.a = std::max(later.time, to_ticks(event.a, begin_));
    next_ = later.time + 1;
    visitor_.event(location, later, attributes);
  }

 private:
  EventVisitor& visitor_;
  std::uint64_t begin_, next_ = 0;
};

}  // namespace

DistinctTimes::DistinctTimes(EventSource& source) : SourceOver{source} {
  ClockProperties& clock = definitions_.clock;
  const std::uint64_t begin = clock.offset;
  clock.resolution *= ticks_per_ns;
  clock.offset = 0;
  clock.length *= ticks_per_ns;
  count_from(begin, definitions_.properties);
  for (LocationGroup& group : definitions_.groups_of_locations) count_from(begin, group.properties);
  for (Location& location : definitions_.locations) count_from(begin, location.properties);
  if (definitions_.part_begin != 0) definitions_.part_begin = to_ticks(definitions_.part_begin, begin);
  if (definitions_.part_end != ~Nanoseconds{0}) definitions_.part_end = to_ticks(definitions_.part_end, begin);
}

void DistinctTimes::read(EventVisitor& visitor) {
  Spreader spreader{visitor, source_.definitions().clock.offset};
  source_.read(spreader);
}

}  // namespace tracer
