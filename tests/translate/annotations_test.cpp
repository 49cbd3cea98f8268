// SPDX-License-Identifier: BSD-3-Clause
// The program's own words: what nests is regions of its thread, the rest has locations of its own.
#include <algorithm>
#include <bit>

#include "catch.hpp"
#include "support/memory_trace.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using tracer::test::MemorySink;
using tracer::test::MemorySource;
using Lines = std::vector<std::string>;

namespace {

constexpr std::uint16_t nvtx = 1;
enum : std::uint32_t { outer = 1, inner, solver_domain, green_numerics, bytes_unit, some_text };
enum : std::uint16_t { unsigned_number = 1, signed_number, real_number, text };

Record said(Ticks time, RecordKind kind, std::uint32_t name, std::uint64_t where = 0, std::uint64_t c = 0,
            std::uint16_t payload = 0) {
  const Endpoint endpoint =
      kind == RecordKind::range_pop || kind == RecordKind::range_end ? Endpoint::end : Endpoint::begin;
  return {time, kind, endpoint, static_cast<std::uint16_t>(nvtx | payload << 4), name, where, c};
}
Record push(Ticks time, std::uint32_t name, std::uint64_t where = 0) {
  return said(time, RecordKind::range_push, name, where);
}
Record pop(Ticks time, std::uint64_t where = 0) {
  return said(time, RecordKind::range_pop, 0, where);
}

struct Run {
  MemorySource source;
  MemorySink sink;
  translate::TranslateReport report;

  Run() {
    source.journal_to_fill().run.main_thread_id = 100;
    source.journal_to_fill().strings = {
        {outer, "outer"}, {inner, "inner"}, {solver_domain, "solver"}, {green_numerics, "#ff00ff00 numerics"}};
  }
  void translate() { report = translate::translate(source, sink, {}); }
  Lines words(LocationRef location) const {
    Lines lines = sink.text(location);
    std::erase_if(lines, [](const std::string& line) { return line.find("program") != line.npos; });
    for (std::string& line : lines) {  // with times as recorded
      const auto space = line.find(' ');
      line = std::to_string(std::stoull(line) + sink.definitions.clock.offset) + line.substr(space);
    }
    return lines;
  }
  std::string name(LocationRef location) const { return sink.definitions.locations.at(location).name; }
};

}  // namespace

TEST_CASE("ranges that nest are regions of the user on their thread, with their attributes") {
  Run run;
  Record with_payload = push(20, inner, std::uint64_t{green_numerics} << 32);
  with_payload.sub |= 1 << 4;
  with_payload.c = 42;
  run.source.channel(0) = {push(10, outer), with_payload, pop(30), pop(40)};
  run.translate();
  CHECK(run.words(0) == Lines{"10 enter outer", "20 enter inner", "30 leave inner", "40 leave outer"});
  CHECK(run.sink.definitions.locations.size() == 1);
  CHECK(run.report.repairs.empty());
  REQUIRE(run.sink.definitions.regions.size() == 2);
  CHECK(run.sink.definitions.regions[0].paradigm == Paradigm::user);
  const auto& attributes = run.sink.locations[0].attributes;
  const auto has = [&](const std::string& name, std::uint64_t value) {
    return std::any_of(attributes.begin(), attributes.end(), [&](const EventAttribute& a) {
      return run.sink.definitions.attributes.at(a.attribute).name == name && a.value == value;
    });
  };
  CHECK(has("COLOR", 0xff00ff00));
  CHECK(has("PAYLOAD", 42));
  const auto& strings = run.sink.definitions.strings;
  const auto numerics = std::find(strings.begin(), strings.end(), "numerics") - strings.begin();
  CHECK(has("CATEGORY", static_cast<std::uint64_t>(numerics)));
}

TEST_CASE("each domain has a stack of its own, and ranges of two that cross share no location") {
  Run run;
  run.source.channel(0) = {push(10, outer), push(20, inner, solver_domain), pop(30), pop(40, solver_domain)};
  run.translate();
  CHECK(run.words(0) == Lines{"20 enter inner", "40 leave inner"});
  REQUIRE(run.sink.definitions.locations.size() == 2);
  CHECK(run.name(1) == "NVTX");
  CHECK(run.words(1) == Lines{"10 enter outer", "30 leave outer"});
}

TEST_CASE("ranges of several threads that overlap are laid out until they nest") {
  Run run;
  const auto start = [](Ticks time, std::uint32_t name, std::uint64_t id) {
    return said(time, RecordKind::range_start, name, solver_domain, id);
  };
  const auto stop = [](Ticks time, std::uint64_t id) {
    return said(time, RecordKind::range_end, 0, solver_domain, id);
  };
  run.source.channel(0) = {start(10, outer, 1), start(20, inner, 2), stop(30, 1), stop(31, 77)};
  run.source.channel(1) = {start(22, outer, 3), stop(25, 3), stop(50, 2)};
  run.translate();
  REQUIRE(run.sink.definitions.locations.size() == 4);
  CHECK(run.name(2) == "NVTX solver");
  CHECK(run.name(3) == "NVTX solver (2)");
  CHECK(run.words(2) == Lines{"10 enter outer", "22 enter outer", "25 leave outer", "30 leave outer"});
  CHECK(run.words(3) == Lines{"20 enter inner", "50 leave inner"});
  CHECK(run.report.repairs == std::map<std::string, std::uint64_t>{{"range end without its begin ignored", 1}});
}

TEST_CASE("a range that starts and ends in a pause is left out, and one that crosses its edge remains") {
  Run run;
  const auto start = [](Ticks time, std::uint64_t id) {
    return said(time, RecordKind::range_start, outer, solver_domain, id);
  };
  const auto stop = [](Ticks time, std::uint64_t id) {
    return said(time, RecordKind::range_end, 0, solver_domain, id);
  };
  const auto control = [](Ticks time, std::uint64_t command) {
    return Record{time, RecordKind::control_tool, Endpoint::none, 0, 0, command, 0};
  };
  run.source.channel(0) = {start(10, 1), control(20, control_command::pause), stop(30, 1), start(40, 2), stop(50, 2),
                           start(60, 3), control(70, control_command::start), stop(80, 3)};
  run.translate();
  REQUIRE(run.sink.definitions.locations.size() == 2);
  CHECK(run.words(1) == Lines{"10 enter outer", "30 leave outer", "60 enter outer", "80 leave outer"});
  CHECK(run.report.repairs.empty());
}

TEST_CASE("a range that begins before its thread's initial task or ends behind it is a region all the same") {
  Run run;
  const auto initial = [](Ticks time, Endpoint endpoint) {
    return Record{time, RecordKind::initial_task, endpoint, 1, 1, 0, make_id(0, 1)};
  };
  run.source.channel(0) = {push(5, outer),  initial(10, Endpoint::begin), push(20, inner), pop(30), pop(40),
                           push(50, inner), initial(60, Endpoint::end),   pop(70)};
  run.translate();
  CHECK(run.words(0) == Lines{"5 enter outer", "20 enter inner", "30 leave inner", "40 leave outer", "50 enter inner",
                              "70 leave inner"});
  CHECK(run.sink.definitions.locations.size() == 1);
  CHECK(run.report.repairs.empty());
}

TEST_CASE("a range across the end of a construct is a stray, and the construct remains") {
  Run run;
  const auto single = [](Ticks time, Endpoint endpoint) {
    return Record{time, RecordKind::masked, endpoint, 0, 0, 0, 0x1000};
  };
  run.source.channel(0) = {single(10, Endpoint::begin), push(20, outer), single(30, Endpoint::end), pop(40)};
  run.translate();
  REQUIRE(run.sink.definitions.locations.size() == 2);
  CHECK(run.words(1) == Lines{"20 enter outer", "40 leave outer"});
  CHECK(run.words(0).size() == 2);
  CHECK(run.report.repairs.empty());
}

TEST_CASE("a range that never ends ends with the trace, and an end too many is ignored; both are counted") {
  Run run;
  run.source.channel(0) = {pop(5), push(10, outer), said(20, RecordKind::range_mark, inner)};
  run.source.journal_to_fill().end = 90;
  run.translate();
  CHECK(run.words(0) == Lines{"10 enter outer", "20 enter inner", "20 leave inner", "90 leave outer"});
  CHECK(run.report.repairs == std::map<std::string, std::uint64_t>{{"range end without its begin ignored", 1},
                                                                   {"range that never ended closed", 1}});
}

TEST_CASE("counters are metrics of the type of their values, with their unit") {
  Run run;
  run.source.journal_to_fill().strings[bytes_unit] = "bytes";
  const auto quarter = std::bit_cast<std::uint64_t>(-0.25);
  run.source.channel(0) = {
      said(10, RecordKind::range_counter, outer, std::uint64_t{bytes_unit} << 32, 5, unsigned_number),
      said(20, RecordKind::range_counter, outer, std::uint64_t{bytes_unit} << 32, 7, unsigned_number),
      said(30, RecordKind::range_counter, inner, 0, static_cast<std::uint64_t>(-1), signed_number),
      said(40, RecordKind::range_counter, inner, 0, quarter, real_number)};
  run.translate();
  CHECK(run.words(0) == Lines{"10 metric", "20 metric", "30 metric", "40 metric"});
  const auto& events = run.sink.locations[0].events;
  const auto& metrics = run.sink.definitions.metrics;
  REQUIRE(metrics.size() == 3);
  CHECK((metrics[0].name == "outer" && metrics[0].unit == "bytes" && metrics[0].type == ValueType::uint64));
  CHECK((metrics[1].name == "inner" && metrics[1].unit == "#" && metrics[1].type == ValueType::int64));
  CHECK((metrics[2].name == "inner" && metrics[2].type == ValueType::float64));
  std::vector<std::pair<ValueType, std::uint64_t>> values;
  for (const Event& event : events)
    if (event.type == EventType::metric_uint) values.emplace_back(value_type(event), event.a);
  CHECK(values == std::vector<std::pair<ValueType, std::uint64_t>>{{ValueType::uint64, 5},
                                                                   {ValueType::uint64, 7},
                                                                   {ValueType::int64, static_cast<std::uint64_t>(-1)},
                                                                   {ValueType::float64, quarter}});
  CHECK(run.report.repairs.empty());
}

TEST_CASE("tens of thousands of counters and categories are defined once each, in the order in which they came") {
  constexpr std::uint32_t count = 20'000, first_name = 100, first_details = first_name + count;
  Run run;
  for (std::uint32_t i = 0; i < count; ++i) {
    run.source.journal_to_fill().strings[first_name + i] = "counter " + std::to_string(i);
    run.source.journal_to_fill().strings[first_details + i] = "#ff00ff00 category " + std::to_string(i);
  }
  for (std::uint32_t i = 0; i < 2 * count; ++i) {
    run.source.channel(0).push_back(
        said(10 + i, RecordKind::range_counter, first_name + i % count, 0, i, unsigned_number));
    run.source.channel(0).push_back(
        said(10 + i, RecordKind::range_mark, outer, std::uint64_t{first_details + i % count} << 32));
  }
  run.translate();
  const auto& metrics = run.sink.definitions.metrics;
  REQUIRE(metrics.size() == count);
  CHECK(metrics.front().name == "counter 0");
  CHECK(metrics.back().name == "counter " + std::to_string(count - 1));
  const auto& strings = run.sink.definitions.strings;
  CHECK(std::count_if(strings.begin(), strings.end(),
                      [](const std::string& text) { return text.starts_with("category "); }) == count);
  const auto& attributes = run.sink.locations[0].attributes;
  const auto last = std::find_if(attributes.rbegin(), attributes.rend(), [&](const EventAttribute& a) {
    return run.sink.definitions.attributes.at(a.attribute).name == "CATEGORY";
  });
  REQUIRE(last != attributes.rend());
  CHECK(strings.at(last->value) == "category " + std::to_string(count - 1));
}

TEST_CASE("payloads of every type are attributes, of ranges that nest and of those that do not") {
  Run run;
  run.source.journal_to_fill().strings[some_text] = "a text";
  const auto half = std::bit_cast<std::uint64_t>(0.5);
  Record with_more = said(50, RecordKind::range_start, outer, 0, 1, text);
  Record more{};
  more.kind = RecordKind::more;
  more.b = some_text;
  run.source.channel(0) = {said(10, RecordKind::range_push, outer, 0, half, real_number),
                           pop(20),
                           said(30, RecordKind::range_mark, inner, 0, static_cast<std::uint64_t>(-3), signed_number),
                           said(40, RecordKind::range_mark, inner, 0, some_text, text),
                           with_more,
                           more,
                           said(60, RecordKind::range_end, 0, 0, 1)};
  run.translate();
  const auto values = [&](LocationRef location, const std::string& name) {
    std::vector<std::uint64_t> found;
    for (const EventAttribute& a : run.sink.locations[location].attributes)
      if (run.sink.definitions.attributes.at(a.attribute).name == name) found.push_back(a.value);
    return found;
  };
  const auto& strings = run.sink.definitions.strings;
  const auto text_ref =
      static_cast<std::uint64_t>(std::find(strings.begin(), strings.end(), "a text") - strings.begin());
  CHECK(values(0, "PAYLOAD_REAL") == std::vector{half});
  CHECK(values(0, "PAYLOAD_SIGNED") == std::vector{static_cast<std::uint64_t>(-3)});
  CHECK(values(0, "PAYLOAD_TEXT") == std::vector{text_ref});
  CHECK(values(1, "PAYLOAD_TEXT") == std::vector{text_ref});
}
