// SPDX-License-Identifier: BSD-3-Clause
// The mark beside an archive that is being made.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "catch.hpp"
#include "support/no_locks.hpp"
#include "support/scratch.hpp"
#include "tracer/convert/part_mark.hpp"
#include "tracer/error.hpp"

using namespace tracer;

namespace {

/// "" where it is cleared.
std::string why_not_cleared(const std::filesystem::path& directory) {
  try {
    PartMark::clear(directory);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("an archive that another process makes is left alone, and what a killed one left goes") {
  const test::Scratch scratch;
  auto mark = std::make_unique<PartMark>(scratch.path());
  CHECK_THAT(why_not_cleared(scratch.path()), ContainsSubstring("another process makes an archive"));
  mark.reset();
  CHECK(why_not_cleared(scratch.path()).empty());
  CHECK_FALSE(std::filesystem::exists(scratch / "traces.part"));
}

TEST_CASE("without locks it is said that an archive that was begun may be a killed process's") {
  const test::Scratch scratch;
  const test::NoLocks none;
  std::ofstream{scratch / "traces.part"};
  CHECK_THAT(why_not_cleared(scratch.path()), ContainsSubstring("one that was killed has left it"));
  CHECK(std::filesystem::exists(scratch / "traces.part"));
}
