// SPDX-License-Identifier: BSD-3-Clause
// Links, paths and counters in their file: windows of many at random, as a plain list answers them.
#include "catch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/report/trace_builder.hpp"
#include "tracer/error.hpp"
#include "tracer/view/json_text.hpp"
#include "tracer/view/links.hpp"
#include "tracer/view/links_build.hpp"
#include "tracer/view/links_format.hpp"
#include "tracer/view/query.hpp"
#include "tracer/view/request.hpp"

using namespace tracer;
using namespace tracer::view;

namespace {

constexpr std::uint64_t stamp = 77;
constexpr std::size_t locations = 50;

UniqueFd memory() {
  UniqueFd fd{::memfd_create("links", MFD_CLOEXEC)};
  REQUIRE(static_cast<bool>(fd));
  return fd;
}

bool before(const Link& a, const Link& b) {
  return std::tie(a.from_time, a.to_time, a.from, a.to, a.kind) <
         std::tie(b.from_time, b.to_time, b.from, b.to, b.kind);
}

/// In no order, of very different durations, some of them backwards.
std::vector<Link> some_links(std::size_t number, std::mt19937_64& chance) {
  std::vector<Link> out;
  for (std::size_t i = 0; i < number; ++i) {
    const std::uint64_t begin = 1'000'000 + i * 10 + chance() % 500, bits = chance() % 24,
                        end = begin + chance() % ((std::uint64_t{1} << bits) + 1);
    const bool is_reversed = chance() % 20 == 0;
    out.push_back({static_cast<LinkKind>(chance() % link_kinds), static_cast<LocationRef>(chance() % locations),
                   static_cast<LocationRef>(chance() % locations), is_reversed ? end : begin,
                   is_reversed ? begin : end});
  }
  return out;
}

LinksFile::Query window(std::uint64_t from, std::uint64_t to, std::size_t most) {
  LinksFile::Query query;
  query.from = from;
  query.to = to;
  query.kinds = (1u << link_kinds) - 1;
  query.most = most;
  return query;
}

}  // namespace

TEST_CASE("windows of links are those of a list, the longest first where there are too many") {
  std::mt19937_64 chance{1};
  const std::vector<Link> all = some_links(600'000, chance);
  UniqueFd fd = memory();
  LinksWriter writer{fd.get()};
  for (const Link& link : all) writer.link(link);
  writer.finish(stamp, 0);
  const LinksFile file{std::move(fd), stamp, locations};
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t from = 1'000'000 + chance() % 6'000'000, to = from + (std::uint64_t{1} << chance() % 22);
    LinksFile::Query query = window(from, to, 1'000'000);
    std::vector<bool> wanted(locations, true);
    for (std::size_t k = 0; k < chance() % 30; ++k) wanted[chance() % locations] = false;
    query.locations = &wanted;
    query.kinds = 1 + static_cast<unsigned>(chance() % 63);
    std::vector<Link> right;
    for (const Link& link : all)
      if (link.begin() <= to && link.end() >= from && wanted[link.from] && wanted[link.to] &&
          (query.kinds >> static_cast<unsigned>(link.kind) & 1) != 0)
        right.push_back(link);
    query.chunks = 1'000'000;
    LinksFile::Links found = file.links(query);
    CHECK(found.more == 0);
    CHECK(found.is_exact);
    std::sort(found.list.begin(), found.list.end(), before);
    std::sort(right.begin(), right.end(), before);
    CHECK((found.list == right));

    query.most = 20;
    found = file.links(query);
    CHECK(found.list.size() == std::min<std::size_t>(20, right.size()));
    CHECK(found.list.size() + found.more == right.size());
    std::sort(right.begin(), right.end(),
              [](const Link& a, const Link& b) { return a.end() - a.begin() > b.end() - b.begin(); });
    std::uint64_t shortest = ~std::uint64_t{0};
    for (const Link& link : found.list) shortest = std::min(shortest, link.end() - link.begin());
    if (right.size() > 20) CHECK(shortest == right[19].end() - right[19].begin());

    const auto location = static_cast<LocationRef>(chance() % locations);
    const LinksFile::Links mine = file.of_location(location, from, to, 1'000'000);
    const auto is_in = [&](std::uint64_t time) { return time >= from && time <= to; };
    const auto number = std::count_if(all.begin(), all.end(), [&](const Link& link) {
      return (link.from == location && is_in(link.from_time)) || (link.to == location && is_in(link.to_time));
    });
    if (mine.is_exact) CHECK(mine.list.size() == static_cast<std::size_t>(number));
  }
  LinksFile::Query few = window(0, ~std::uint64_t{0} >> 2, 100);
  few.chunks = 10;
  const LinksFile::Links found = file.links(few);
  CHECK(found.list.size() == 100);
  CHECK_FALSE(found.is_exact);
  CHECK(found.list.size() + found.more == all.size());
}

TEST_CASE("a path is exact in a narrow window, and as long as the window in a wide one") {
  std::mt19937_64 chance{2};
  std::vector<PathStep> all;
  std::uint64_t time = 5'000'000'000;
  UniqueFd fd = memory();
  LinksWriter writer{fd.get()};
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t from = time + chance() % 30, to = from + 1 + chance() % 2000;
    all.push_back({static_cast<LocationRef>(i % 7), from, to});
    writer.step(all.back());
    time = to;
  }
  writer.finish(stamp, 5);
  const LinksFile file{std::move(fd), stamp, locations};
  CHECK(file.resolution() == 5);
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t from = 5'000'000'000 + chance() % 40'000'000, to = from + 20'000;
    std::vector<PathStep> right;
    for (const PathStep& step : all)
      if (step.from <= to && step.to >= from) right.push_back(step);
    const std::vector<PathStep> found = file.path(from, to, 20'000);
    REQUIRE(found.size() == right.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k].location == right[k].location);
      CHECK(found[k].from == right[k].from);
      CHECK(found[k].to == right[k].to);
    }
  }
  const std::vector<PathStep> wide = file.path(0, time, 1000);
  CHECK(wide.size() <= 2100);
  CHECK(wide.size() >= 10);
  CHECK(file.path(10, 5, 100).empty());
}

TEST_CASE("a counter has the largest value of each column, and what it was before the window") {
  UniqueFd fd = memory();
  LinksWriter writer{fd.get()};
  constexpr std::uint64_t points = 200'000;
  for (std::uint64_t i = 0; i < points; ++i) {
    writer.counter(3, 4, {1000 + 10 * i, i == 123'456 ? 1e9 : static_cast<double>(i % 100)});
    if (i % 1000 == 0) writer.counter(3, 5, {1000 + 10 * i, -5.0});
  }
  writer.finish(stamp, 0);
  const LinksFile file{std::move(fd), stamp, locations};
  REQUIRE(file.series().size() == 2);
  CHECK(file.series()[0].most == 1e9);
  CHECK(file.series()[1].least == -5);
  const std::vector<CounterPoint> wide = file.counter(0, 0, 3'000'000, 500);
  CHECK(wide.size() <= 1100);
  CHECK(std::any_of(wide.begin(), wide.end(), [](const CounterPoint& one) { return one.value == 1e9; }));
  const std::vector<CounterPoint> narrow = file.counter(0, 1005, 1035, 500);
  REQUIRE(narrow.size() == 5);  // 0 before it, 1, 2, 3, and 4 behind it
  CHECK(narrow.front().time == 1000);
  CHECK(narrow.back().time == 1040);
  CHECK(narrow.back().value == 4);
}

TEST_CASE("of thousands of counters the directory has few rows each") {
  UniqueFd fd = memory();
  LinksWriter writer{fd.get()};
  constexpr std::uint64_t metrics = 100, series = metrics * locations, points = 512;
  for (std::uint64_t i = 0; i < points; ++i)
    for (std::uint64_t one = 0; one < series; ++one)
      writer.counter(static_cast<std::uint32_t>(one / locations), static_cast<LocationRef>(one % locations),
                     {1000 + i, static_cast<double>(one + 1)});
  writer.finish(stamp, 0);
  std::uint64_t directory = 0;
  REQUIRE(::pread(fd.get(), &directory, sizeof directory, 40) == static_cast<ssize_t>(sizeof directory));
  CHECK(directory <= 8 * (2 + series * (2 * chunk_words + series_words)));
  const LinksFile file{std::move(fd), stamp, locations};
  REQUIRE(file.series().size() == series);
  CHECK(file.series()[series - 1].points == points);
  const std::vector<CounterPoint> one = file.counter(7, 1003, 1005, 500);
  CHECK(std::all_of(one.begin(), one.end(), [](const CounterPoint& point) { return point.value == 8; }));
}

TEST_CASE("behind a counter's peak stands what it has come down to, also where nothing comes for long") {
  UniqueFd fd = memory();
  LinksWriter writer{fd.get()};
  constexpr std::uint64_t second = 1'000'000'000, points = 1'200'000, peak = 600'004, pause = 10 * second;
  writer.counter(3, 4, {1000, 1e9});
  writer.counter(3, 4, {1001, 2.0});
  writer.counter(3, 4, {pause, 5.0});
  // In more parts of the file than are read at once.
  for (std::uint64_t i = 0; i < points; ++i)
    writer.counter(3, 5, {1000 + 10 * i + (i > peak + 1 ? pause : 0), i == peak ? 1e9 : i == peak + 1 ? 2.0 : 1.0});
  writer.finish(stamp, 0);
  const LinksFile file{std::move(fd), stamp, locations};
  const std::vector<CounterPoint> few = file.counter(0, 0, 2 * pause, 500);
  REQUIRE(few.size() == 3);
  CHECK(few[0].value == 1e9);
  CHECK(few[1].time == 1001);
  CHECK(few[1].value == 2);
  CHECK(few[2].value == 5);
  const std::vector<CounterPoint> many = file.counter(1, 0, 2 * pause, 500);
  CHECK(many.size() <= 1002);
  const auto most = std::find_if(many.begin(), many.end(), [](const CounterPoint& one) { return one.value == 1e9; });
  REQUIRE(many.end() - most >= 3);
  CHECK(most->time == 1000 + 10 * peak);
  CHECK(most[1].time == 1000 + 10 * (peak + 1));
  CHECK(most[1].value == 2);
  CHECK(most[2].time > pause);
}

TEST_CASE("of a counter only finite values are kept, and its least and greatest are of these") {
  test::TraceBuilder trace{2};
  trace.editable().metrics.push_back({"rate", "", "", undefined_ref, undefined_ref, ValueType::float64});
  constexpr double none = std::numeric_limits<double>::quiet_NaN(), endless = std::numeric_limits<double>::infinity();
  std::uint64_t time = 1000;
  for (const double value : {none, 100.0, endless, 110.0, -endless, none})
    trace.simple(0, time += 10, EventType::metric_uint, 0, std::bit_cast<std::uint64_t>(value), 0,
                 static_cast<std::uint16_t>(ValueType::float64));
  trace.simple(1, 1050, EventType::metric_uint, 0, std::bit_cast<std::uint64_t>(none), 0,
               static_cast<std::uint16_t>(ValueType::float64));
  UniqueFd fd = memory();
  LinksWriter writer{fd.get()};
  build_links(trace, stamp, writer, [](double) {});
  const LinksFile file{std::move(fd), stamp, locations};
  REQUIRE(file.series().size() == 1);
  CHECK(file.series()[0].points == 2);
  CHECK(file.series()[0].least == 100);
  CHECK(file.series()[0].most == 110);
}

TEST_CASE("lists of numbers are ranges or bits, and nonsense is refused") {
  const auto list = [](const std::string& text, std::uint64_t count = 1000, std::size_t most = 10) {
    const std::map<std::string, std::string> words{{"lanes", text}};
    return Words{words}.list("lanes", count, most);
  };
  using List = std::vector<std::uint32_t>;
  CHECK((list("7,0-3,2") == List{0, 1, 2, 3, 7}));
  CHECK((list("~PC") == List{0, 1, 2, 3, 7}));
  CHECK((list("~AAAAg_") == List{29, 30, 31, 32, 33, 34, 35}));
  CHECK((list("~B", 1) == List{0}));
  CHECK(list("~" + std::string(1667, 'V'), 10'002, 10'000).size() == 5001);
  for (const std::string& nonsense :
       {std::string{}, std::string{"~"}, std::string{"~A"}, std::string{"~P+"}, std::string{"~P="}, std::string{"~1,2"},
        std::string{"~__"}, "~" + std::string(200, 'A') + "B"})
    CHECK_THROWS_AS(list(nonsense), BadRequest);
  CHECK_THROWS_AS(list("~C", 1), BadRequest);
}

TEST_CASE("whole numbers that a browser would round are text") {
  const std::uint64_t most = std::uint64_t{1} << 53;
  CHECK(text_of_json(exact(most)) == "9007199254740992");
  CHECK(text_of_json(exact(most + 1)) == "\"9007199254740993\"");
  CHECK(text_of_json(exact(~std::uint64_t{0})) == "\"18446744073709551615\"");
  CHECK(text_of_json(exact(std::int64_t{-7})) == "-7");
  CHECK(text_of_json(exact(std::numeric_limits<std::int64_t>::min())) == "\"-9223372036854775808\"");
}

TEST_CASE("what is searched for is read as people write it, and nonsense is refused") {
  CHECK(parse_search("Critical @Solve.c:88").name == "critical @solve.c:88");
  const SearchText longer = parse_search(" critical  longer than 1.5 ms ");
  CHECK(longer.name == "critical");
  CHECK(longer.least == 1'500'000);
  CHECK(parse_search("longer than 2us").least == 2000);
  CHECK(parse_search("longer than 2us").name.empty());
  CHECK(parse_search("event:Acquire_Lock").event == EventType::acquire_lock);
  for (const char* nonsense :
       {"", "event:", "event:what", "a longer than ", "a longer than 5", "a longer than ms", "a longer than -1 ms",
        "a longer than 1 h", "a longer than inf s", "a longer than 1e9 s"})
    CHECK_THROWS_AS(parse_search(nonsense), BadRequest);
}
