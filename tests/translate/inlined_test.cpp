// SPDX-License-Identifier: BSD-3-Clause
// Functions that the compiler put into others, by this program's own debug information.
#include "catch.hpp"

#include <link.h>

#include <climits>
#include <cstdlib>
#include <string>
#include <vector>

#include "tracer/base/libdw.hpp"
#include "tracer/translate/regions/symbolize.hpp"

using namespace tracer;

namespace {

[[gnu::noinline]] std::uint64_t here() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

[[gnu::always_inline]] inline std::uint64_t innermost() {
  const std::uint64_t at = here();
  asm volatile("" ::: "memory");  // or the call would be the function's last act, and a jump
  return at;
}
constexpr unsigned line_in_innermost = __LINE__ - 4;

[[gnu::always_inline]] inline std::uint64_t middle() {
  return innermost();
}
constexpr unsigned line_in_middle = __LINE__ - 2;

[[gnu::noinline]] std::uint64_t outer() {
  const std::uint64_t at = middle();
  asm volatile("" ::: "memory");
  return at;
}
constexpr unsigned line_in_outer = __LINE__ - 4;

[[gnu::noinline]] std::uint64_t alone() {
  const std::uint64_t at = here();
  asm volatile("" ::: "memory");
  return at;
}

Module this_program() {
  Module module;
  char path[PATH_MAX];
  if (realpath("/proc/self/exe", path) != nullptr) module.path = path;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {  // the program is the first
        static_cast<Module*>(to)->bias = info->dlpi_addr;
        return 1;
      },
      &module);
  module.begin = 0;
  module.end = ~std::uint64_t{0};
  return module;
}

}  // namespace

TEST_CASE("an address in inlined functions has all of them, each with the line of its call") {
  if (libdw() == nullptr) SKIP_TEST("inlined functions: no libdw here");
  const auto look_up = translate::make_symbolizer({this_program()}, true);
  const auto positions = look_up({outer(), alone()});
  const auto& frames = positions[0].frames;
  REQUIRE(frames.size() == 3);
  const std::pair<const char*, unsigned> expected[] = {
      {"outer", line_in_outer}, {"middle", line_in_middle}, {"innermost", line_in_innermost}};
  for (std::size_t i = 0; i < frames.size(); ++i) {
    CHECK_THAT(frames[i].function, ContainsSubstring(expected[i].first));
    CHECK_THAT(frames[i].file, Catch::Matchers::EndsWith("inlined_test.cpp"));
    CHECK(frames[i].line == expected[i].second);
  }
  CHECK(positions[0].line == line_in_innermost);
  CHECK(positions[1].frames.empty());
}

TEST_CASE("inlined functions are told to those who ask for them only") {
  const auto look_up = translate::make_symbolizer({this_program()});
  CHECK(look_up({outer()})[0].frames.empty());
}

TEST_CASE("where modules overlap an address is in the first of them") {
  const auto look_up = translate::make_symbolizer(
      {{"/nowhere/b", "", 0x3000, 0x5000, 0, 0, 0}, {"/nowhere/a", "", 0x1000, 0x4000, 0, 0, 0}});
  std::vector<std::string> modules;
  for (const auto& position : look_up({0x1001, 0x3000, 0x3001, 0x4001, 0x5001, 0x800}))  // return addresses
    modules.push_back(position.module);
  CHECK(modules == std::vector<std::string>{"/nowhere/a", "/nowhere/a", "/nowhere/b", "/nowhere/b", "", ""});
}
