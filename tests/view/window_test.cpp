// SPDX-License-Identifier: BSD-3-Clause
// What an index has of a window, and of which windows single events are read: of those that have few. What processes do
// over time.
#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/write/sink.hpp"
#include "tests/report/known_traces.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/definitions.hpp"
#include "tracer/error.hpp"
#include "tracer/index/activity.hpp"
#include "tracer/index/build.hpp"
#include "tracer/index/contents.hpp"
#include "tracer/index/store.hpp"
#include "tracer/index/summary.hpp"
#include "tracer/index/trace_index.hpp"
#include "tracer/replay/regions.hpp"
#include "tracer/timeline.hpp"
#include "tracer/view/activity.hpp"
#include "tracer/view/window.hpp"

using namespace tracer;
using namespace tracer::test;
using namespace tracer::view;

namespace {

constexpr std::uint64_t calls = 40'000;

/// The first thread calls very many regions in turn, and has large blocks; the second one calls one.
void write_archive_of_calls(const std::filesystem::path& directory) {
  TraceBuilder trace{2};
  std::vector<RegionRef> regions;
  for (unsigned i = 0; i < 300; ++i)
    regions.push_back(trace.region("function " + std::to_string(i), RegionRole::function, 0, Paradigm::user));
  for (std::uint64_t i = 0; i < calls; ++i) {
    for (LocationRef thread = 0; thread < 2; ++thread) {
      const RegionRef region = regions[thread == 0 ? static_cast<std::size_t>(i) % regions.size() : 0];
      trace.enter(thread, start + i * us, region);
      trace.leave(thread, start + i * us + 100, region);
    }
  }
  const auto sink = make_otf2_sink(directory);
  trace.write(*sink);
}

index::TraceIndex opened_in(const std::filesystem::path& directory) {
  auto source = otf2::open_archive(directory / "traces.otf2");
  auto contents = std::make_shared<index::Contents>(index::build(*source, index::stamp_of(*source), {}));
  return {std::move(source), std::move(contents)};
}

constexpr auto work_at = static_cast<std::size_t>(report::Activity::work);

std::uint64_t work_in(const index::ActivityRow& row) {
  const std::vector<std::uint64_t>& times = row.times[work_at];
  return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
}

std::uint64_t step_of(const index::ActivityRow& row) {
  return std::uint64_t{1} << row.shift;
}

}  // namespace

TEST_CASE("a window of few blocks that have very many events is summed up, and a narrow one of them is not") {
  const Scratch scratch;
  write_archive_of_calls(scratch / "trace");
  index::TraceIndex opened = opened_in(scratch / "trace");
  constexpr std::uint64_t end = start + calls * us, width = 1000;
  for (LocationRef thread = 0; thread < 2; ++thread) {
    const std::size_t blocks = opened.blocks_within(thread, start, end);
    REQUIRE(blocks > 2);
    CHECK(opened.events_within(thread, start, end) == 2 * calls);
    CHECK(window_of(opened, thread, start, end, width, blocks).is_exact == (thread == 1));
    CHECK_FALSE(window_of(opened, thread, start, end, width, blocks - 1).is_exact);
    CHECK(window_of(opened, thread, start + 500 * us, start + 510 * us, width, 1).is_exact);
  }
}

TEST_CASE("what is open at the end of a trace ends there, also behind one of its region that took no time") {
  const Scratch scratch;
  TraceBuilder trace{2};
  const RegionRef call = trace.region("call", RegionRole::function, 0, Paradigm::user);
  trace.enter(0, start, call);
  trace.leave(0, start, call);
  trace.enter(0, start, call);
  trace.enter(1, start, call);
  trace.leave(1, start + ms, call);
  trace.write(*make_otf2_sink(scratch / "trace"));
  index::TraceIndex opened = opened_in(scratch / "trace");
  const std::vector<index::Slice> slices = opened.slices(0, start, start + ms);
  REQUIRE(slices.size() == 2);
  CHECK(slices[0].end == start);
  CHECK(slices[1].end == start + ms);
}

TEST_CASE("the time that recording was off is a slice of the index, with a sum, and is searched for") {
  const Scratch scratch;
  TraceBuilder trace = paused_for(200 * ms);
  trace.write(*make_otf2_sink(scratch / "trace"));
  index::TraceIndex opened = opened_in(scratch / "trace");
  const RegionRef name = name_of_not_recorded(opened.definitions());
  constexpr std::uint64_t off = start + 51 * ms, on = off + 200 * ms;
  for (LocationRef thread = 0; thread < 4; ++thread) {
    const std::vector<index::Slice> slices = opened.slices(thread, off + ms, on - ms);
    REQUIRE(slices.size() == 1);
    CHECK(slices[0].region == name);
    CHECK(slices[0].begin == off);
    CHECK(slices[0].end == on);
    index::Sums sums;
    opened.add_sums(thread, off - 2 * ms, off + 100 * ms, sums);
    const index::Sum& sum = sums.at(sums.place_of(name, 0));
    CHECK(sum.own == 100 * ms);
    CHECK(sum.count == 1);
  }
  std::vector<bool> regions(std::size_t{name} + 1);
  regions[name] = true;
  const std::vector<bool> locations(4, true);
  const auto found = opened.next({.regions = regions, .locations = locations});
  REQUIRE(found);
  CHECK(found->time == off);
}

TEST_CASE("the intervals of what threads do grow with its time, and keep all of it") {
  index::ActivityTimes times{4};
  CHECK(times.row().intervals == 0);
  times.add(report::Activity::work, 100, 100);
  CHECK(times.row().intervals == 0);
  times.add(report::Activity::work, 13, 16);
  CHECK(times.row().times[work_at] == std::vector<std::uint64_t>{1, 1, 1});
  times.add(report::Activity::mpi, 5, 9);
  const index::ActivityRow row = times.row();
  CHECK(step_of(row) == 4);
  CHECK(row.first == 1);
  CHECK(row.times[work_at] == std::vector<std::uint64_t>{0, 0, 3});
  CHECK(row.times[static_cast<std::size_t>(report::Activity::mpi)] == std::vector<std::uint64_t>{3, 1, 0});
  const index::ActivityRow part = index::part_of(row, 9, 100, 2);
  CHECK(part.first == 2);
  CHECK(part.times[work_at] == std::vector<std::uint64_t>{0, 3});
  const index::ActivityRow coarse = index::part_of(row, 0, ~std::uint64_t{0}, 2);
  CHECK(step_of(coarse) == 8);
  CHECK(coarse.times[work_at] == std::vector<std::uint64_t>{0, 3});
  CHECK(index::part_of(row, 16, 20, 100).intervals == 0);
}

TEST_CASE("what ten thousand processes do has few bytes, and all of it is there") {
  constexpr std::uint32_t processes = 10'000;
  constexpr std::uint64_t events = 64'000'000, pieces = 100;
  Definitions definitions;
  for (std::uint32_t i = 0; i < processes; ++i) {
    definitions.groups_of_locations.push_back({"Process", LocationGroupKind::process, 0, undefined_ref, {}});
    definitions.locations.push_back({"Master thread", LocationKind::cpu_thread, i, {}});
  }
  index::ActivityOfProcesses activity{definitions};
  for (std::uint32_t i = 0; i < processes; ++i)
    for (std::uint64_t k = 0; k < pieces; ++k)
      activity.add(i, report::Activity::work, start + k * ms + i, start + k * ms + i + 100 * us);
  const std::string table = activity.table(events);
  CHECK(table.size() <= events / 64 + 8 * (processes + 3));
  for (const std::size_t process : {0, 5'000, 9'999}) {
    const index::ActivityRow row = index::activity_of(table, process);
    CHECK(row.intervals >= 8);
    CHECK(work_in(row) == pieces * 100 * us);
  }
  const index::ActivityRow all = index::activity_of(table, index::all_processes);
  CHECK(all.intervals >= 500);
  CHECK(work_in(all) == processes * pieces * 100 * us);
  CHECK_THROWS_AS(index::activity_of(table, processes), Error);
  CHECK_THROWS_AS(index::activity_of(std::string_view{table}.substr(0, 100), 0), Error);
}

TEST_CASE("what a process does in a narrow window is taken from its events, where these are few") {
  const Scratch scratch;
  write_archive_of_calls(scratch / "trace");
  index::TraceIndex opened = opened_in(scratch / "trace");
  const ProcessActivity activity{opened};
  REQUIRE(activity.processes() == 1);
  constexpr std::uint64_t end = start + calls * us, from = start + 500 * us, to = from + 10 * us, call = 100;
  for (const std::size_t process : {std::size_t{0}, index::all_processes}) {
    CHECK(work_in(activity.row(process, start, end, 1000, 0)) == 2 * calls * call);
    const index::ActivityRow coarse = activity.row(process, from, to, 100, 0),
                             fine = activity.row(process, from, to, 100, 300);
    CHECK(step_of(coarse) > 10 * us);
    CHECK(step_of(fine) <= 128);
    // Of the last interval a part may be behind the window.
    CHECK(work_in(fine) >= 10 * 2 * call);
    CHECK(work_in(fine) <= 11 * 2 * call);
  }
}
