// SPDX-License-Identifier: BSD-3-Clause
// Parts that begin with what was kept of the events before them, instead of those events.
#include "catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/report/known_traces.hpp"
#include "tests/report/mpi_traces.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/cut/part_source.hpp"
#include "tracer/cut/part_state.hpp"

using namespace tracer;
using namespace tracer::test;
using report::Part;

namespace {

struct One {
  LocationRef location = 0;
  Event event{};
  std::vector<EventAttribute> attributes;
};

/// What a reader of a trace is told.
class Told final : public EventVisitor {
 public:
  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override {
    all.push_back({location, event, {attributes.begin(), attributes.end()}});
  }
  std::vector<One> all;
};

/// Events in the order of the list.
class Listed final : public EventSource {
 public:
  explicit Listed(EventSource& of) : definitions_{of.definitions()} {
    Told told;
    of.read(told);
    all = std::move(told.all);
  }
  Listed(Definitions definitions, std::vector<One> events)
      : all{std::move(events)}, definitions_{std::move(definitions)} {}
  const Definitions& definitions() const override { return definitions_; }
  std::uint64_t number_of_events() const override { return all.size(); }
  void read(EventVisitor& visitor) override { read_from(0, visitor); }
  void read_from(std::size_t first, EventVisitor& visitor) const {
    for (std::size_t i = first; i < all.size(); ++i) visitor.event(all[i].location, all[i].event, all[i].attributes);
  }
  std::vector<One> all;

 private:
  Definitions definitions_;
};

using Row = std::tuple<LocationRef, std::uint64_t, int, unsigned, std::uint32_t, std::uint64_t, std::uint64_t,
                       std::vector<std::pair<std::uint32_t, std::uint64_t>>>;

/// Where two lists begin to differ; "": nowhere.
std::string difference(const std::vector<Row>& is, const std::vector<Row>& should_be) {
  const auto text = [](const std::vector<Row>& rows, std::size_t i) {
    if (i >= rows.size()) return std::string{"nothing"};
    return "location " + std::to_string(std::get<0>(rows[i])) + ", time " + std::to_string(std::get<1>(rows[i])) +
           ", type " + std::to_string(std::get<2>(rows[i])) + ", " + std::to_string(std::get<4>(rows[i])) + ", " +
           std::to_string(std::get<5>(rows[i])) + ", " + std::to_string(std::get<6>(rows[i]));
  };
  for (std::size_t i = 0; i < std::max(is.size(), should_be.size()); ++i)
    if (i >= is.size() || i >= should_be.size() || is[i] != should_be[i])
      return "event " + std::to_string(i) + ": " + text(is, i) + "; not " + text(should_be, i);
  return "";
}

std::vector<Row> told_of(EventSource& part) {
  Told told;
  part.read(told);
  std::vector<Row> rows;
  for (const One& one : told.all) {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> attributes;
    for (const EventAttribute& attribute : one.attributes)
      attributes.emplace_back(attribute.attribute, attribute.value);
    const Event& event = one.event;
    rows.emplace_back(one.location, event.time, static_cast<int>(event.type), event.sub, event.ref, event.a, event.b,
                      attributes);
  }
  return rows;
}

struct Used {
  bool is_asked = false, is_read = false;
};

/// What was kept after so many events, as a part's begin.
report::FindPartStart start_at(const Listed& trace, const std::string& kept, std::size_t events, Used& used) {
  return [&trace, &kept, &used, events](std::uint64_t) {
    used.is_asked = true;
    return report::PartStart{kept, [&trace, &used, events](EventVisitor& visitor) {
                               used.is_read = true;
                               trace.read_from(events, visitor);
                             }};
  };
}

/// Begun at every moment, at every time behind it up to a few, to the trace's end and to one before it: of ranks, ""
/// for all, or of threads, as in "threads 1". The share that began with what was kept.
double check_every_start(Listed& trace, const std::vector<std::string>& ranks, std::size_t step = 1) {
  report::PartState state{trace.definitions()};
  const std::uint64_t offset = trace.definitions().clock.offset;
  std::size_t compared = 0, begun_late = 0;
  for (std::size_t i = 0; i < trace.all.size(); ++i) {
    if (i != 0 && i % step == 0) {
      const std::string kept = state.kept();
      const std::uint64_t before = trace.all[i - 1].event.time;
      for (const std::uint64_t later : {std::uint64_t{1}, std::uint64_t{3}})
        for (const std::string& rank : ranks) {
          Part part;
          part.from = before + later - offset;
          if (part.from > trace.definitions().clock.length) continue;
          if (i % 3 == 0) part.to = part.from + 1 + i % 7 * trace.definitions().clock.length / 20;
          if (rank.starts_with("threads "))
            part.threads = report::Numbers{rank.substr(8)};
          else if (!rank.empty())
            part.ranks = report::Numbers{rank};
          Used used;
          const auto whole = report::part_of(trace, part);
          const auto begun = report::part_of(trace, part, start_at(trace, kept, i, used));
          const auto expected = told_of(*whole);
          INFO("after event " << i << ", part " << part.text());
          REQUIRE(difference(told_of(*begun), expected) == "");
          REQUIRE(difference(told_of(*begun), expected) == "");  // it is read again
          REQUIRE(used.is_asked);
          begun_late += used.is_read ? 1 : 0;
          ++compared;
        }
    }
    state.follow(trace.all[i].location, trace.all[i].event, trace.all[i].attributes);
  }
  CHECK(compared > 0);
  return static_cast<double>(begun_late) / static_cast<double>(compared);
}

/// Three ranks with two threads each, a team and a library's communicator of their own.
struct Job {
  MpiJob job{3, 2};
  std::vector<RegionRef> regions;
  CommRef teams = 0;

  Job() {
    TraceBuilder& trace = job.trace;
    for (const RegionRole role :
         {RegionRole::parallel, RegionRole::loop, RegionRole::barrier, RegionRole::implicit_barrier, RegionRole::task,
          RegionRole::single, RegionRole::function})
      regions.push_back(trace.region("region " + std::to_string(regions.size()), role));
    Definitions& d = trace.editable();
    teams = static_cast<CommRef>(d.comms.size());
    for (unsigned rank = 0; rank < 3; ++rank) {
      d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {2 * rank, 2 * rank + 1}});
      d.comms.push_back({"", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
    }
    d.parameters.push_back({"parameter", {}});
    d.windows.push_back({"", 1, true});
  }
};

/// Events of all kinds that leave something open or end it, in no sensible order. `are_apart`: of a process' own teams.
/// `are_threads_apart`: first threads alone have explicit tasks and call MPI.
Listed random_events(unsigned seed, bool are_apart, bool are_threads_apart = false) {
  Job of;
  std::mt19937 chance{seed};
  const auto below = [&](std::uint32_t number) { return static_cast<std::uint32_t>(chance() % number); };
  std::vector<One> events;
  std::uint64_t time = 1000;
  constexpr std::size_t number = 260;
  for (std::size_t i = 0; i < number; ++i) {
    time += below(3) * below(5);
    const LocationRef location = below(6);
    const std::uint32_t rank = location / 2, peer = below(3);
    const CommRef team = of.teams + (are_apart ? rank : below(3));
    const std::uint64_t tagged = peer | std::uint64_t{below(2)} << 32;
    const RegionRef region = of.regions[below(static_cast<std::uint32_t>(of.regions.size()))];
    const auto add = [&](EventType type, std::uint32_t ref = 0, std::uint64_t a = 0, std::uint64_t b = 0,
                         std::vector<EventAttribute> attributes = {}) {
      Event event{time, type, static_cast<std::uint8_t>(attributes.size()), 0, ref, a, b};
      events.push_back({location, event, std::move(attributes)});
    };
    const EventAttribute request = EventAttribute::payload(0, below(6));
    unsigned kind = below(30);
    constexpr unsigned first_of_masters = 11, not_of_masters = 15;
    if (are_threads_apart && location % 2 != 0 && kind >= first_of_masters) kind = not_of_masters;
    switch (kind) {
      case 0:
      case 1:
      case 2:
      case 3: {
        std::vector<EventAttribute> attributes;
        if (below(3) == 0) attributes.push_back({below(5), chance()});
        add(EventType::enter, region, 0, 0, std::move(attributes));
        break;
      }
      case 4:
      case 5:
      case 6:
        add(EventType::leave, region);
        break;
      case 7:
        add(EventType::thread_fork, 0, 2);
        break;
      case 8:
        add(EventType::thread_join);
        break;
      case 9:
        add(EventType::team_begin, team);
        break;
      case 10:
        add(EventType::team_end, team);
        break;
      case 11:
        add(EventType::task_create, team, below(2), 1 + below(5), {{0, chance()}});
        break;
      case 12:
      case 13:
        add(EventType::task_switch, team, below(2), below(6));
        break;
      case 14:
        add(EventType::task_complete, team, below(2), 1 + below(5));
        break;
      case 15:
        add(below(2) == 0 ? EventType::acquire_lock : EventType::release_lock, 0, below(3), i);
        break;
      case 16:
        add(EventType::parameter_uint, 0, i);
        break;
      case 17:
        add(EventType::mpi_send, 1, 8, tagged);
        break;
      case 18:
        add(EventType::mpi_recv, 1, 8, tagged);
        break;
      case 19:
        add(EventType::mpi_isend, 1, 8, tagged, {request});
        break;
      case 20:
        add(EventType::mpi_irecv, 1, 8, tagged, {request});
        break;
      case 21:
        add(EventType::mpi_irecv_request, 0, below(6));
        break;
      case 22:
        add(below(2) == 0 ? EventType::mpi_isend_complete : EventType::mpi_request_cancelled, 0, below(6));
        break;
      case 23:
        add(EventType::mpi_collective_begin);
        break;
      case 24:
        add(EventType::mpi_collective_end, 1, 8, 8, {EventAttribute::payload(0, 0)});
        break;
      case 25:
        add(EventType::mpi_rma_collective_begin);
        break;
      case 26:
        add(EventType::mpi_rma_collective_end);
        break;
      case 27:
        add(EventType::measurement_on_off, 0, below(2));
        break;
      case 28:
        add(below(2) == 0 ? EventType::mpi_rma_put : EventType::mpi_rma_complete_there, peer, 8, below(6));
        break;
      default:
        add(below(2) == 0 ? EventType::mpi_collective_request : EventType::comm_create, 1, below(6));
        break;
    }
  }
  Definitions definitions = of.job.trace.definitions();
  definitions.clock.offset = events.front().event.time;
  definitions.clock.length = events.back().event.time - definitions.clock.offset;
  return {std::move(definitions), std::move(events)};
}

}  // namespace

TEST_CASE("a part that begins with what was kept of the events before it has what it has with them") {
  for (TraceBuilder trace : {imbalance_3_to_1(), chain_of_tasks(12), overlap_30_percent(), contended_lock(),
                             named_phases(), late_leavers()}) {
    Listed listed{trace.set_clock()};
    CHECK(check_every_start(listed, {""}) == 1);
  }
}

TEST_CASE("so has a part of some threads, which begins there where threads have no tasks in common") {
  for (TraceBuilder trace : {imbalance_3_to_1(), contended_lock(), named_phases(), late_leavers()}) {
    Listed listed{trace.set_clock()};
    CHECK(check_every_start(listed, {"threads 0", "threads 1", "threads 0-1"}) == 1);
  }
  Listed tasks{chain_of_tasks(12).set_clock()};
  CHECK(check_every_start(tasks, {"threads 0", "threads 1"}) < 1);
  MpiJob job = ring(4, 2, 3);
  job.finish();
  Listed listed{job.trace.set_clock()};
  CHECK(check_every_start(listed, {"threads 0", "threads 1"}, 3) == 1);
  for (unsigned seed = 0; seed < 12; ++seed) {
    Listed random = random_events(seed, true, true);
    CHECK(check_every_start(random, {"threads 0", "threads 1", "threads 0-1"}, 4) > 0);
    Listed mixed = random_events(seed, true, false);
    check_every_start(mixed, {"threads 0", "threads 1"}, 4);
  }
}

TEST_CASE("so has a part of some ranks of a job") {
  MpiJob job = ring(4, 2, 3);
  job.finish();
  Listed listed{job.trace.set_clock()};
  check_every_start(listed, {"", "1", "0,3"}, 3);
}

TEST_CASE("so it is whatever the events are, and where processes have teams in common all is read") {
  for (unsigned seed = 0; seed < 12; ++seed)
    for (const bool are_apart : {true, false}) {
      Listed listed = random_events(seed, are_apart);
      check_every_start(listed, {"", "0", "1-2"}, 4);
    }
}

TEST_CASE("an event whose time goes back behind a part's begin is at that begin") {
  MpiJob job{2, 1};
  std::vector<One> events;
  const auto add = [&](std::uint64_t time, unsigned rank, EventType type, std::uint32_t ref, std::uint64_t b = 0) {
    events.push_back({job.master(rank), {time, type, 0, 0, ref, 8, b}, {}});
  };
  const RegionRef region = job.function("MPI_Waitall", 3);
  add(10, 0, EventType::mpi_send, 1, 1);
  add(100, 0, EventType::enter, region);
  add(50, 1, EventType::mpi_recv, 1, 0);
  add(110, 1, EventType::mpi_recv, 1, 0);
  add(120, 0, EventType::leave, region);
  Definitions definitions = job.trace.definitions();
  definitions.clock.length = 200;
  Listed listed{std::move(definitions), std::move(events)};
  Part part;
  part.from = 60;
  Told told;
  report::part_of(listed, part)->read(told);
  REQUIRE(told.all.size() == 3);  // the first receive is for what was sent before
  CHECK(told.all[0].event.type == EventType::enter);
  CHECK(told.all[1].event.type == EventType::mpi_recv);
  CHECK(told.all[1].event.time == 110);
  CHECK(told.all[2].event.type == EventType::leave);
}

TEST_CASE("what was kept and damaged is refused, or is of some trace") {
  const Listed listed = random_events(3, true);
  report::PartState state{listed.definitions()};
  for (const One& one : listed.all) state.follow(one.location, one.event, one.attributes);
  const std::string kept = state.kept();
  std::mt19937 chance{1};
  std::size_t refused = 0;
  const auto try_it = [&](const std::string& bytes) {
    report::OpenState open{listed.definitions()};
    report::MpiCut mpi{listed.definitions()};
    if (!report::take_part_state(bytes, listed.definitions(), {}, true, open, mpi)) {
      ++refused;
      return;
    }
    const auto see = [&](LocationRef location, const Event& event, std::span<const EventAttribute>) {
      REQUIRE(location < listed.definitions().locations.size());
      REQUIRE((event.type != EventType::enter || event.ref < listed.definitions().regions.size()));
    };
    mpi.begin();
    open.emit_openings(1, see);
    open.emit_closings(2, see);
  };
  try_it(kept);
  REQUIRE(refused == 0);
  for (std::size_t length = 0; length < kept.size(); ++length) try_it(kept.substr(0, length));
  REQUIRE(refused == kept.size());
  constexpr unsigned changes = 4000;
  for (unsigned i = 0; i < changes; ++i) {
    std::string changed = kept;
    for (auto n = 1 + chance() % 3; n != 0; --n)
      changed[chance() % changed.size()] = static_cast<char>(chance() % 5 == 0 ? 255 : chance() % 256);
    try_it(changed);
  }
  CHECK(refused > kept.size());
  CHECK(refused < kept.size() + changes);
}
