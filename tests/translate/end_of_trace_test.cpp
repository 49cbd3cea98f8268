// SPDX-License-Identifier: BSD-3-Clause
// What is open when a trace ends: the times are the translator's to choose.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/property_names.hpp"
#include "tracer/thread_end.hpp"
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

TEST_CASE("a killed process ended when it was seen last, not when its trace was opened") {
  MemorySource source;
  source.channel(0) = {initial_task_begin(1, make_id(0, 1)), parallel_begin(10, outer, 1)};
  Journal& journal = source.journal_to_fill();
  journal.clock = {{1, 1, 1}, {500, 500, 500}, {3'600'000, 3'600'000, 3'600'000}};
  journal.clock_is_continued = GENERATE(false, true);
  MemorySink sink;
  translate::translate(source, sink, {});
  const auto& properties = sink.definitions.properties;
  const auto end = std::find_if(properties.begin(), properties.end(),
                                [](const Property& p) { return p.name == "TRACER::RUN::PROCESS_END_NS"; });
  REQUIRE(end != properties.end());
  CHECK(end->value == (journal.clock_is_continued ? "500" : "3600000"));
}

TEST_CASE("what is open on a thread that ended before its process ends with the thread") {
  MemorySource source;
  source.channel(0) = {initial_task_begin(1, make_id(0, 1)),
                       parallel_begin(10, outer, 1),
                       implicit_task_begin(20, outer, make_id(0, 3), 0, 1),
                       implicit_task_end(30, make_id(0, 3)),
                       parallel_end(40, outer),
                       initial_task_end(1'000'000, make_id(0, 1))};
  source.channel(1) = {initial_task_begin(100, make_id(1, 1)), parallel_begin(110, inner, 1),
                       implicit_task_begin(120, inner, make_id(1, 3), 0, 1), implicit_task_end(130, make_id(1, 3)),
                       parallel_end(140, inner)};
  source.channel(2) = {initial_task_begin(200, make_id(2, 1))};
  Journal& journal = source.journal_to_fill();
  journal.run.main_thread_id = 100;
  journal.ending = Ending::finalize;
  journal.end = 1'000'000;
  journal.channels[1].end = 500;
  MemorySink sink;
  translate::translate(source, sink, {});
  const auto ended = [&](LocationRef location) { return thread_end(sink.definitions.locations.at(location)); };
  const Nanoseconds last = sink.locations.at(1).events.back().time;
  CHECK(last < sink.locations.at(0).events.back().time);
  CHECK(ended(1) >= last);
  CHECK(ended(1) < sink.locations.at(0).events.back().time);
  CHECK(ended(0) == 0);
  CHECK(ended(2) == 0);
}

TEST_CASE("a process of which nothing was recorded has its main thread") {
  MemorySource source;
  Journal& journal = source.journal_to_fill();
  journal.run.process_id = journal.run.main_thread_id = 42;
  journal.run.begin = 5;
  journal.end = 9;
  MemorySink sink;
  const translate::TranslateReport report = translate::translate(source, sink, {});
  CHECK(report.threads == 1);
  REQUIRE(sink.definitions.locations.size() == 1);
  const Location& main = sink.definitions.locations.front();
  CHECK(main.name == "Master thread");
  REQUIRE(main.properties.size() == 1);
  CHECK(main.properties.front().name == "TRACER::THREAD_ID");
  CHECK(main.properties.front().value == "42");
  CHECK(sink.definitions.groups_of_locations.size() == 1);
  CHECK(sink.definitions.groups.front().members == std::vector<std::uint32_t>{0});
  REQUIRE(sink.locations.at(0).events.size() == 2);
  CHECK(sink.locations.at(0).events.front().type == EventType::program_begin);
  CHECK(sink.locations.at(0).events.back().type == EventType::program_end);
}

namespace {

std::string property(const std::vector<Property>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Property& p) { return p.name == name; });
  return found == all.end() ? std::string{} : found->value;
}

}  // namespace

TEST_CASE("what a killed process lost since it stopped recording counts as one event, of one that ended it is known") {
  const bool is_killed = GENERATE(true, false);
  const std::string counter =
      GENERATE(as<std::string>{}, "stopped.size_limit", "stopped.full_ring", "stopped.failed_write", "rings.gone");
  MemorySource source;
  source.channel(0) = {initial_task_begin(1, make_id(0, 1)), initial_task_end(10, make_id(0, 1))};
  Journal& journal = source.journal_to_fill();
  journal.counters[counter] = 1;
  if (!is_killed) journal.ending = Ending::finalize;
  MemorySink sink;
  CHECK(translate::translate(source, sink, {}).lost == (is_killed ? 1 : 0));
  CHECK(property(sink.definitions.properties, "TRACER::EVENTS_LOST") == (is_killed ? "1" : "0"));
}

TEST_CASE("records that are missing in the raw trace count as lost events, once with those that the journal knows of") {
  Record gap{};
  gap.kind = RecordKind::lost;
  gap.time = 5;
  gap.b = 40;
  const std::uint64_t in_journal = GENERATE(0u, 40u, 50u);
  MemorySource source;
  source.channel(0) = {initial_task_begin(1, make_id(0, 1)), gap, initial_task_end(10, make_id(0, 1))};
  source.journal_to_fill().channels[0].lost = in_journal;
  MemorySink sink;
  const std::string expected = std::to_string(std::max<std::uint64_t>(40, in_journal));
  CHECK(std::to_string(translate::translate(source, sink, {}).lost) == expected);
  CHECK(property(sink.definitions.properties, "TRACER::EVENTS_LOST") == expected);
  CHECK(property(sink.definitions.locations.at(0).properties, "TRACER::EVENTS_LOST") == expected);
}

TEST_CASE("a machine that sleeps while the processor's clock runs on is counted, by the readings between") {
  constexpr Nanoseconds second = 1'000'000'000;
  const bool sleeps = GENERATE(false, true);
  MemorySource source;
  source.channel(0) = {initial_task_begin(1, make_id(0, 1)), parallel_begin(10, outer, 1)};
  Journal& journal = source.journal_to_fill();
  journal.run.clock = ClockKind::tsc;
  for (Nanoseconds t = 1; t < 6; ++t) {
    const Ticks ticks = 2 * t * second + (sleeps && t >= 4 ? 6000 * second : 0);
    journal.clock.push_back({ticks, t * second, t * second});
  }
  MemorySink sink;
  translate::translate(source, sink, {});
  const auto& all = sink.definitions.properties;
  const auto jumps = std::find_if(all.begin(), all.end(), [](const Property& p) {
    return p.name == std::string{properties::counter} + loss_counters::clock_jumps;
  });
  CHECK((jumps == all.end() ? "none" : jumps->value) == (sleeps ? "1" : "none"));
}

TEST_CASE("a machine that is known to have slept is counted without such readings, if a processor's clock ran on") {
  const ClockKind kind = GENERATE(ClockKind::monotonic, ClockKind::tsc);
  MemorySource source;
  source.channel(0) = {initial_task_begin(1, make_id(0, 1)), initial_task_end(10, make_id(0, 1))};
  Journal& journal = source.journal_to_fill();
  journal.run.clock = kind;
  journal.clock = {{100, 100, 100}, {5'000'000'000, 3'000'000'000, 3'000'000'000}};
  journal.facts[properties::fact(properties::run_asleep)] = "2000000000";
  MemorySink sink;
  translate::translate(source, sink, {});
  const auto& all = sink.definitions.properties;
  const auto is_jump = [](const Property& p) { return p.name.ends_with(loss_counters::clock_jumps); };
  CHECK(std::any_of(all.begin(), all.end(), is_jump) == (kind == ClockKind::tsc));
  const auto is_sleep = [](const Property& p) { return p.name == properties::run_asleep && p.value == "2000000000"; };
  CHECK(std::any_of(all.begin(), all.end(), is_sleep));
}
