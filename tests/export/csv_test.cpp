// SPDX-License-Identifier: BSD-3-Clause
// What spreadsheets make of the names in a trace.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "formats/csv/csv.hpp"
#include "tests/support/scratch.hpp"

using namespace tracer;

namespace {

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a name that a spreadsheet would take for a formula is text in CSV") {
  const test::Scratch scratch;
  Definitions definitions;
  for (const char* name : {"=cmd|'/C calc'!A0", "+1", "-1", "@SUM(1,2)", "plain", "a=b"}) {
    Region region;
    region.name = region.canonical = name;
    definitions.regions.push_back(region);
  }
  make_csv_writer(definitions, scratch.path())->finish();
  const std::string text = text_of_file(scratch / "region_names.csv");
  CHECK(text.find("0,'=cmd|'/C calc'!A0,") != std::string::npos);
  CHECK(text.find("1,'+1,") != std::string::npos);
  CHECK(text.find("2,'-1,") != std::string::npos);
  CHECK(text.find("3,\"'@SUM(1,2)\",") != std::string::npos);
  CHECK(text.find("4,plain,") != std::string::npos);
  CHECK(text.find("5,a=b,") != std::string::npos);
}

TEST_CASE("in CSV the unit of a metric has the factor of its values") {
  const test::Scratch scratch;
  Definitions definitions;
  definitions.metrics = {{"time", "", "s"}, {"work", "", "#"}};
  definitions.metrics[0].exponent = -6;
  make_csv_writer(definitions, scratch.path())->finish();
  CHECK(text_of_file(scratch / "metric_names.csv") == "metric,name,unit\n0,time,10^-6 s\n1,work,#\n");
}

TEST_CASE("in CSV a phase's max_over_mean has all its digits") {
  const test::Scratch scratch;
  const auto writer = make_csv_writer(Definitions{}, scratch.path());
  PhaseTotals totals;
  totals.max_over_mean = 4.0 / 3;
  writer->phase(totals);
  writer->finish();
  CHECK(text_of_file(scratch / "phases.csv").find(",1.3333333333333333\n") != std::string::npos);
}
