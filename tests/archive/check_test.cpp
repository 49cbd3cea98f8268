// SPDX-License-Identifier: BSD-3-Clause
// What `tracer check` says of good archives, and how it says what is wrong.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "formats/otf2/common/trace_definitions.hpp"
#include "formats/otf2/read/reader.hpp"
#include "sampled_seed.hpp"
#include "seed.hpp"
#include "tracer/error.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

/// Those of the OTF2 library in the anchor file.
std::string version_bytes(const fs::path& dir) {
  const auto* version = otf2::Trace::open(dir).info().version;
  std::string bytes;
  for (std::size_t i = 0; i < 3; ++i) bytes += static_cast<char>(version[i]);
  return bytes;
}

/// Our writer takes the right kind: changes that of the asynchronous metric classes.
void change_recorder_kind(const fs::path& definitions, char from, char to) {
  std::ifstream in{definitions, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  constexpr char metric_class_record = 20, asynchronous = 2;
  constexpr std::size_t longest = 16;
  bool is_there = false;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {  // kind, length, ..., occurrence, recorder kind
    const auto length = static_cast<unsigned char>(bytes[i + 1]);
    const std::size_t last = i + 1 + length;
    if (bytes[i] != metric_class_record || length < 5 || length > longest || last >= bytes.size()) continue;
    if (bytes[last - 1] != asynchronous || bytes[last] != from) continue;
    bytes[last] = to;
    is_there = true;
  }
  REQUIRE(is_there);
  std::ofstream{definitions, std::ios::binary | std::ios::trunc} << bytes;
}

}  // namespace

TEST_CASE("a good archive violates no rule") {
  const Scratch scratch;
  write_archive(make_sample(), scratch / "out");
  const auto report = check::check(scratch / "out");
  INFO(explain(report));
  CHECK(report.valid());
  CHECK(report.events == 67);
  CHECK(report.findings.size() == 52);
  CHECK(with_outcome(report, check::Outcome::not_applicable) ==
        Rules{"D19", "E17", "E18", "E22", "E25", "E26", "E27", "E28", "E29", "E30", "E31", "E32", "E33"});
  for (const auto& f : report.findings) CHECK((f.outcome == check::Outcome::not_applicable) == !f.why.empty());
}

TEST_CASE("the class of a metric instance is abstract, and no event is of an abstract class") {
  constexpr char unknown = 0, abstract = otf2::values::recorder_abstract, cpu = otf2::values::recorder_cpu;
  const Scratch scratch;
  Seed instances;
  write_archive(instances.trace, scratch / "instances");
  change_recorder_kind(scratch / "instances/traces.def", abstract, cpu);
  CHECK(with_outcome(check::check(scratch / "instances"), check::Outcome::violated) == Rules{"D12"});
  Seed classes;
  for (auto& metric : classes.d.metrics) metric.recorder = undefined_ref;
  write_archive(classes.trace, scratch / "classes");
  CHECK(with_outcome(check::check(scratch / "classes"), check::Outcome::violated).empty());
  change_recorder_kind(scratch / "classes/traces.def", unknown, abstract);
  CHECK(with_outcome(check::check(scratch / "classes"), check::Outcome::violated) == Rules{"D12"});
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
  CHECK_THAT(found->first.what, ContainsSubstring("!$omp for @app.c:4"));
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

TEST_CASE("where a filter has left regions out the executor of a single need not be in it") {
  for (const bool is_filtered : {false, true}) {
    const Scratch scratch;
    Seed seed;
    const auto number = static_cast<std::uint32_t>(seed.d.regions.size());
    auto sblock = seed.d.regions[r_parallel];
    sblock.name = sblock.canonical = "!$omp single sblock @app.c:3";
    sblock.role = RegionRole::single_sblock;
    seed.d.regions.push_back(sblock);
    seed.span(0, 1203, 1205, number);
    if (is_filtered) seed.d.properties.push_back({"TRACER::FILTER", "EXCLUDE single"});
    write_archive(seed.trace, scratch / "out");
    const auto report = check::check(scratch / "out");
    INFO(explain(report));
    CHECK(with_outcome(report, check::Outcome::violated) == (is_filtered ? Rules{} : Rules{"E22"}));
  }
}

TEST_CASE("a stream copies while a region says that nothing computes") {
  Seed seed;
  const auto idle = static_cast<std::uint32_t>(seed.d.regions.size());
  Region region = seed.d.regions[r_kernel];
  region.name = region.canonical = "COMPUTE IDLE";
  region.role = RegionRole::artificial;
  seed.d.regions.push_back(region);
  seed.span(2, 1290, 1350, idle);  // around the transfer
  check_valid(seed);
}

TEST_CASE("processes hold streams in archives of OTF2 before 3.0") {
  for (const unsigned major : {2u, 3u}) {
    const Scratch scratch;
    Seed seed;
    seed.d.locations[2].group = 0;
    seed.d.groups_of_locations.pop_back();
    seed.d.nodes.pop_back();
    write_archive(seed.trace, scratch / "out");
    replace(scratch / "out/traces.otf2", version_bytes(scratch / "out"), std::string{static_cast<char>(major), 3, 0});
    const auto report = check::check(scratch / "out");
    INFO(explain(report));
    CHECK((with_outcome(report, check::Outcome::violated).count("D07") == 1) == (major == 3));
  }
}

TEST_CASE("a thread may write its buffer between the end of a parallel region and its team's") {
  Seed seed;
  seed.insert(1, event(1235, EventType::buffer_flush, 0, 1235));
  auto& events = seed.events(1);
  std::swap(events[events.size() - 1], events[events.size() - 2]);
  CHECK(events.back().type == EventType::team_end);
  check_valid(seed);
}

TEST_CASE("a second submit is found after the kernel, and a second kernel of a submit is none of another") {
  constexpr std::uint32_t submit = 12;
  for (const bool is_submit : {true, false}) {
    const Scratch scratch;
    Seed seed;
    const std::size_t location = is_submit ? 0 : 2;
    seed.insert(location, event(1440, EventType::enter, is_submit ? submit : std::uint32_t{r_kernel}));
    seed.insert(location, event(1441, EventType::parameter_uint, p_callsite_id, 102));
    seed.insert(location, event(1450, EventType::leave, is_submit ? submit : std::uint32_t{r_kernel}));
    write_archive(seed.trace, scratch / "out");
    const auto report = check::check(scratch / "out");
    INFO(explain(report));
    CHECK(with_outcome(report, check::Outcome::violated) == (is_submit ? Rules{"E14"} : Rules{}));
  }
}

TEST_CASE("of many nodes one below the other each is below the root, unless they are in a circle") {
  constexpr std::uint32_t many = 3000;
  for (const bool is_circle : {false, true}) {
    const Scratch scratch;
    Seed seed;
    const auto first = static_cast<std::uint32_t>(seed.d.nodes.size());
    for (std::uint32_t i = 0; i < many; ++i)
      seed.d.nodes.push_back({"node", "node", i == 0 ? 1 : first + i - 1, NodeDomain::none, {}});
    if (is_circle) seed.d.nodes[first].parent = first + many / 2;
    write_archive(seed.trace, scratch / "out");
    const auto report = check::check(scratch / "out");
    const auto found =
        std::find_if(report.findings.begin(), report.findings.end(), [](const auto& f) { return f.rule == "D08"; });
    CHECK(found->count == (is_circle ? many : 0));
  }
}

TEST_CASE("totals are compared with what the program counted") {
  const Scratch scratch;
  write_archive(make_sample(), scratch / "out");
  check::CheckOptions counted;
  counted.expected = {{"tasks created", 1}, {"critical", 2}, {"threads", 2}, {"lock acquisitions", 2}};
  CHECK(check::check(scratch / "out", counted).valid());
  counted.expected = {{"tasks created", 2}};
  const auto report = check::check(scratch / "out", counted);
  CHECK(with_outcome(report, check::Outcome::violated) == Rules{"E25"});
  CHECK_THAT(explain(report), ContainsSubstring("tasks created: 2 in the program, 1 in the trace"));
}

TEST_CASE("constructs of an archive with samples are counted, too") {
  const Scratch scratch;
  write_archive(sample_with_threads(), scratch / "out");
  put_samples(scratch / "out");
  check::CheckOptions counted;
  counted.expected = {{"critical", 2}, {"parallel", 2}};
  CHECK(check::check(scratch / "out", counted).valid());
  counted.expected = {{"critical", 3}};
  CHECK(with_outcome(check::check(scratch / "out", counted), check::Outcome::violated) == Rules{"E25"});
}

TEST_CASE("an archive that cannot be read at all is an error") {
  const Scratch scratch;
  CHECK_THROWS_AS(check::check(scratch / "nothing"), Error);
}
