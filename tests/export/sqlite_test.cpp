// SPDX-License-Identifier: BSD-3-Clause
// Values of counters in SQLite, whose whole numbers have 64 bits with a sign, and its properties.
#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/sqlite/sqlite.hpp"
#include "tests/support/scratch.hpp"

using namespace tracer;

namespace {

/// The first column of all rows, as text.
std::vector<std::string> column(const std::string& file, const char* query) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
  std::vector<std::string> rows;
  const auto add = [](void* to, int, char** values, char**) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(values[0]);
    return 0;
  };
  CHECK(sqlite3_exec(database, query, add, &rows, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  return rows;
}

}  // namespace

TEST_CASE("an unsigned counter beyond SQLite's whole numbers is a real one, and never negative") {
  const test::Scratch scratch;
  const std::string file = scratch / "trace.sqlite";
  Definitions definitions;
  definitions.metrics = {{"counter", "", "#"}};
  const auto writer = make_sqlite_writer(definitions, file);
  Counter counter;
  for (const std::uint64_t value : {std::uint64_t{INT64_MAX}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    counter.value = value;
    writer->counter(counter);
  }
  counter.type = ValueType::int64;
  writer->counter(counter);
  writer->finish();
  CHECK(column(file, "SELECT typeof(value) FROM metrics ORDER BY rowid") ==
        std::vector<std::string>{"integer", "real", "real", "integer"});
  CHECK(column(file, "SELECT value > 0 FROM metrics ORDER BY rowid") == std::vector<std::string>{"1", "1", "1", "0"});
}

TEST_CASE("in SQLite the unit of a metric has the factor of its values") {
  const test::Scratch scratch;
  const std::string file = scratch / "trace.sqlite";
  Definitions definitions;
  definitions.metrics = {{"time", "", "s"}, {"work", "", "#"}};
  definitions.metrics[0].exponent = -6;
  make_sqlite_writer(definitions, file)->finish();
  CHECK(column(file, "SELECT unit FROM metric_names ORDER BY metric") == std::vector<std::string>{"10^-6 s", "#"});
}

TEST_CASE("in SQLite an unknown real time is 0") {
  const test::Scratch scratch;
  Definitions definitions;
  for (const std::uint64_t realtime : {ClockProperties::unknown_realtime, std::uint64_t{5}}) {
    const std::string file = scratch / "trace.sqlite";
    definitions.clock.realtime = realtime;
    make_sqlite_writer(definitions, file)->finish();
    CHECK(column(file, "SELECT value FROM properties WHERE name = 'realtime_ns'") ==
          std::vector<std::string>{realtime == 5 ? "5" : "0"});
  }
}
