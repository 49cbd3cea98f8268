// SPDX-License-Identifier: BSD-3-Clause
// Metrics of several members: an event for each value, in a reader, a copy, and where reading goes on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "again.hpp"
#include "catch.hpp"
#include "formats/otf2/join/sampled_archive.hpp"
#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/read/opened_views.hpp"
#include "formats/otf2/read/reader.hpp"
#include "formats/otf2/write/sink.hpp"
#include "sampled.hpp"
#include "seed.hpp"
#include "support/scratch.hpp"
#include "tracer/event_source.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

/// The sample archive with two counters at each sample: cycles are twice the instructions.
void write_counters(const Scratch& scratch, const fs::path& name, samples::SampleSet set = samples_of_sample()) {
  set.strings.push_back("cycles");
  set.counters.push_back({12, 0});
  std::vector<std::uint64_t> values;
  for (const std::uint64_t value : set.values) values.insert(values.end(), {value, 2 * value});
  set.values = values;
  write_archive(sample_with_threads(), scratch / "plain");
  otf2::write_sampled(otf2::Trace::open(scratch / "plain"), set, scratch / name);
}

using Value = std::tuple<LocationRef, std::uint64_t, std::string, std::uint64_t>;

class Values final : public EventVisitor {
 public:
  explicit Values(const Definitions& definitions) : definitions_{definitions} {}
  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override {
    ++events;
    if (event.type == EventType::metric_uint)
      found.emplace_back(location, event.time, definitions_.metrics.at(event.ref).name, event.a);
  }
  std::vector<Value> found;
  std::size_t events = 0;

 private:
  const Definitions& definitions_;
};

std::vector<Value> values_of(const fs::path& directory) {
  const auto source = otf2::open_archive(directory / "traces.otf2");
  Values values{source->definitions()};
  source->read(values);
  return values.found;
}

std::vector<Value> values_of_worker(const fs::path& directory) {
  std::vector<Value> found = values_of(directory);
  std::erase_if(found, [](const Value& value) { return std::get<0>(value) != 1; });
  return found;
}

/// The places of each call, and how many events were before it.
class Places final : public EventVisitor {
 public:
  explicit Places(const otf2::PositionedSource& source) : source_{source} {}
  void event(LocationRef, const Event&, std::span<const EventAttribute>) override {}
  void events(LocationRef, std::span<const Event> events, std::span<const EventAttribute>) override {
    found.emplace_back(before_, source_.places());
    before_ += events.size();
  }
  std::vector<std::pair<std::size_t, std::vector<otf2::ResumePlace>>> found;

 private:
  const otf2::PositionedSource& source_;
  std::size_t before_ = 0;
};

}  // namespace

TEST_CASE("a metric of two members is two metrics, and its event one for each value") {
  const Scratch scratch;
  write_counters(scratch, "sampled");
  const auto source = otf2::open_archive(scratch / "sampled/traces.otf2");
  std::size_t of_threads = 0;
  for (const Metric& metric : source->definitions().metrics) {
    const bool is_counter = metric.name == "instructions" || metric.name == "cycles";
    INFO(metric.name);
    CHECK(metric.of_thread() == is_counter);
    if (is_counter) CHECK(metric.mode == 0);  // accumulated since the start
    of_threads += is_counter ? 1 : 0;
  }
  CHECK(of_threads == 2);
  CHECK(values_of_worker(scratch / "sampled") == std::vector<Value>{{1, 1032, "instructions", 100},
                                                                    {1, 1032, "cycles", 200},
                                                                    {1, 1120, "instructions", 200},
                                                                    {1, 1120, "cycles", 400},
                                                                    {1, 1170, "instructions", 300},
                                                                    {1, 1170, "cycles", 600}});
}

TEST_CASE("a counter that falls has no value there: its metric accumulates") {
  const Scratch scratch;
  samples::SampleSet set = samples_of_sample();
  set.values.at(8) = 50;  // the worker's second sample
  write_counters(scratch, "sampled", set);
  CHECK(values_of_worker(scratch / "sampled") == std::vector<Value>{{1, 1032, "instructions", 100},
                                                                    {1, 1032, "cycles", 200},
                                                                    {1, 1170, "instructions", 300},
                                                                    {1, 1170, "cycles", 600}});
  CHECK(!with_outcome(check::check(scratch / "sampled"), check::Outcome::violated).contains("E32"));
}

TEST_CASE("an archive that is written anew has all values of a metric, and what they mean") {
  const Scratch scratch;
  write_counters(scratch, "sampled");
  write_again(scratch / "sampled", scratch / "copy");
  CHECK(values_of(scratch / "copy") == values_of(scratch / "sampled"));
  const auto source = otf2::open_archive(scratch / "sampled/traces.otf2");
  const auto copy = otf2::open_archive(scratch / "copy/traces.otf2");
  const std::vector<Metric>& after = copy->definitions().metrics;
  for (const Metric& before : source->definitions().metrics) {
    INFO(before.name);
    CHECK(std::any_of(after.begin(), after.end(), [&](const Metric& one) {
      return one.name == before.name && one.mode == before.mode && one.of_thread() == before.of_thread() &&
             one.scope_location == before.scope_location;
    }));
  }
  const Rules violated = with_outcome(check::check(scratch / "copy"), check::Outcome::violated);
  for (const char* const rule : {"D12", "E32"}) CHECK(!violated.contains(rule));
}

TEST_CASE("reading goes on between events with several values as it did the first time") {
  const Scratch scratch;
  write_counters(scratch, "sampled");
  const auto source = otf2::open_archive(scratch / "sampled/traces.otf2");
  Values all{source->definitions()};
  source->read(all);
  Places places{*source};
  source->read(places);
  const auto trace = otf2::Trace::open(scratch / "sampled");
  const otf2::OpenedViews views{trace};
  for (const auto& [before, at] : places.found) {
    Values rest{source->definitions()};
    source->read_on(at, rest);
    CHECK(rest.events == all.events - before);
    CHECK(views.readers(at).size() == trace.definitions().locations.size());
  }
}
