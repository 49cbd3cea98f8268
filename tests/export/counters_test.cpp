// SPDX-License-Identifier: BSD-3-Clause
// Counters of several threads, and several of one name, in the formats of viewers.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "formats/chrome/chrome.hpp"
#include "formats/perfetto/perfetto.hpp"

using namespace tracer;

namespace {

/// A process of two threads; a metric of each thread, one of the process, and another of that one's name.
Definitions definitions() {
  Definitions d;
  d.groups_of_locations = {{"Process", LocationGroupKind::process, undefined_ref, undefined_ref, {}}};
  d.locations = {{"Master thread", LocationKind::cpu_thread, 0, {}}, {"OMP thread 1", LocationKind::cpu_thread, 0, {}}};
  d.metrics = {{"cycles", "", "#"}, {"work", "", "#"}, {"work", "", "#"}};
  d.metrics[0].occurrence = 1;  // synchronous
  return d;
}

void write_counters(TimelineVisitor& writer) {
  for (const std::uint32_t metric : {0u, 1u, 2u})
    for (const LocationRef location : {0u, 1u}) {
      Counter counter;
      counter.metric = metric;
      counter.location = location;
      counter.time = 1 + location;
      counter.value = 7;
      writer.counter(counter);
    }
  writer.finish();
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("in Chrome's format counters of a thread, and others of one name, have ids") {
  const Definitions d = definitions();
  std::ostringstream out;
  write_counters(*make_chrome_writer(d, out));
  const std::string text = out.str();
  CHECK(count(text, "\"name\":\"cycles\",\"id\":\"t") == 2);
  CHECK(count(text, "\"name\":\"work\",\"pid\"") == 2);
  CHECK(count(text, "\"name\":\"work\",\"id\":\"m2\"") == 2);
  const auto id = [&text](std::size_t from) {
    const auto at = text.find("\"id\":\"t", from);
    return text.substr(at, text.find(',', at) - at);
  };
  CHECK(id(0) != id(text.find("\"id\":\"t") + 1));
}

TEST_CASE("in Perfetto's format counters of a thread have a track for each thread, others one for the process") {
  const Definitions d = definitions();
  std::ostringstream out;
  write_counters(*make_perfetto_writer(d, out));
  CHECK(count(out.str(), "cycles") == 2);
  CHECK(count(out.str(), "work") == 2);
}

TEST_CASE("the unit of a counter has the factor of its values") {
  Definitions d = definitions();
  d.metrics[0] = {"traffic", "", "Bytes"};
  d.metrics[0].base = 0;
  d.metrics[0].exponent = 10;
  d.metrics[1] = {"time", "", "s"};
  d.metrics[1].exponent = -6;
  d.metrics[2] = {"rate", "", ""};
  d.metrics[2].exponent = 3;
  CHECK(d.metrics[0].shown_unit() == "2^10 Bytes");
  CHECK(d.metrics[1].shown_unit() == "10^-6 s");
  CHECK(d.metrics[2].shown_unit() == "10^3");
  std::ostringstream out;
  write_counters(*make_perfetto_writer(d, out));
  CHECK(count(out.str(), "2^10 Bytes") == 1);
  CHECK(count(out.str(), "10^-6 s") == 1);
}

TEST_CASE("in Perfetto's format an unsigned counter beyond whole numbers with a sign is a real one") {
  const Definitions d = definitions();
  std::ostringstream out;
  const auto writer = make_perfetto_writer(d, out);
  Counter counter;
  for (const std::uint64_t value : {std::uint64_t{7}, std::uint64_t{1} << 63}) {
    counter.value = value;
    writer->counter(counter);
  }
  writer->finish();
  using namespace std::string_literals;
  CHECK(count(out.str(), "\xf0\x01\x07"s) == 1);                              // counter_value
  CHECK(count(out.str(), "\xe1\x02\x00\x00\x00\x00\x00\x00\xe0\x43"s) == 1);  // double_counter_value: 2^63
}

TEST_CASE("in Chrome's format a phase's max_over_mean has all its digits") {
  Definitions d = definitions();
  d.regions.emplace_back().name = "phase";
  std::ostringstream out;
  const auto writer = make_chrome_writer(d, out);
  PhaseTotals totals;
  totals.max_over_mean = 4.0 / 3;
  writer->phase(totals);
  writer->finish();
  CHECK(count(out.str(), "\"max_over_mean\":1.3333333333333333}") == 1);
}
