// SPDX-License-Identifier: BSD-3-Clause
// Locations with the same definitions of their own share one file; where no link can be made each has its own.
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/otf2/write/event_file.hpp"
#include "support/scratch.hpp"
#include "tracer/error.hpp"

using namespace tracer;
using namespace tracer::test;
namespace fs = std::filesystem;

TEST_CASE("locations with the same definitions share one file") {
  const Scratch scratch;
  const UniqueFd directory{::open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  const auto content = [&](const char* name) {
    std::ifstream file(scratch.path() / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::vector<std::uint8_t> table{1, 2, 3}, other{1, 2, 4};
  otf2::LocalDefinitionWriter writer;
  writer.make(directory.get(), "0.def");
  writer.make(directory.get(), "1.def");
  writer.make(directory.get(), "2.def", table);
  writer.make(directory.get(), "3.def", table);
  writer.make(directory.get(), "4.def", other);

  CHECK(fs::equivalent(scratch.path() / "0.def", scratch.path() / "1.def"));
  CHECK(fs::equivalent(scratch.path() / "2.def", scratch.path() / "3.def"));
  CHECK_FALSE(fs::equivalent(scratch.path() / "1.def", scratch.path() / "2.def"));
  CHECK_FALSE(fs::equivalent(scratch.path() / "3.def", scratch.path() / "4.def"));
  CHECK(content("1.def").size() == 20);
  CHECK(content("3.def").substr(18, 3) == std::string("\x01\x02\x03"));
  CHECK(content("4.def").substr(18, 3) == std::string("\x01\x02\x04"));

  SECTION("a file that is replaced leaves those that shared it as they were") {
    writer.replace(directory.get(), "0.def", table);
    CHECK(content("0.def") == content("3.def"));
    CHECK(content("1.def").size() == 20);
  }
  SECTION("what cannot be linked to is written") {
    fs::remove(scratch.path() / "4.def");
    writer.make(directory.get(), "5.def", other);
    writer.make(directory.get(), "6.def", other);
    CHECK(content("5.def").substr(18, 3) == std::string("\x01\x02\x04"));
    CHECK(fs::equivalent(scratch.path() / "5.def", scratch.path() / "6.def"));
  }
  SECTION("a file that is there already stays as it is") {
    CHECK_THROWS_AS(writer.make(directory.get(), "0.def", other), Error);
    CHECK(content("0.def").size() == 20);
  }
}
