// SPDX-License-Identifier: BSD-3-Clause
// What spreadsheets make of the names in a trace.
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "formats/csv/csv.hpp"
#include "tests/support/scratch.hpp"

using namespace tracer;

TEST_CASE("a name that a spreadsheet would take for a formula is text in CSV") {
  const test::Scratch scratch;
  Definitions definitions;
  for (const char* name : {"=cmd|'/C calc'!A0", "+1", "-1", "@SUM(1,2)", "plain", "a=b"}) {
    Region region;
    region.name = region.canonical = name;
    definitions.regions.push_back(region);
  }
  make_csv_writer(definitions, scratch.path())->finish();
  std::ifstream file{scratch.path() / "region_names.csv"};
  std::stringstream text;
  text << file.rdbuf();
  CHECK(text.str().find("0,'=cmd|'/C calc'!A0,") != std::string::npos);
  CHECK(text.str().find("1,'+1,") != std::string::npos);
  CHECK(text.str().find("2,'-1,") != std::string::npos);
  CHECK(text.str().find("3,\"'@SUM(1,2)\",") != std::string::npos);
  CHECK(text.str().find("4,plain,") != std::string::npos);
  CHECK(text.str().find("5,a=b,") != std::string::npos);
}
