// SPDX-License-Identifier: BSD-3-Clause
// A sample archive to be broken, one defect at a time, and what `tracer check` says of it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sample.hpp"
#include "support/scratch.hpp"
#include "tracer/check/check.hpp"

namespace tracer::test {

namespace fs = std::filesystem;
using Rules = std::set<std::string>;

inline Rules with_outcome(const check::CheckReport& report, check::Outcome outcome) {
  Rules found;
  for (const auto& f : report.findings) {
    if (f.outcome == outcome) found.insert(f.rule);
  }
  return found;
}

inline std::string explain(const check::CheckReport& report) {
  std::string text;
  for (const auto& f : report.findings) {
    if (f.outcome == check::Outcome::violated) {
      text += f.rule + " x" + std::to_string(f.count) + ": " + f.first.location + " " + std::to_string(f.first.time) +
              " " + f.first.what + "\n";
    }
  }
  return text;
}

inline Event event(Nanoseconds time, EventType type, std::uint32_t ref = 0, std::uint64_t a = 0, std::uint64_t b = 0) {
  return {.time = time, .type = type, .attributes = 0, .sub = 0, .ref = ref, .a = a, .b = b};
}

/// A sample to be broken: its parts by name.
struct Seed {
  SampleTrace trace = make_sample();
  Definitions& d = trace.definitions;

  std::vector<Event>& events(std::size_t location) { return trace.locations[location].events; }
  /// Behind all events that are not later.
  void insert(std::size_t location, Event e) {
    auto& all = events(location);
    all.insert(
        std::upper_bound(all.begin(), all.end(), e, [](const Event& x, const Event& y) { return x.time < y.time; }), e);
  }
  void span(std::size_t location, Nanoseconds from, Nanoseconds to, std::uint32_t region) {
    insert(location, event(from, EventType::enter, region));
    insert(location, event(to, EventType::leave, region));
  }
  /// The n-th event of a type, from 0.
  Event& at(std::size_t location, EventType type, std::size_t n = 0) {
    for (auto& e : events(location)) {
      if (e.type == type && n-- == 0) return e;
    }
    throw std::logic_error("no such event");
  }
  Event& leave_of(std::size_t location, std::uint32_t region) {
    for (auto& e : events(location)) {
      if (e.type == EventType::leave && e.ref == region) return e;
    }
    throw std::logic_error("no such event");
  }
  void remove(std::size_t location, Event& e) {
    events(location).erase(events(location).begin() + (&e - events(location).data()));
  }
  std::uint64_t& attribute(std::size_t location, std::uint32_t ref, std::size_t n = 0) {
    for (auto& a : trace.locations[location].attributes) {
      if (a.attribute == ref && n-- == 0) return a.value;
    }
    throw std::logic_error("no such attribute");
  }
};

/// Regions, attributes and parameters of the sample, by their places in it.
enum : std::uint32_t {
  r_parallel,
  r_loop,
  r_critical,
  r_sblock,
  r_barrier,
  r_target = 8,
  r_alloc = 9,
  r_free = 11,
  r_kernel = 13
};
enum : std::uint32_t { a_thread_id = 0, a_host_op_id = 4, a_allocation_size = 6 };
enum : std::uint32_t { p_callsite_id = 1 };

struct Case {
  const char* name;
  Rules violated;
  std::function<void(Seed&)> seed;
  std::function<void(const fs::path&)> damage = nullptr;  ///< of the files, for what the sink does not write
};

inline void replace(const fs::path& file, const std::string& from, const std::string& to) {
  std::ifstream in{file, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  const auto at = bytes.find(from);
  REQUIRE(at != bytes.npos);
  bytes.replace(at, from.size(), to);
  std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
}

/// Parts of the archive, read from its index and without one, hold what the check of the whole finds in them: no other
/// violation, and all that is decided where it stands (check_parts_test.cpp).
void check_parts_of(const fs::path& anchor, const char* name);

/// Each case breaks the rules that it says and no other, and so do parts of its archive; together they are all rules of
/// that letter.
inline void check_cases(const std::vector<Case>& cases, char letter) {
  Rules seeded{"E25"};  // needs what the program counted: check_test.cpp
  for (const auto& c : cases) {
    const Scratch scratch;
    Seed seed;
    c.seed(seed);
    write_archive(seed.trace, scratch / "out");
    if (c.damage) c.damage(scratch / "out");
    const auto anchor = fs::exists(scratch / "out/mine.otf2") ? scratch / "out/mine.otf2" : scratch / "out";
    const auto report = check::check(anchor);
    INFO(c.name << "\n" << explain(report));
    CHECK(with_outcome(report, check::Outcome::violated) == c.violated);
    check_parts_of(anchor, c.name);
    seeded.insert(std::string{c.name, 3});
  }
  for (const auto& row : check::rules()) {
    INFO(row.id);
    CHECK((row.id[0] != letter || seeded.count(row.id) == 1));
  }
}

inline void check_valid(const Seed& seed, bool valid = true) {
  const Scratch scratch;
  write_archive(seed.trace, scratch / "out");
  const auto report = check::check(scratch / "out");
  INFO(explain(report));
  CHECK(report.valid() == valid);
}

}  // namespace tracer::test
