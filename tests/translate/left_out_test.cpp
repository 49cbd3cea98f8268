// SPDX-License-Identifier: BSD-3-Clause
// A filter takes the parameters of its regions with them, and no others.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tracer/event_sink.hpp"
#include "tracer/left_out.hpp"
#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/write/left_out.hpp"

using namespace tracer;
using Numbers = std::vector<std::uint64_t>;

namespace {

constexpr std::uint32_t loop = 1, inner = 2;

Event event_of(EventType type, std::uint32_t ref, std::uint64_t a = 0) {
  return {1, type, 0, 0, ref, a, 0};
}

/// A loop that has a parameter at its begin, 10, and one at its end, 20, and in it a region with one at its begin, 30.
std::vector<Event> loop_with_region_inside() {
  return {event_of(EventType::enter, loop),  event_of(EventType::parameter_uint, 0, 10),
          event_of(EventType::enter, inner), event_of(EventType::parameter_uint, 0, 30),
          event_of(EventType::leave, inner), event_of(EventType::parameter_uint, 0, 20),
          event_of(EventType::leave, loop)};
}

/// The parameters that remain.
Numbers parameters_without(std::uint32_t region, const std::vector<Event>& events) {
  LeftOutEvents left_out;
  Numbers kept;
  const auto keep = [&](const Event& e, std::span<const EventAttribute> attributes) {
    if (e.type == EventType::parameter_uint) kept.push_back(e.a);
    CHECK(attributes.size() == 1);
  };
  const EventAttribute attribute{3, 4};
  for (const Event& e : events)
    left_out.pass(
        e, {&attribute, 1}, [region](std::uint32_t ref) { return ref == region; }, keep);
  left_out.finish(keep);
  return kept;
}

struct Collected final : LocationWriter {
  void write(std::span<const Event> all, std::span<const EventAttribute>) override {
    events.insert(events.end(), all.begin(), all.end());
  }
  void close() override {}
  std::vector<Event> events;
};

}  // namespace

TEST_CASE("a parameter at a region's end goes with it, whatever was inside") {
  CHECK(parameters_without(inner, loop_with_region_inside()) == Numbers{10, 20});
  CHECK(parameters_without(loop, loop_with_region_inside()) == Numbers{30});
  CHECK(parameters_without(99, loop_with_region_inside()) == Numbers{10, 30, 20});
}

TEST_CASE("a parameter that no Leave follows is of the region before it") {
  std::vector<Event> events = loop_with_region_inside();
  events.back() = event_of(EventType::enter, 5);
  CHECK(parameters_without(inner, events) == Numbers{10});
  CHECK(parameters_without(loop, events) == Numbers{30, 20});
  events.pop_back();
  CHECK(parameters_without(loop, events) == Numbers{30, 20});
}

TEST_CASE("a parameter that waits for its region's end does so from batch to batch, and is counted once") {
  for (const std::uint32_t out : {loop, inner}) {
    std::vector<Event> events = loop_with_region_inside();
    for (Event& e : events)
      if ((e.type == EventType::enter || e.type == EventType::leave) && e.ref == out)
        e.ref = translate::left_out_region;
    Collected collected;
    translate::LeftOut chosen(collected);
    for (const Event& e : events) chosen.write({&e, 1}, {});
    Numbers kept;
    for (const Event& e : collected.events)
      if (e.type == EventType::parameter_uint) kept.push_back(e.a);
    CHECK(kept == (out == loop ? Numbers{30} : Numbers{10, 20}));
    CHECK(chosen.dropped() == events.size() - collected.events.size());
  }
}
