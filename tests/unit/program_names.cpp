// SPDX-License-Identifier: BSD-3-Clause
// Of a program that makes names without end, a front end takes so many.
#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "tracer/front_end.h"
#include "tracer/program_names.hpp"

namespace {

std::map<std::string, std::uint32_t> interned;
std::uint64_t not_kept = 0;

/// As libtracer.so has them.
tracer_front_end recorder() {
  interned.clear();
  not_kept = 0;
  tracer_front_end table{};
  table.intern = [](const char* text, std::size_t length) -> std::uint32_t {
    return interned.emplace(std::string(text, length), static_cast<std::uint32_t>(interned.size() + 1)).first->second;
  };
  table.count = [](const char*, std::uint64_t amount) { not_kept += amount; };
  return table;
}

std::uint32_t id_of(tracer::ProgramNames& names, const tracer_front_end& to, const std::string& text) {
  return names.id_of(to, text.data(), text.size());
}

}  // namespace

TEST_CASE("names beyond the limit share one, and are counted") {
  const tracer_front_end to = recorder();
  tracer::ProgramNames names;
  for (std::uint32_t i = 0; i < tracer::most_program_names; ++i)
    if (id_of(names, to, std::to_string(i)) != i + 1) FAIL("name " << i << " has another id");
  CHECK(not_kept == 0);
  const std::uint32_t shared = id_of(names, to, "one more");
  CHECK(shared == tracer::most_program_names + 1);
  CHECK(id_of(names, to, "and another") == shared);
  CHECK(interned.size() == tracer::most_program_names + 1);
  CHECK(not_kept == 2);
}

TEST_CASE("a name that comes again is none more") {
  const tracer_front_end to = recorder();
  tracer::ProgramNames names;
  const std::uint32_t first = id_of(names, to, "first"), second = id_of(names, to, "second");
  for (std::uint32_t i = 0; i < tracer::most_program_names; ++i)
    if (id_of(names, to, i % 2 == 0 ? "first" : "second") != (i % 2 == 0 ? first : second)) FAIL("at " << i);
  CHECK(not_kept == 0);
}

TEST_CASE("names are limited by their bytes, too") {
  const tracer_front_end to = recorder();
  tracer::ProgramNames names;
  const std::string half(tracer::most_program_name_bytes / 2, 'x');
  id_of(names, to, half + "1");
  CHECK(not_kept == 0);
  id_of(names, to, half + "2");
  CHECK(not_kept == 1);
}
