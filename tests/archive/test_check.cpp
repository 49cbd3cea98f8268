// SPDX-License-Identifier: BSD-3-Clause
// Each rule of `tracer check` finds its seeded defect, and nothing in a good archive.
#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sample.hpp"
#include "support/scratch.hpp"
#include "tracer/check/check.hpp"
#include "tracer/error.hpp"

using namespace tracer;
using namespace tracer::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

using Rules = std::set<std::string>;

Rules with_outcome(const check::CheckReport& report, check::Outcome outcome) {
  Rules found;
  for (const auto& f : report.findings) {
    if (f.outcome == outcome) found.insert(f.rule);
  }
  return found;
}

std::string explain(const check::CheckReport& report) {
  std::string text;
  for (const auto& f : report.findings) {
    if (f.outcome == check::Outcome::violated) {
      text += f.rule + " x" + std::to_string(f.count) + ": " + f.first.location + " " + std::to_string(f.first.time) +
              " " + f.first.what + "\n";
    }
  }
  return text;
}

Event event(Nanoseconds time, EventType type, std::uint32_t ref = 0, std::uint64_t a = 0, std::uint64_t b = 0) {
  return {.time = time, .type = type, .attributes = 0, .sub = 0, .ref = ref, .a = a, .b = b};
}

/// A sample to be broken: its parts by name.
struct Seed {
  SampleTrace trace = make_sample();
  Definitions& d = trace.definitions;

  std::vector<Event>& events(std::size_t location) { return trace.locations[location].events; }
  /// Behind all events that are not later.
  void insert(std::size_t location, Event e) {
    auto& all = events(location);
    all.insert(
        std::upper_bound(all.begin(), all.end(), e, [](const Event& x, const Event& y) { return x.time < y.time; }), e);
  }
  void span(std::size_t location, Nanoseconds from, Nanoseconds to, std::uint32_t region) {
    insert(location, event(from, EventType::enter, region));
    insert(location, event(to, EventType::leave, region));
  }
  /// The n-th event of a type, from 0.
  Event& at(std::size_t location, EventType type, std::size_t n = 0) {
    for (auto& e : events(location)) {
      if (e.type == type && n-- == 0) return e;
    }
    throw std::logic_error("no such event");
  }
  Event& leave_of(std::size_t location, std::uint32_t region) {
    for (auto& e : events(location)) {
      if (e.type == EventType::leave && e.ref == region) return e;
    }
    throw std::logic_error("no such event");
  }
  void remove(std::size_t location, Event& e) {
    events(location).erase(events(location).begin() + (&e - events(location).data()));
  }
  std::uint64_t& attribute(std::size_t location, std::uint32_t ref, std::size_t n = 0) {
    for (auto& a : trace.locations[location].attributes) {
      if (a.attribute == ref && n-- == 0) return a.value;
    }
    throw std::logic_error("no such attribute");
  }
};

/// Regions, attributes and parameters of the sample, by their places in it.
enum : std::uint32_t {
  r_parallel,
  r_loop,
  r_critical,
  r_sblock,
  r_barrier,
  r_target = 8,
  r_alloc = 9,
  r_free = 11,
  r_kernel = 13
};
enum : std::uint32_t { a_thread_id = 0, a_host_op_id = 4, a_allocation_size = 6 };
enum : std::uint32_t { p_callsite_id = 1 };

struct Case {
  const char* name;
  Rules violated;
  std::function<void(Seed&)> seed;
  std::function<void(const fs::path&)> damage = nullptr;  ///< of the files, for what the sink does not write
};

void replace(const fs::path& file, const std::string& from, const std::string& to) {
  std::ifstream in{file, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  const auto at = bytes.find(from);
  REQUIRE(at != bytes.npos);
  bytes.replace(at, from.size(), to);
  std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
}

/// The sink refuses values that are not of their attribute's definition: changes the definition.
void retype_attribute(const fs::path& definitions, char self, ValueType type) {
  std::ifstream in{definitions, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  constexpr char attribute_record = 11;
  for (std::size_t i = 0; i + 6 < bytes.size(); ++i) {  // kind, length, self and name as length and byte, type
    if (bytes[i] != attribute_record || bytes[i + 2] != 1 || bytes[i + 3] != self || bytes[i + 4] != 1) continue;
    bytes[i + 6] = static_cast<char>(type);
    std::ofstream{definitions, std::ios::binary | std::ios::trunc} << bytes;
    return;
  }
  FAIL("no such attribute");
}

std::string time_stamp(std::uint64_t time) {
  std::string bytes(1, '\5');
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(time >> (8 * i));
  return bytes;
}

void single_executed_twice(Seed& s) {
  const auto number = static_cast<std::uint32_t>(s.d.regions.size());
  auto single = s.d.regions[0], sblock = s.d.regions[0];
  single.name = single.canonical = "!$omp single @app.c:3";
  single.role = RegionRole::single;
  sblock.name = sblock.canonical = "!$omp single sblock @app.c:3";
  sblock.role = RegionRole::single_sblock;
  s.d.regions.push_back(single);
  s.d.regions.push_back(sblock);
  for (std::size_t location = 0; location < 2; ++location) {
    s.span(location, 1201, 1208, number);
    s.span(location, 1203, 1205, number + 1);
  }
}

void second_region_with_another_thread_id(Seed& s) {
  for (std::size_t location = 0; location < 2; ++location) {
    if (location == 0) s.insert(0, event(1430, EventType::thread_fork, 0, 2));
    auto begin = event(1440, EventType::team_begin);
    if (location == 1) {
      begin.attributes = 1;
      s.trace.locations[1].attributes.push_back({a_thread_id, 9999});
    }
    s.insert(location, begin);
    s.span(location, 1440, 1450, r_parallel);
    s.insert(location, event(1450, EventType::team_end));
    if (location == 0) s.insert(0, event(1460, EventType::thread_join));
  }
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"D01 the anchor has another name",
       {"D01"},
       [](Seed&) {},
       [](const fs::path& dir) {
         for (const char* ending : {".otf2", ".def", ""})
           fs::rename(dir / ("traces" + std::string{ending}), dir / ("mine" + std::string{ending}));
       }},
      {"D02 a region that is not defined", {"D02"}, [](Seed& s) { s.span(0, 1430, 1440, 99); }},
      {"D03 a local definition file is missing",
       {"D03"},
       [](Seed&) {},
       [](const fs::path& dir) { fs::remove(dir / "traces/1.def"); }},
      {"D03 and D04 an event file is cut off",
       {"D03", "D04", "E02"},
       [](Seed&) {},
       [](const fs::path& dir) { fs::resize_file(dir / "traces/2.evt", 90); }},
      {"D04 the anchor announces one location too many",
       {"D04"},
       [](Seed&) {},
       [](const fs::path& dir) {
         replace(dir / "traces.otf2", std::string{"\1\1\3\0\0\0\0\0\0\0", 10}, std::string{"\1\1\4\0\0\0\0\0\0\0", 10});
       }},
      {"D05 no real time", {"D05"}, [](Seed& s) { s.d.clock.realtime = 5; }},
      {"D06 the clock's range is too long", {"D06"}, [](Seed& s) { s.d.clock.length = 600; }},
      {"D06 an event is outside the clock's range", {"D06"}, [](Seed& s) { s.d.clock.length = 499; }},
      {"D07 nobody created the accelerator's group",
       {"D07"},
       [](Seed& s) { s.d.groups_of_locations[1].creating_group = undefined_ref; }},
      {"D08 the device's node is no device", {"D08"}, [](Seed& s) { s.d.nodes[2].domain = NodeDomain::none; }},
      {"D09 two groups of all locations",
       {"D09"},
       [](Seed& s) {
         s.d.groups.push_back({"again", GroupKind::comm_locations, Paradigm::openmp, {0, 1}});
       }},
      {"D10 a communicator before its parent", {"D10"}, [](Seed& s) { s.d.comms[0].parent = 1; }},
      {"D11 a window without a stream",
       {"D11"},
       [](Seed& s) {
         s.d.groups[3].members = {0, 1};
       }},
      {"D12 a metric on another location than its recorder", {"D12"}, [](Seed& s) { s.d.metrics[0].recorder = 1; }},
      {"D13 a name with another line", {"D13"}, [](Seed& s) { s.d.regions[1].begin_line = 5; }},
      {"D14 the same region twice", {"D14"}, [](Seed& s) { s.d.regions[r_free] = s.d.regions[r_alloc]; }},
      {"D15 a region that nobody enters",
       {"D15"},
       [](Seed& s) {
         s.d.regions.push_back(s.d.regions[0]);
         s.d.regions.back().name = s.d.regions.back().canonical = "!$omp parallel @app.c:77";
         s.d.regions.back().begin_line = 77;
       }},
      {"D16 a role of the future", {"D16"}, [](Seed& s) { s.d.regions[r_target].role = static_cast<RegionRole>(77); }},
      {"D17 a property that is neither true nor false",
       {"D17"},
       [](Seed& s) {
         s.d.properties.push_back({"OTF2::THREAD_LOCK_EVENT_COMPLETE", "maybe"});
       }},
      {"D18 two locations of one name", {"D18"}, [](Seed& s) { s.d.locations[1].name = "Master thread"; }},
      {"E01 time goes back",
       {"E01"},
       [](Seed&) {},
       [](const fs::path& dir) { replace(dir / "traces/1.evt", time_stamp(1045), time_stamp(1029)); }},
      {"E02 a region is never left", {"E02"}, [](Seed& s) { s.remove(0, s.leave_of(0, r_loop)); }},
      {"E03 the program ends twice", {"E03"}, [](Seed& s) { s.insert(0, event(1500, EventType::program_end)); }},
      {"E04 a fork without a join",
       {"D17", "E04", "E08"},
       [](Seed& s) { s.remove(0, s.at(0, EventType::thread_join)); }},
      {"E05 a team of which the location is no member", {"E05"}, [](Seed& s) { s.d.groups[2].members = {0}; }},
      {"E06 a member ends the team after the join",
       {"E06"},
       [](Seed& s) {
         s.leave_of(1, r_parallel).time = 1255;
         s.at(1, EventType::team_end).time = 1255;
       }},
      {"E07 more threads than requested", {"E07"}, [](Seed& s) { s.at(0, EventType::thread_fork).a = 1; }},
      {"E08 something between fork and team", {"E08"}, [](Seed& s) { s.span(0, 1012, 1013, r_target); }},
      {"E09 a task is never complete", {"E09"}, [](Seed& s) { s.remove(1, s.at(1, EventType::task_complete)); }},
      {"E10 back to another thread's implicit task",
       {"E10"},
       [](Seed& s) { s.at(1, EventType::task_switch, 1).a = 0; }},
      {"E11 an order is missing",
       {"E11"},
       [](Seed& s) { s.at(1, EventType::acquire_lock).b = s.at(1, EventType::release_lock).b = 3; }},
      {"E12 an operation completes twice",
       {"E12"},
       [](Seed& s) { s.insert(2, event(1330, EventType::rma_op_complete_blocking, 0, 0, 101)); }},
      {"E13 a kernel runs while a transfer does",
       {"E13"},
       [](Seed& s) {
         s.remove(2, s.at(2, EventType::rma_op_complete_blocking));
         s.insert(2, event(1370, EventType::rma_op_complete_blocking, 0, 0, 101));
       }},
      {"E14 a kernel that nobody submitted", {"E14"}, [](Seed& s) { s.attribute(2, a_host_op_id, 1) = 999; }},
      {"E15 a parameter outside all regions",
       {"E15"},
       [](Seed& s) { s.insert(0, event(1450, EventType::parameter_uint, p_callsite_id, 1)); }},
      {"E16 an attribute of another type",
       {"E16"},
       [](Seed& s) { s.d.attributes[a_allocation_size].type = ValueType::int64; },
       [](const fs::path& dir) { retype_attribute(dir / "traces.def", a_allocation_size, ValueType::uint64); }},
      {"E17 a flush ends before it starts",
       {"E17"},
       [](Seed& s) { s.insert(0, event(1430, EventType::buffer_flush, 0, 1425)); }},
      {"E18 a region while recording is off",
       {"D17", "E18"},
       [](Seed& s) {
         s.insert(0, event(1430, EventType::measurement_on_off, 0, 0));
         s.span(0, 1440, 1450, r_target);
       }},
      {"E19 a transfer of other size", {"E19"}, [](Seed& s) { s.at(2, EventType::rma_get).a = 63; }},
      {"E20 negative memory", {"E20"}, [](Seed& s) { s.at(0, EventType::metric_uint, 1).a = ~std::uint64_t{0}; }},
      {"E21 a barrier is left before all are there", {"E21"}, [](Seed& s) { s.leave_of(0, r_barrier).time = 1092; }},
      {"E22 a single is executed twice", {"E22"}, single_executed_twice},
      {"E23 a location's thread id changes", {"E23"}, second_region_with_another_thread_id},
      {"E24 a worker's loop outside its team", {"E24"}, [](Seed& s) { s.span(1, 1300, 1310, r_loop); }},
  };
  return all;
}

}  // namespace

TEST_CASE("a good archive violates no rule") {
  const Scratch scratch;
  write_archive(make_sample(), scratch / "out");
  const auto report = check::check(scratch / "out");
  INFO(explain(report));
  CHECK(report.valid());
  CHECK(report.events == 67);
  CHECK(report.findings.size() == 43);
  CHECK(with_outcome(report, check::Outcome::not_applicable) == Rules{"E17", "E18", "E22", "E25"});
  for (const auto& f : report.findings) CHECK((f.outcome == check::Outcome::not_applicable) == !f.why.empty());
}

TEST_CASE("each rule finds its seeded defect and no other rule does") {
  Rules seeded{"E25"};  // below
  for (const auto& c : cases()) {
    const Scratch scratch;
    Seed seed;
    c.seed(seed);
    write_archive(seed.trace, scratch / "out");
    if (c.damage) c.damage(scratch / "out");
    const auto anchor = fs::exists(scratch / "out/mine.otf2") ? scratch / "out/mine.otf2" : scratch / "out";
    const auto report = check::check(anchor);
    INFO(c.name << "\n" << explain(report));
    CHECK(with_outcome(report, check::Outcome::violated) == c.violated);
    seeded.insert(c.name[0] == 'D' || c.name[0] == 'E' ? std::string{c.name, 3} : "");
  }
  Rules all;
  for (const auto& row : check::rules()) all.insert(row.id);
  CHECK(seeded == all);
}

TEST_CASE("a finding says how often and where first") {
  const Scratch scratch;
  Seed seed;
  seed.span(1, 1300, 1310, r_loop);
  seed.span(1, 1320, 1330, r_loop);
  write_archive(seed.trace, scratch / "out");
  const auto report = check::check(scratch / "out");
  const auto found =
      std::find_if(report.findings.begin(), report.findings.end(), [](const auto& f) { return f.rule == "E24"; });
  CHECK(found->count == 2);
  CHECK(found->first.location == "location 1 \"OMP thread 1\"");
  CHECK(found->first.time == 1300);
  CHECK(found->first.position == 24);
  CHECK_THAT(found->first.what, Contains("!$omp for @app.c:4"));
}

TEST_CASE("a nestable lock is acquired again by its holder") {
  const Scratch scratch;
  Seed seed;
  for (const auto time : {1055u, 1056u}) {
    seed.insert(1, event(time, EventType::acquire_lock, 0, 2, 1));
    seed.insert(1, event(time + 10, EventType::release_lock, 0, 2, 1));
  }
  write_archive(seed.trace, scratch / "out");
  const auto report = check::check(scratch / "out");
  INFO(explain(report));
  CHECK(report.valid());
}

TEST_CASE("a task that encounters a parallel region goes on after it") {
  const Scratch scratch;
  Seed seed;  // the worker's task runs from 1100 to 1150; its inner team has the worker alone
  seed.d.groups.push_back({"Inner team", GroupKind::comm_group, Paradigm::openmp, {1}});
  seed.d.comms.push_back({"Inner team", 4, 0});
  seed.insert(1, event(1110, EventType::thread_fork, 0, 1));
  seed.insert(1, event(1110, EventType::team_begin, 2));
  seed.span(1, 1110, 1120, r_parallel);
  seed.insert(1, event(1120, EventType::team_end, 2));
  seed.insert(1, event(1120, EventType::thread_join));
  seed.span(1, 1130, 1140, r_target);
  write_archive(seed.trace, scratch / "out");
  const auto report = check::check(scratch / "out");
  INFO(explain(report));
  CHECK(report.valid());
}

TEST_CASE("sections that share one place are not told apart, others are executed once") {
  for (const bool apart : {false, true}) {
    const Scratch scratch;
    Seed seed;
    const auto number = static_cast<std::uint32_t>(seed.d.regions.size());
    for (const auto* name : {"sections", "section"}) {
      auto region = seed.d.regions[r_parallel];
      region.name = region.canonical = "!$omp " + std::string{name} + " @app.c:3";
      region.role = name == std::string{"section"} ? RegionRole::section : RegionRole::sections;
      seed.d.regions.push_back(region);
    }
    if (apart) {
      auto region = seed.d.regions[number + 1];
      region.name = region.canonical = "!$omp section @app.c:33";
      region.begin_line = 33;
      seed.d.regions.push_back(region);
      seed.span(0, 1205, 1205, number + 2);
    }
    for (std::size_t location = 0; location < 2; ++location) {
      seed.span(location, 1201, 1208, number);
      seed.span(location, 1203, 1204, number + 1);
    }
    write_archive(seed.trace, scratch / "out");
    const auto report = check::check(scratch / "out");
    INFO(explain(report));
    CHECK(with_outcome(report, check::Outcome::violated) == (apart ? Rules{"E22"} : Rules{}));
  }
}

TEST_CASE("totals are compared with what the program counted") {
  const Scratch scratch;
  write_archive(make_sample(), scratch / "out");
  CHECK(
      check::check(scratch / "out", {{{"tasks created", 1}, {"critical", 2}, {"threads", 2}, {"lock acquisitions", 2}}})
          .valid());
  const auto report = check::check(scratch / "out", {{{"tasks created", 2}}});
  CHECK(with_outcome(report, check::Outcome::violated) == Rules{"E25"});
  CHECK_THAT(explain(report), Contains("tasks created: 2 in the program, 1 in the trace"));
}

TEST_CASE("an archive that cannot be read at all is an error") {
  const Scratch scratch;
  CHECK_THROWS_AS(check::check(scratch / "nothing"), Error);
}
