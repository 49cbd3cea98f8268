// SPDX-License-Identifier: BSD-3-Clause
#include "tracer/convert/summary.hpp"

#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"

namespace tracer {
namespace {

std::string costs_of(const ConvertResult& result) {
  return formatted("; tool: %.1f ms start, %.1f ms drain, %.1f ms waited, %.1f ms conversion",
                   result.start_seconds * 1e3, result.drain_seconds * 1e3, result.wait_seconds * 1e3,
                   result.seconds * 1e3);
}

}  // namespace

std::string summary_of(const ConvertResult& result) {
  if (result.was_complete)
    return result.archive.string() + " is complete already" +
           (result.raw_kept
                ? "; the raw trace beside it can be removed, or converted to another directory: tracer convert --output"
                : "");
  std::string line = format_counted(result.events, "event") + ", " + format_counted(result.threads, "thread") + ", ";
  if (result.streams != 0) line += format_counted(result.streams, "device stream") + ", ";
  line += format_bytes(result.bytes) + ": " + result.archive.string();
  std::uint64_t repaired = 0;
  for (const auto& [name, count] : result.repairs) repaired += count;
  if (!result.ended) line += "; the run did not end by itself, this is what was recorded until then";
  if (result.lost != 0)  // a process that did not end by itself has not counted all
    line += (result.ended ? "; " : "; at least ") + format_counted(result.lost, "event") + " lost";
  if (repaired != 0) line += "; " + format_count(repaired) + " repaired (see: tracer info)";
  if (result.start_seconds > 0) line += costs_of(result);
  if (!result.invalid_filter.empty()) line += "\ntracer: " + result.invalid_filter;
  for (const std::string& damage : result.damage) line += "\ntracer: damage: " + damage;
  if (!result.damage.empty()) line += "\ntracer: the raw trace is kept";
  return line;
}

}  // namespace tracer
