// SPDX-License-Identifier: BSD-3-Clause
// Parts of a trace: what is chosen, and where slices are cut.
#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tests/report/known_traces.hpp"
#include "tests/report/mpi_traces.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/cut/part_source.hpp"
#include "tracer/error.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"

using namespace tracer;
using namespace tracer::test;
using report::Numbers;
using report::Part;

namespace {

/// Counts brackets, and keeps what was closed.
class Collected final : public TimelineVisitor {
 public:
  void open(const Slice& slice) override {
    CHECK(slice.begin >= last_);
    last_ = slice.begin;
    ++open_[slice.location];
  }
  void close(const Slice& slice) override {
    CHECK(open_[slice.location]-- > 0);
    slices.push_back(slice);
  }
  void arrow(const Arrow&) override { ++arrows; }
  void finish() override {
    for (const auto& [location, open] : open_) CHECK(open == 0);
    finished = true;
  }
  std::uint64_t total(LocationRef location, std::uint32_t depth) const {
    std::uint64_t sum = 0;
    for (const Slice& slice : slices)
      if (slice.location == location && slice.depth == depth) sum += slice.end - slice.begin;
    return sum;
  }
  std::vector<Slice> slices;
  unsigned arrows = 0;
  bool finished = false;

 private:
  std::map<LocationRef, int> open_;
  std::uint64_t last_ = 0;
};

/// A trace with a record that nobody here knows, and others that there is no event for.
class LaterTrace final : public EventSource {
 public:
  explicit LaterTrace(TraceBuilder& of) : of_{of} {}
  const Definitions& definitions() const override { return of_.definitions(); }
  std::uint64_t number_of_events() const override { return of_.number_of_events(); }
  std::uint64_t unread() const override { return 1; }
  std::map<std::string, std::uint64_t> untranslated() const override {
    return {{"CallingContextSample", 1200}, {"ThreadBegin", 34}};
  }
  void read(EventVisitor& visitor) override { of_.read(visitor); }

 private:
  TraceBuilder& of_;
};

Collected slices_of(TraceBuilder trace, const Part& part) {
  const auto cut = report::part_of(trace.set_clock(), part);
  Collected collected;
  report::Replay replay{cut->definitions()};
  report::Timeline timeline{cut->definitions(), collected};
  replay.add(timeline);
  cut->read(replay);
  CHECK(replay.irregular() == 0);
  replay.finish();
  CHECK(replay.irregular() == 0);
  CHECK(collected.finished);
  return collected;
}

/// Of every region, its time, waiting and what its threads did; of every thread, what it did.
std::map<std::string, std::uint64_t> times_of(EventSource& source) {
  const report::Report report = report::analyze(source);
  CHECK(report.irregular == 0);
  std::map<std::string, std::uint64_t> times;
  for (const report::RegionRow& row : report.regions) {
    times[row.name + " exclusive"] += row.exclusive;
    times[row.name + " waiting"] += row.waiting;
  }
  for (const report::ThreadRow& row : report.thread_rows)
    for (std::size_t i = 0; i < row.ns.size(); ++i)
      if (static_cast<report::Activity>(i) != report::Activity::idle)
        times[row.name + " " + std::to_string(i)] += row.ns[i];
  std::erase_if(times, [](const auto& entry) { return entry.second == 0; });
  return times;
}

}  // namespace

TEST_CASE("a part from one time to another has what is in it, cut at its ends") {
  Part part;
  part.from = 10 * ms;
  part.to = 20 * ms;
  const Collected got = slices_of(imbalance_3_to_1(), part);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    CHECK(got.total(thread, 0) == 10 * ms);  // the parallel region
    CHECK(got.total(thread, 1) == 10 * ms);  // loop and barrier
  }
  CHECK(got.slices.size() == 4 + 4 + 3);  // the last thread has not come to the barrier
  for (const Slice& slice : got.slices) CHECK((slice.begin >= start + 10 * ms && slice.end <= start + 20 * ms));
}

TEST_CASE("a part in which nothing begins or ends has what was open") {
  Part part;
  part.from = 20 * ms;
  part.to = 21 * ms;
  const Collected open = slices_of(imbalance_3_to_1(), part);
  const auto lasting =
      std::count_if(open.slices.begin(), open.slices.end(), [](const Slice& slice) { return slice.end > slice.begin; });
  CHECK(lasting == 8);
  CHECK(open.slices.size() == 8 + 3);  // three have left the loop that one is in: it is theirs as well, without time
  part.from = 36 * ms;
  part.to = 37 * ms;
  CHECK(slices_of(imbalance_3_to_1(), part).slices.empty());
}

TEST_CASE("of ranks that are many collective operations behind others a part has what all did in it") {
  struct Brackets final : EventVisitor {
    void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override {
      if (event.type == EventType::mpi_collective_begin) CHECK(++open[location] == 1);
      if (event.type != EventType::mpi_collective_end) return;
      CHECK(--open[location] == 0);
      ++ends[{location, event.ref}];
    }
    std::map<LocationRef, int> open;
    std::map<std::pair<LocationRef, CommRef>, int> ends;
  } told;
  MpiJob job{2};
  Definitions& d = job.trace.editable();
  d.groups.push_back({"", GroupKind::comm_self, Paradigm::mpi, {}});
  d.comms.push_back({"MPI_COMM_SELF", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
  const auto self = static_cast<CommRef>(d.comms.size() - 1);
  for (const unsigned rank : {0u, 1u}) job.program(rank, start, start + 100 * ms);
  for (unsigned i = 0; i < 8; ++i) {  // the root of a broadcast does not wait
    job.collective(0, start + (2 + i) * ms, start + (2 + i) * ms + 1000, "MPI_Bcast", 10, 7, 0);
    job.collective(1, start + (7 + 5 * i) * ms, start + (9 + 5 * i) * ms, "MPI_Bcast", 10, 7, 0);
    job.collective(1, start + (10 + 5 * i) * ms, start + (11 + 5 * i) * ms, "MPI_Barrier", 11, 0, 0, self);
  }
  for (unsigned i = 0; i < 8; ++i) {
    job.collective(0, start + (60 + i) * ms, start + (60 + i) * ms + 1000, "MPI_Bcast", 10, 7, 0);
    job.collective(1, start + (60 + i) * ms, start + (60 + i) * ms + 1000, "MPI_Bcast", 10, 7, 0);
  }
  Part part;
  part.from = 13 * ms;  // rank 0 has done eight, rank 1 one, and is in its second
  report::part_of(job.finish().set_clock(), part)->read(told);
  CHECK(told.ends[{0, 1}] == 8);
  CHECK(told.ends[{1, 1}] == 8);
  CHECK(told.ends[{1, self}] == 7);
}

TEST_CASE("a part has the threads that are named, and no arrow to others") {
  Part part;
  part.threads = Numbers{"0"};
  const Collected one = slices_of(chain_of_tasks(5), part);
  CHECK(one.arrows == 5);
  CHECK(std::all_of(one.slices.begin(), one.slices.end(), [](const Slice& slice) { return slice.location == 0; }));
  CHECK(slices_of(chain_of_tasks(5), {}).arrows == 10);
  part.ranks = Numbers{"1"};
  CHECK_THROWS_WITH(slices_of(chain_of_tasks(5), part),
                    ContainsSubstring("no such thread or process; it has ranks 0 and threads 0-1"));
  part = {};
  part.from = 3600'000 * ms;
  CHECK_THROWS_WITH(slices_of(chain_of_tasks(5), part), ContainsSubstring("behind its end"));
}

TEST_CASE("records of a later version, and of kinds without an event, are counted where all of the time is read") {
  TraceBuilder trace = imbalance_3_to_1();
  LaterTrace later{trace.set_clock()};
  Part part;
  part.threads = Numbers{"0"};
  CHECK(report::part_of(later, part)->unread() == 1);
  CHECK(report::part_of(later, part)->untranslated() == later.untranslated());
  part.from = 10 * ms;
  CHECK(report::part_of(later, part)->unread() == 0);
  CHECK(report::part_of(later, part)->untranslated().empty());
  part = {};
  part.to = 10 * ms;
  CHECK(report::part_of(later, part)->unread() == 0);
}

TEST_CASE("a report says what of the archive it does not show") {
  TraceBuilder trace = imbalance_3_to_1();
  LaterTrace later{trace.set_clock()};
  const report::Report report = report::analyze(later);
  CHECK_THAT(report::to_text(report, {.rows = 3, .colour = false, .width = 80}),
             ContainsSubstring("; 1,234 of kinds that are not shown (CallingContextSample, ThreadBegin); 1 of a later "
                               "version of OTF2 not read\n"));
  CHECK_THAT(report::to_json(report), ContainsSubstring(R"("events_not_shown": {)"));
}

TEST_CASE("a part of a part has no more than that, and says of what it is one") {
  const auto cut = [](EventSource& of, const char* ranks, std::uint64_t from) {
    Part part;
    part.ranks = Numbers{ranks};
    part.from = from;
    return report::part_of(of, part);
  };
  MpiJob job = ring(3, 2, 2);
  const auto two = cut(job.trace.set_clock(), "1-2", 0);
  Part late;
  late.from = 5 * ms;
  const auto of_two = report::part_of(*two, late);
  const report::Report report = report::analyze(*of_two);
  CHECK(report.part == "ranks 1-2; of that from 5 ms");
  CHECK(report.threads == 4);
  CHECK(report.processes.size() == 2);
  CHECK_THROWS_WITH(cut(*two, "0", 0),
                    ContainsSubstring("no such thread or process; it has ranks 1-2 and threads 0-1"));
}

TEST_CASE("the parts of a trace have together what the whole has") {
  for (TraceBuilder trace : {imbalance_3_to_1(), chain_of_tasks(5)}) {
    trace.set_clock();
    const auto whole = times_of(trace);
    const std::uint64_t length = trace.definitions().clock.length;
    for (const std::uint64_t pieces : {2, 3, 7, 100}) {
      std::map<std::string, std::uint64_t> sum;
      for (std::uint64_t piece = 0; piece < pieces; ++piece) {
        Part part;
        part.from = length * piece / pieces;
        part.to = length * (piece + 1) / pieces;
        for (const auto& [name, ns] : times_of(*report::part_of(trace, part))) sum[name] += ns;
      }
      CHECK(sum == whole);
    }
  }
}

TEST_CASE("a part that begins or ends in a pause has nothing but its end or its begin there") {
  struct Recording final : EventVisitor {
    void event(LocationRef, const Event& event, std::span<const EventAttribute>) override {
      if (event.type == EventType::measurement_on_off) {
        CHECK((event.a == 1) == is_off);
        is_off = event.a == 0;
        times.push_back(event.time - start);
      } else {
        CHECK(!is_off);
        opened += event.type == EventType::enter ? 1 : event.type == EventType::leave ? -1 : 0;
      }
    }
    bool is_off = false;
    int opened = 0;
    std::vector<std::uint64_t> times;
  };
  TraceBuilder trace{1};
  const RegionRef region = trace.region("function", RegionRole::function);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.enter(0, start + 50, region);
  trace.simple(0, start + 100, EventType::measurement_on_off, 0, 0);
  trace.simple(0, start + 200, EventType::measurement_on_off, 0, 1);
  trace.leave(0, start + 250, region);
  trace.simple(0, start + 300, EventType::program_end);
  Part part;
  std::vector<std::uint64_t> times;
  SECTION("begins") {
    part.from = 150;
    times = {150, 200};
  }
  SECTION("ends") {
    part.to = 150;
    times = {100, 150};
  }
  SECTION("both") {
    part.from = 120;
    part.to = 150;
    times = {120, 150};
  }
  Recording recording;
  report::part_of(trace.set_clock(), part)->read(recording);
  CHECK(!recording.is_off);
  CHECK(recording.opened == 0);
  CHECK(recording.times == times);
}

namespace {

/// The types of a location's events, and the last time.
struct Types final : EventVisitor {
  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override {
    types[location].push_back(event.type);
    last = event.time;
  }
  std::map<LocationRef, std::vector<EventType>> types;
  std::uint64_t last = 0;
};

Types types_of(TraceBuilder& trace, std::uint64_t from, std::uint64_t to) {
  Part part;
  part.from = from;
  part.to = to;
  Types types;
  report::part_of(trace.set_clock(), part)->read(types);
  return types;
}

}  // namespace

TEST_CASE("where a parallel region is over and its team is not a part has no region behind it") {
  TraceBuilder trace{1};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  later = trace.region("function", RegionRole::function);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.team_begin(0, start + 10, parallel);
  trace.leave(0, start + 20, parallel);
  trace.simple(0, start + 40, EventType::team_end);
  trace.simple(0, start + 50, EventType::thread_join);
  trace.enter(0, start + 60, later);
  trace.leave(0, start + 70, later);
  trace.simple(0, start + 80, EventType::program_end);
  using enum EventType;
  const std::vector<EventType> whole{program_begin, thread_fork, team_begin,  enter,
                                     leave,         team_end,    thread_join, program_end};
  CHECK(types_of(trace, 0, 30).types[0] == whole);
  CHECK(types_of(trace, 30, 55).types[0] == whole);
  CHECK(types_of(trace, 25, 30).types[0] == whole);
}

TEST_CASE("a part between a team's end and its join has neither the fork nor the join") {
  TraceBuilder trace{1};
  const RegionRef outer = trace.region("parallel", RegionRole::parallel),
                  inner = trace.region("parallel", RegionRole::parallel, 20);
  trace.editable().comms.push_back({"Thread team 1", 1, 0});
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.team_begin(0, start + 10, outer);
  trace.team_begin(0, start + 20, inner, 1);
  trace.leave(0, start + 30, inner);
  trace.simple(0, start + 30, EventType::team_end, 1);
  trace.simple(0, start + 50, EventType::thread_join);
  trace.leave(0, start + 60, outer);
  trace.simple(0, start + 60, EventType::team_end);
  trace.simple(0, start + 80, EventType::thread_join);
  trace.simple(0, start + 90, EventType::program_end);
  using enum EventType;
  const std::vector<EventType> in_outer{program_begin, thread_fork, team_begin,  enter,
                                        leave,         team_end,    thread_join, program_end};
  CHECK(types_of(trace, 40, 45).types[0] == in_outer);
  CHECK(types_of(trace, 40, 55).types[0] == in_outer);
  CHECK(types_of(trace, 70, 75).types[0] == std::vector<EventType>{program_begin, program_end});
}

TEST_CASE("where a filter has left out the parallel region a part ends in its team without another one") {
  TraceBuilder trace{1};
  const RegionRef loop = trace.region("for", RegionRole::loop);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.simple(0, start + 10, EventType::thread_fork, 0, 1);
  trace.simple(0, start + 10, EventType::team_begin, 0);
  trace.enter(0, start + 20, loop);
  trace.leave(0, start + 25, loop);
  trace.simple(0, start + 40, EventType::team_end);
  trace.simple(0, start + 50, EventType::thread_join);
  trace.simple(0, start + 80, EventType::program_end);
  using enum EventType;
  const std::vector<EventType> bare{program_begin, thread_fork, team_begin, team_end, thread_join, program_end};
  CHECK(types_of(trace, 0, 15).types[0] == bare);
  CHECK(types_of(trace, 0, 15).last == start + 15);
  CHECK(types_of(trace, 30, 35).types[0] == bare);
}

TEST_CASE("numbers are given one by one and as ranges") {
  const Numbers numbers{"0-2,7"};
  for (const std::uint64_t in : {0, 1, 2, 7}) CHECK(numbers.has(in));
  for (const std::uint64_t out : {3, 6, 8}) CHECK(!numbers.has(out));
  CHECK(Numbers{}.has(12345));
  for (const char* wrong : {"", "a", "1,", "3-1", "1-", "-1", "1 2"}) CHECK_THROWS_AS(Numbers{wrong}, Error);
}
