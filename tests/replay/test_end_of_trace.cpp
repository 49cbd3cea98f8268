// SPDX-License-Identifier: BSD-3-Clause
// What is open when a trace ends: the times are the translator's to choose.
#include <algorithm>

#include "catch.hpp"
#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

constexpr ParallelId outer = make_id(0, 2), inner = make_id(1, 2);

/// Two threads in a region, the second of which has made a region of its own with a third; the process is killed.
void killed_in_nested_regions(MemorySink& sink) {
  MemorySource source;
  source.channel(0) = {initial_task_begin(1, make_id(0, 1)), parallel_begin(10, outer, 2),
                       implicit_task_begin(20, outer, make_id(0, 3), 0, 2)};
  source.channel(1) = {implicit_task_begin(25, outer, make_id(1, 1), 1, 2), parallel_begin(30, inner, 2),
                       implicit_task_begin(35, inner, make_id(1, 3), 0, 2)};
  source.channel(2) = {implicit_task_begin(36, inner, make_id(2, 1), 1, 2),
                       task_create(40, make_id(2, 2), make_id(2, 1))};
  source.journal_to_fill().run.main_thread_id = 100;
  translate::translate(source, sink, {});
}

Nanoseconds time_of(const MemorySink& sink, LocationRef location, EventType type, CommRef comm = undefined_ref) {
  const auto& events = sink.locations.at(location).events;
  const auto it = std::find_if(events.begin(), events.end(), [&](const Event& e) {
    return e.type == type && (comm == undefined_ref || e.ref == comm);
  });
  REQUIRE(it != events.end());
  return it->time;
}

}  // namespace

TEST_CASE("whatever thread a reader takes first at the end, members have left a team when its master joins") {
  MemorySink sink;
  killed_in_nested_regions(sink);
  const CommRef inner_team = sink.locations.at(2).events.front().ref,
                outer_team = sink.locations.at(1).events.front().ref;
  REQUIRE(inner_team != outer_team);
  const Nanoseconds inner_join = time_of(sink, 1, EventType::thread_join),
                    outer_join = time_of(sink, 0, EventType::thread_join);
  CHECK(time_of(sink, 1, EventType::team_end, inner_team) < inner_join);
  CHECK(time_of(sink, 2, EventType::team_end, inner_team) < inner_join);
  CHECK(inner_join < time_of(sink, 1, EventType::team_end, outer_team));
  CHECK(time_of(sink, 0, EventType::team_end, outer_team) < outer_join);
  CHECK(time_of(sink, 1, EventType::team_end, outer_team) < outer_join);
  CHECK(time_of(sink, 0, EventType::program_end) >= outer_join);
}
