// SPDX-License-Identifier: BSD-3-Clause
// The file that a browser is started with, and those of viewers that were killed.
#include "catch.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "tests/support/scratch.hpp"
#include "tracer/view/opener.hpp"

using namespace tracer;
using namespace tracer::test;
namespace fs = std::filesystem;

namespace {

fs::path with_page(const fs::path& place) {
  fs::create_directory(place);
  fs::permissions(place, fs::perms::owner_all);
  std::ofstream{place / "open.html"} << "left";
  return place;
}

}  // namespace

TEST_CASE("a viewer takes away what killed ones have left for browsers, and nothing else") {
  const Scratch scratch;
  const fs::path of_killed = with_page(scratch / "tracer-view-killed");
  const fs::path other = with_page(scratch / "another"), link = scratch / "tracer-view-linked";
  fs::create_directory_symlink(other, link);
  const fs::path more = with_page(scratch / "tracer-view-more");
  std::ofstream{more / "file"} << "somebody's";
  fs::create_directory(scratch / "tracer-view-new");
  std::optional<view::Opener> first;
  first.emplace(scratch.path(), "first");
  const view::Opener second{scratch.path(), "second"};
  CHECK_FALSE(fs::exists(of_killed));
  CHECK(fs::exists(other / "open.html"));
  CHECK(fs::is_symlink(link));
  CHECK(fs::exists(more / "file"));
  CHECK(fs::exists(scratch / "tracer-view-new"));
  std::ifstream page{first->file()};
  CHECK(std::string{std::istreambuf_iterator<char>{page}, {}} == "first");
  const fs::path file = first->file();
  first.reset();
  CHECK_FALSE(fs::exists(file.parent_path()));
  CHECK(fs::exists(second.file()));
}
