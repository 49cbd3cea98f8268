// SPDX-License-Identifier: BSD-3-Clause
// Defects of archives with samples in them: the archive is made right, then its files are changed.
#pragma once

#include <functional>

#include "formats/otf2/join/sampled_archive.hpp"
#include "formats/otf2/read/definition_table.hpp"
#include "formats/otf2/read/reader.hpp"
#include "sampled.hpp"
#include "seed.hpp"

namespace tracer::test {

/// For Case::seed.
inline void name_threads(Seed& seed) {
  seed.d.locations = sample_with_threads().definitions.locations;
}

/// For Case::damage: puts samples, changed by `change`, into the archive.
inline void put_samples(const fs::path& dir, const std::function<void(samples::SampleSet&)>& change = {}) {
  samples::SampleSet set = samples_of_sample();
  if (change) change(set);
  otf2::write_sampled(otf2::Trace::open(dir), set, dir / "sampled");
  fs::remove_all(dir / "traces");
  for (const char* file : {"traces", "traces.def", "traces.otf2"}) fs::rename(dir / "sampled" / file, dir / file);
}

/// As OTF2 stores it, of what is below 256 or undefined.
inline std::string number_bytes(std::uint32_t value) {
  if (value == undefined_ref) return "\xff";
  return value == 0 ? std::string(1, '\0') : std::string{'\1', static_cast<char>(value)};
}

inline std::string record_bytes(char kind, std::initializer_list<std::uint32_t> numbers) {
  std::string body;
  for (const std::uint32_t number : numbers) body += number_bytes(number);
  return std::string{kind, static_cast<char>(body.size())} + body;
}

/// Of an Enter or a sample on a location: the first of that distance gets another.
inline void change_distance(const fs::path& dir, int location, otf2::EventKind kind, std::uint32_t from,
                            std::uint32_t to) {
  auto reader = otf2::Trace::open(dir).events(static_cast<std::uint64_t>(location));
  otf2::EventView e;
  while (reader.next(e)) {
    if (e.kind != kind || e.field[1] != from) continue;
    const auto context = static_cast<std::uint32_t>(e.field[0]);
    const char byte = static_cast<char>(kind);
    const bool is_sample = kind == otf2::EventKind::calling_context_sample;
    const auto record = [&](std::uint32_t distance) {
      return is_sample ? record_bytes(byte, {context, distance, 0}) : record_bytes(byte, {context, distance});
    };
    return replace(dir / "traces" / (std::to_string(location) + ".evt"), record(from), record(to));
  }
  FAIL("no such event");
}

/// The context of a function that others call becomes its own caller.
inline void call_itself(const fs::path& dir, std::string_view function) {
  const otf2::Trace trace = otf2::Trace::open(dir);
  const otf2::TraceDefinitions& d = trace.definitions();
  constexpr auto calling_context = static_cast<char>(otf2::DefinitionKind::calling_context);
  for (const auto& c : d.calling_contexts) {
    if (d.text(d.regions.find(c.region)->name) != function) continue;
    const auto self = static_cast<std::uint32_t>(c.ref);
    return replace(dir / "traces.def", record_bytes(calling_context, {self, c.region, c.source, c.parent}),
                   record_bytes(calling_context, {self, c.region, c.source, self}));
  }
  FAIL("no such function");
}

}  // namespace tracer::test
