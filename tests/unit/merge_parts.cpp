// SPDX-License-Identifier: BSD-3-Clause
// Which traces of a job are its parts, and which of them is the process that started another.
#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "formats/otf2/write/sink.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/convert/convert.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/definitions.hpp"
#include "tracer/error.hpp"
#include "tracer/merge/collect.hpp"
#include "tracer/merge/merge.hpp"
#include "tracer/merge/part_of_job.hpp"

namespace tracer {
namespace {

PartOfJob process(std::string host, std::string id, std::string parent, std::uint64_t begin) {
  PartOfJob part;
  part.host = std::move(host);
  part.process_id = std::move(id);
  part.parent_id = std::move(parent);
  part.clock.clock.realtime = begin;
  return part;
}

TEST_CASE("a process was started by the last one of its host that had that number when it began") {
  const std::vector<PartOfJob> parts{
      process("a", "10", "", 1000),   process("b", "10", "1", 1000),
      process("a", "11", "10", 2000), process("a", "10", "1", 3000),  // the number again, of another process
      process("a", "12", "10", 4000), process("b", "13", "10", 500),  // before that one began
      process("a", "14", "14", 5000), process("c", "15", "10", 6000),
  };
  const std::uint32_t none = undefined_ref;
  CHECK(parents_of(parts) == std::vector<std::uint32_t>{none, none, 0, none, 3, none, none, none});
}

/// "": the job has none.
std::string property_of_job(const std::vector<std::vector<Property>>& of_parts, const std::string& name) {
  std::vector<PartOfJob> parts;
  for (const std::vector<Property>& properties : of_parts) parts.emplace_back().summary.properties = properties;
  for (const Property& property : properties_of_job(parts))
    if (property.name == name) return property.value;
  return {};
}

TEST_CASE("what is missing of some processes of a job is missing of the job") {
  const std::string filter = "TRACER::FILTER", record = "TRACER::SETTING::TRACER_RECORD";
  CHECK(property_of_job({{{filter, "EXCLUDE single"}}, {}}, filter) == "EXCLUDE single");
  CHECK(property_of_job({{}, {{filter, "EXCLUDE a; EXCLUDE b"}}, {{filter, "EXCLUDE b; EXCLUDE c"}}}, filter) ==
        "EXCLUDE a; EXCLUDE b; EXCLUDE c");
  CHECK(property_of_job({{{record, "default"}}, {{record, "-sync"}}, {{record, "default"}}}, record) ==
        "default; -sync");
  for (const std::string name :
       {"TRACER::PART", "TRACER::PROVENANCE", "TRACER::NOT_RECORDED", "TRACER::SETTING::TRACER_ON_FULL"})
    CHECK(property_of_job({{}, {{name, "something"}}}, name) == "something");
  // What one process' runtime does not report others' may.
  const std::string version = "TRACER::VERSION", not_reported = "TRACER::NOT_REPORTED";
  CHECK(property_of_job({{{version, "1"}}, {{version, "2"}}}, version).empty());
  CHECK(property_of_job({{{not_reported, "target constructs"}}, {}}, not_reported).empty());
  // Of many: as far as there is room, and that there are more.
  const std::string part = "TRACER::PART";
  std::vector<std::vector<Property>> many;
  for (int i = 0; i < 10'000; ++i) many.push_back({{part, "ranks " + std::to_string(i)}});
  const std::string of_many = property_of_job(many, part);
  CHECK(of_many.starts_with("ranks 0; ranks 1; "));
  CHECK(of_many.ends_with("; ..."));
  CHECK(of_many.size() < 40'000);
}

/// A process of one thread without events.
void make_archive(const std::filesystem::path& directory) {
  Definitions d;
  d.clock = {.resolution = 1'000'000'000, .offset = 0, .length = 1000, .realtime = 1};
  d.nodes = {{"node1", "node", undefined_ref, NodeDomain::shared_memory, {}}};
  d.groups_of_locations = {{"Process", LocationGroupKind::process, 0, undefined_ref, {}}};
  d.locations = {{"thread 0", LocationKind::cpu_thread, 0, {}}};
  d.strings = {""};
  const auto sink = make_otf2_sink(directory);
  sink->open(0)->close();
  sink->finish(d);
}

TEST_CASE("parts, and what is no part, come in the order of the traces, by however many threads they are read") {
  const test::Scratch scratch;
  std::vector<std::filesystem::path> traces;
  for (std::size_t i = 0; i < 12; ++i) {
    traces.push_back(scratch / std::to_string(i));
    make_archive(traces.back());
    if (i % 3 == 1) std::filesystem::remove_all(traces.back() / "traces");  // its events
  }
  for (const unsigned threads : {1u, 4u}) {
    MergeOptions options;
    options.conversion.threads = threads;
    MergeResult result;
    const std::vector<PartOfJob> parts = collect(traces, options, result);
    REQUIRE(parts.size() == 8);
    REQUIRE(result.left_out.size() == 4);
    for (std::size_t i = 0; i < 12; ++i) {
      if (i % 3 == 1) {
        CHECK(result.left_out[i / 3].starts_with(traces[i].string() + " cannot be joined: "));
      } else {
        CHECK(parts[i / 3 * 2 + (i % 3) / 2].directory == traces[i]);
      }
    }
  }
}

/// What was called while raw parts were converted.
struct Calls {
  std::atomic<int> beside{0}, alone{0}, strange{0};
};

/// Converts a part by its number: one in four fails, one needs more than its share, one recorded nothing.
ConvertResult convert_by_number(const std::filesystem::path& trace, const ConvertOptions& conversion, Calls& calls) {
  const int number = std::stoi(trace.filename().string());
  const bool is_beside = conversion.at_once > 1;
  ++(is_beside ? calls.beside : calls.alone);
  if (is_beside && (conversion.at_once != 4 || conversion.threads != 1 || !conversion.within_limits)) ++calls.strange;
  if (number % 4 == 1) throw Error("part " + std::to_string(number) + " is damaged");
  if (number % 4 == 2 && is_beside) conversion.waiting();  // another process has it now
  std::filesystem::remove_all(trace / "raw");
  if (number % 4 == 3) throw NothingRecorded(trace);
  make_archive(trace);
  ConvertResult made;
  made.damage.push_back("a line of part " + std::to_string(number));
  return made;
}

TEST_CASE("raw parts are converted several at once; what fails then is done alone, and messages are in order") {
  const test::Scratch scratch;
  for (const unsigned threads : {1u, 4u}) {
    std::vector<std::filesystem::path> traces;
    for (int i = 0; i < 12; ++i) {
      traces.push_back(scratch / std::to_string(threads) / "parts" / std::to_string(i));
      std::filesystem::create_directories(traces.back() / "raw");
      std::ofstream{traces.back() / "raw" / "journal"};
    }
    Calls calls;
    std::vector<double> shares;
    MergeOptions options;
    options.conversion.threads = threads;
    options.conversion.progress = [&](double share) { shares.push_back(share); };
    options.convert_one = [&](const std::filesystem::path& trace, const ConvertOptions& conversion) {
      return convert_by_number(trace, conversion, calls);
    };
    MergeResult result;
    const std::vector<PartOfJob> parts = collect(traces, options, result);
    CHECK(calls.beside.load() == (threads == 1 ? 0 : 12));
    CHECK(calls.alone.load() == (threads == 1 ? 12 : 6));
    CHECK(calls.strange.load() == 0);
    CHECK(std::is_sorted(shares.begin(), shares.end()));
    CHECK(shares.empty() == (threads == 1));
    if (!shares.empty()) CHECK(shares.back() == 1);
    REQUIRE(parts.size() == 6);
    REQUIRE(result.left_out.size() == 3);
    REQUIRE(result.notes.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
      const std::filesystem::path& trace = traces[2 * i];
      CHECK(parts[i].directory == trace);
      CHECK(result.notes[i].ends_with(": a line of part " + trace.filename().string()));
    }
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(result.left_out[i].starts_with(traces[4 * i + 1].string() + " cannot be joined: "));
      CHECK(std::filesystem::exists(traces[4 * i + 1] / "raw" / "journal"));
      CHECK_FALSE(std::filesystem::exists(traces[4 * i + 3]));
    }
  }
}

TEST_CASE("who joins a job says that another process is at it, and waits for that") {
  const test::Scratch scratch;
  UniqueFd other{::open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  REQUIRE(::flock(other.get(), LOCK_EX) == 0);
  MergeOptions options;
  int waits = 0;
  options.conversion.waiting = [&] {
    ++waits;
    other.reset();
  };
  CHECK_THROWS_AS(merge_job(scratch.path(), options), Error);  // there is nothing to join
  CHECK(waits == 1);
}

}  // namespace
}  // namespace tracer
