// SPDX-License-Identifier: BSD-3-Clause
// What the OTF2 sink writes, read back by the distribution's own readers, and how it fails.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "formats/otf2/join/join.hpp"
#include "formats/otf2/read/reader.hpp"
#include "formats/otf2/write/sink.hpp"
#include "sample.hpp"
#include "support/scratch.hpp"
#include "tracer/error.hpp"

using namespace tracer;
using namespace tracer::test;
namespace fs = std::filesystem;

namespace {

bool python_reads_otf2() {
  static const bool yes = run_command(PYTHON3 " -c 'import otf2' 2>&1").status == 0;
  return yes;
}

std::string python_dump(const fs::path& anchor) {
  const auto result =
      run_command(PYTHON3 " " TRACER_SOURCE_DIR "/tests/archive/dump.py '" + anchor.string() + "' 2>&1");
  CHECK(result.status == 0);
  return result.output;
}

/// What otf2-print says on stderr, and its status when that is not 0.
std::string complaints(const fs::path& anchor) {
  const auto result = run_command(OTF2_PRINT " --silent '" + anchor.string() + "' 2>&1 >/dev/null");
  return result.status == 0 ? result.output : result.output + "status " + std::to_string(result.status);
}

/// The sample with more metrics, of which one is used.
SampleTrace sample_with_metrics() {
  SampleTrace trace = make_sample();
  std::vector<Metric>& metrics = trace.definitions.metrics;
  metrics.resize(4, {"Counter", "", "#", undefined_ref, undefined_ref});
  std::vector<Event>& events = trace.locations[0].events;
  Event value = events.back();
  value = {.time = value.time, .type = EventType::metric_uint, .attributes = 0, .sub = 0, .ref = 3, .a = 7, .b = 0};
  events.insert(events.end() - 1, value);
  return trace;
}

/// The same, before whose attributes, parameters, groups, communicators and windows stands one that nothing uses.
SampleTrace sample_with_unused() {
  SampleTrace trace = sample_with_metrics();
  Definitions& d = trace.definitions;
  d.attributes.insert(d.attributes.begin(), {"unused", "", ValueType::uint64, false});
  d.parameters.insert(d.parameters.begin(), {"unused", EventType::parameter_uint, false});
  d.groups.insert(d.groups.begin() + 2, {"unused", GroupKind::comm_group, Paradigm::openmp, {1}, false});
  d.comms.insert(d.comms.begin(), {"unused", 2, undefined_ref, false});
  for (std::size_t i = 1; i < d.comms.size(); ++i) ++d.comms[i].group;
  for (RmaWindow& window : d.windows) ++window.comm;
  d.windows.insert(d.windows.begin(), {"unused", 0, false});
  for (LocationEvents& location : trace.locations) {
    for (EventAttribute& attribute : location.attributes) ++attribute.attribute;
    for (Event& event : location.events) {
      const bool has_comm = event.type >= EventType::team_begin && event.type <= EventType::task_complete;
      const bool has_parameter = event.type >= EventType::parameter_int && event.type <= EventType::parameter_string;
      const bool has_window = event.type >= EventType::rma_get && event.type <= EventType::rma_op_complete_blocking;
      event.ref += has_comm || has_parameter ? 1 : 0;
      event.sub = static_cast<std::uint16_t>(event.sub + (has_window ? 1 : 0));
    }
  }
  return trace;
}

unsigned mode_of(const fs::path& path) {
  struct stat s {};
  REQUIRE(::stat(path.c_str(), &s) == 0);
  return s.st_mode & 07777;
}

}  // namespace

TEST_CASE("the archive is an anchor, definitions, and two files for every location") {
  const Scratch scratch;
  const mode_t before = ::umask(027);  // says who may read
  auto trace = make_sample();
  trace.definitions.locations.push_back({"OMP thread 2", LocationKind::cpu_thread, 0, {}});  // never opened
  write_archive(trace, scratch / "out");
  ::umask(before);
  CHECK(mode_of(scratch / "out") == 0750);
  CHECK(mode_of(scratch / "out/traces") == 0750);
  for (const char* file :
       {"traces.otf2", "traces.def", "traces/0.evt", "traces/0.def", "traces/3.evt", "traces/3.def"}) {
    INFO(file);
    CHECK(mode_of(scratch / "out" / file) == 0640);
  }
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(scratch.path())) ++entries;
  CHECK(entries == 1 + 3 + 8);
}

TEST_CASE("otf2-print reads the sample without complaint") {
  if (std::string{OTF2_PRINT}.empty()) SKIP_TEST("otf2-print is not installed");
  const Scratch scratch;
  write_archive(make_sample(), scratch / "out");
  CHECK(complaints(scratch / "out/traces.otf2") == "");
}

TEST_CASE("python3-otf2 reads every event of the sample as it was given") {
  if (!python_reads_otf2()) SKIP_TEST("python3-otf2 is not installed");
  const Scratch scratch;
  write_archive(make_sample(), scratch / "out");
  const auto text = python_dump(scratch / "out/traces.otf2");
  INFO(text);
  for (const char* line : {
           "location Master thread 39 Process\n",
           "location OMP thread 1 23 Process\n",
           "location CUDA[0:7] 5 CUDA[0]\n",
           "1000 Master thread ProgramBegin",
           "program_name=app",
           "1010 Master thread ThreadFork model=OPENMP number_of_requested_threads=2\n",
           "{ ThreadId:4712 }\n",
           "1080 Master thread ThreadTaskCreate creating_thread=0 generation_number=1 thread_team=Thread team 0 { "
           "PARENT_TASK_ID:11 TASK_ID:77 }\n",
           "1060 Master thread ThreadAcquireLock acquisition_order=1 lock_id=1 model=OPENMP\n",
           "1300 CUDA[0:7] RmaGet bytes=64 matching_id=101 remote=0 win=CUDA window { HOST_OP_ID:101 TARGET_ID:9 }\n",
           "1320 CUDA[0:7] RmaOpCompleteBlocking matching_id=101 win=CUDA window\n",
           "1500 Master thread ProgramEnd exit_status=0\n",
           "events 67\n",
       }) {
    CHECK_THAT(text, ContainsSubstring(line));
  }
}

TEST_CASE("what nothing uses is not in the archive and leaves no gap") {
  if (std::string{OTF2_PRINT}.empty() || !python_reads_otf2()) SKIP_TEST("otf2-print or python3-otf2 is missing");
  const Scratch scratch;
  write_archive(sample_with_metrics(), scratch / "without");
  write_archive(sample_with_unused(), scratch / "out");
  CHECK(complaints(scratch / "out/traces.otf2") == "");
  CHECK(python_dump(scratch / "out/traces.otf2") == python_dump(scratch / "without/traces.otf2"));
  CHECK((mode_of(scratch / "out/traces/0.def") & 0622) == 0600);
}

TEST_CASE("many locations are written by several threads in little memory") {
  const Scratch scratch;
  const auto trace = make_large(520, 20);
  const auto sink = make_otf2_sink(scratch / "out");
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 4; ++first) {
    threads.emplace_back([&, first] {
      for (std::size_t i = first; i < trace.locations.size(); i += 4) {
        const auto writer = sink->open(static_cast<LocationRef>(i));
        writer->write(trace.locations[i].events, {});
        writer->close();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  sink->finish(trace.definitions);
  if (!std::string{OTF2_PRINT}.empty()) {
    CHECK(complaints(scratch / "out/traces.otf2") == "");
  }
}

TEST_CASE("thousands of locations need few descriptors") {
  const Scratch scratch;
  const auto trace = make_large(3000, 2);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit few{48, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  std::string message;
  try {
    write_archive(trace, scratch / "out");
  } catch (const Error& error) {
    message = error.what();
  }
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(message == "");
  CHECK(fs::exists(scratch / "out/traces/2999.evt"));
  CHECK(fs::exists(scratch / "out/traces.otf2"));
}

TEST_CASE("a location may be many chunks long") {
  if (!python_reads_otf2()) SKIP_TEST("python3-otf2 is not installed");
  const Scratch scratch;
  write_archive(make_large(2, 60'000), scratch / "out");
  CHECK(fs::file_size(scratch / "out/traces/0.evt") > 3 * 256 * 1024);
  CHECK_THAT(python_dump(scratch / "out/traces.otf2"), ContainsSubstring("events 240000\n"));
}

TEST_CASE("definitions may be larger than a chunk") {
  const Scratch scratch;
  auto trace = make_sample();
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    auto region = trace.definitions.regions[0];
    region.name = region.canonical = "!$omp parallel @app.c:" + std::to_string(1000 + i);
    trace.definitions.regions.push_back(region);
  }
  trace.definitions.groups[2].members.assign(100'000, 1);
  trace.definitions.regions[1].description.assign(1 << 20, 'x');
  write_archive(trace, scratch / "out");
  if (!std::string{OTF2_PRINT}.empty()) {
    CHECK(complaints(scratch / "out/traces.otf2") == "");
  }
}

TEST_CASE("an event older than the one before it is refused and leaves no archive") {
  const Scratch scratch;
  {
    const auto sink = make_otf2_sink(scratch / "out");
    const auto writer = sink->open(0);
    const std::vector<Event> events{
        {.time = 20, .type = EventType::enter, .attributes = 0, .sub = 0, .ref = 0, .a = 0, .b = 0},
        {.time = 10, .type = EventType::leave, .attributes = 0, .sub = 0, .ref = 0, .a = 0, .b = 0}};
    CHECK_THROWS_WITH(writer->write(events, {}),
                      ContainsSubstring("location 0") && ContainsSubstring("time 10") && ContainsSubstring("older"));
    CHECK_THROWS_AS(writer->close(), Error);
    CHECK_THROWS_AS(sink->finish(make_sample().definitions), Error);
  }
  CHECK_FALSE(fs::exists(scratch / "out/traces.otf2"));
}

TEST_CASE("a sink that is not finished leaves no anchor") {
  const Scratch scratch;
  {
    const auto sink = make_otf2_sink(scratch / "out");
    const auto writer = sink->open(0);
  }
  CHECK_FALSE(fs::exists(scratch / "out/traces.otf2"));
}

TEST_CASE("an archive is never overwritten, nor a link followed") {
  const Scratch scratch;
  write_archive(make_sample(), scratch / "out");
  CHECK_THROWS_WITH(make_otf2_sink(scratch / "out"), ContainsSubstring("archive already"));
  fs::create_directories(scratch / "other");
  fs::create_directories(scratch / "elsewhere");
  fs::create_directory_symlink(scratch / "elsewhere", scratch / "other/traces");
  CHECK_THROWS_AS(make_otf2_sink(scratch / "other"), Error);
  std::ofstream{scratch / "file"} << "x";
  CHECK_THROWS_WITH(make_otf2_sink(scratch / "file"), ContainsSubstring("cannot make the directory"));
  CHECK(fs::is_empty(scratch / "elsewhere"));
}

TEST_CASE("a full disk is one error, and the sink is never used again") {
  const Scratch scratch;
  const auto sink = make_otf2_sink(scratch / "out");
  const auto trace = make_large(1, 40'000);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{300'000, before.rlim_max};
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string message;
  try {
    const auto writer = sink->open(0);
    writer->write(trace.locations[0].events, {});
    writer->close();
  } catch (const Error& error) {
    message = error.what();
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, old);
  INFO(message);
  CHECK_THAT(message, ContainsSubstring("location 0"));
  CHECK_THROWS_AS(sink->open(1), Error);
  CHECK_THROWS_AS(sink->finish(trace.definitions), Error);
  CHECK_FALSE(fs::exists(scratch / "out/traces.otf2"));
}

TEST_CASE("level 3.0 holds no value that its readers do not know") {
  if (!python_reads_otf2()) SKIP_TEST("python3-otf2 is not installed");
  const Scratch scratch;
  auto trace = make_sample();
  for (auto& p : trace.definitions.paradigms) {
    if (p.paradigm == Paradigm::cuda) p.paradigm = Paradigm::openmp_target;
  }
  for (auto& region : trace.definitions.regions) {
    if (region.paradigm == Paradigm::cuda) region.paradigm = Paradigm::openmp_target;
  }
  trace.definitions.regions[8].role = RegionRole::cancel;
  write_archive(trace, scratch / "out");
  CHECK_THAT(python_dump(scratch / "out/traces.otf2"), ContainsSubstring("events 67\n"));
}

TEST_CASE("properties that the anchor file cannot hold are made to fit") {
  const Scratch scratch;
  auto trace = make_sample();
  trace.definitions.properties.push_back({"TRACER::RUNTIME::libomp 5.0", "two\nlines"});
  trace.definitions.properties.push_back({"TRACER::EMPTY", ""});
  trace.definitions.description = "with\na new line";
  write_archive(trace, scratch / "out");
  std::ifstream file{scratch / "out/traces.otf2"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("TRACER::RUNTIME::LIBOMP_5_0=two lines") || ContainsSubstring("two lines"));
}

TEST_CASE("an archive of a process that made thousands of communicators can be read") {
  const Scratch scratch;
  auto trace = make_sample();
  for (unsigned i = 0; i < 10'000; ++i)
    trace.definitions.properties.push_back({"TRACER::MPI::COMM::" + std::to_string(i),
                                            "ref=1;identity=WORLD/1762@0/1@0;parent=0;size=2;rank=1;members=0-1"});
  trace.definitions.properties.push_back({"TRACER::LAST", "is there"});
  write_archive(trace, scratch / "out");
  const auto read = otf2::Trace::open(scratch / "out");
  const auto* last = read.info().property("TRACER::LAST");
  REQUIRE(last != nullptr);
  CHECK(*last == "is there");
  std::set<std::string> comms;
  for (const Property& property : otf2::read_part(scratch / "out").properties)
    if (property.name.starts_with("TRACER::MPI::COMM::")) comms.insert(property.name);
  CHECK(comms.size() == 10'000);
}
