// SPDX-License-Identifier: BSD-3-Clause
// See clocks_of_job.hpp.
#include "tracer/convert/clocks_of_job.hpp"

#include <algorithm>
#include <map>

#include "tracer/base/text.hpp"

namespace tracer {
namespace {

constexpr double by_wall_clock = 1e6;  ///< nanoseconds that NTP may be wrong

std::int64_t scaled(std::uint64_t value, std::uint64_t from, std::uint64_t numerator, std::uint64_t denominator) {
  const auto since = static_cast<__int128>(value) - static_cast<__int128>(from);
  return static_cast<std::int64_t>(since * static_cast<__int128>(numerator) / static_cast<__int128>(denominator));
}

/// A time of `part` as `reference` would have it, less itself.
std::int64_t onto_line(const ClockOfPart& part, const ClockOfPart& reference, std::uint64_t ns) {
  if (!part.has_line || !reference.has_line) return 0;
  const std::int64_t ticks = scaled(ns, part.ns0, part.ticks1 - part.ticks0, part.ns1 - part.ns0);
  const std::uint64_t counter = part.ticks0 + static_cast<std::uint64_t>(ticks);
  const std::int64_t since =
      scaled(counter, reference.ticks0, reference.ns1 - reference.ns0, reference.ticks1 - reference.ticks0);
  return static_cast<std::int64_t>(reference.ns0 + static_cast<std::uint64_t>(since) - ns);
}

/// Wall clock less the archive's time.
std::int64_t to_wall_clock(const ClockOfPart& part) {
  return static_cast<std::int64_t>(part.clock.realtime - part.clock.offset);
}

}  // namespace

ClockOfPart clock_of_part(const std::vector<Property>& properties, const ClockProperties& clock) {
  ClockOfPart part;
  part.clock = clock;
  for (const Property& p : properties) {
    if (p.name == "TRACER::JOB::CLOCK_DOMAIN" || p.name == "TRACER::RUN::JOB::CLOCK_DOMAIN") part.domain = p.value;
    if (p.name != "TRACER::CLOCK::LINE") continue;
    std::vector<std::uint64_t> numbers;
    for (const std::string& word : split(p.value, ' ')) numbers.push_back(parse_number(word).value_or(0));
    if (numbers.size() != 4 || numbers[2] <= numbers[0] || numbers[3] <= numbers[1]) continue;
    part.has_line = true;
    part.ticks0 = numbers[0];
    part.ns0 = numbers[1];
    part.ticks1 = numbers[2];
    part.ns1 = numbers[3];
  }
  return part;
}

ClocksOfJob bring_together(const std::vector<ClockOfPart>& parts) {
  ClocksOfJob job;
  if (parts.empty()) return job;
  std::map<std::string, const ClockOfPart*> references;
  std::size_t untold = 0;
  std::vector<std::string> domain_of;
  for (const ClockOfPart& part : parts) {
    // Of an unknown clock: alone.
    domain_of.push_back(part.domain.empty() ? "?" + std::to_string(untold++) : part.domain);
    const ClockOfPart*& reference = references[domain_of.back()];
    const bool better =
        reference == nullptr ||
        (part.has_line && (!reference->has_line || part.ns1 - part.ns0 > reference->ns1 - reference->ns0));
    if (better) reference = &part;
  }
  const ClockOfPart& base = *references[domain_of.front()];
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ClockOfPart& part = parts[i];
    const ClockOfPart& reference = *references[domain_of[i]];
    const bool other_domain = domain_of[i] != domain_of.front();
    const std::int64_t between = other_domain ? to_wall_clock(reference) - to_wall_clock(base) : 0;
    const std::uint64_t begin = part.clock.offset, end = begin + std::max<std::uint64_t>(part.clock.length, 1);
    const std::int64_t at_begin = onto_line(part, reference, begin) + between;
    const std::int64_t at_end = onto_line(part, reference, end) + between;
    const double deviation = other_domain ? by_wall_clock : 0;
    std::vector<otf2::ClockOffset> line;
    if (at_begin != 0 || at_end != 0) line = {{begin, at_begin, deviation}, {end, at_end, deviation}};
    first = std::min(first, begin + static_cast<std::uint64_t>(at_begin));
    last = std::max(last,
                    begin + part.clock.length + static_cast<std::uint64_t>(part.clock.length == 0 ? at_begin : at_end));
    job.offsets.push_back(std::move(line));
  }
  job.clock.resolution = parts.front().clock.resolution;
  job.clock.offset = first;
  job.clock.length = last - first;
  job.clock.realtime = first + static_cast<std::uint64_t>(to_wall_clock(base));
  job.properties.push_back({"TRACER::CLOCK::DOMAINS", std::to_string(references.size())});
  if (!base.domain.empty()) job.properties.push_back({"TRACER::JOB::CLOCK_DOMAIN", base.domain});
  if (base.has_line)
    job.properties.push_back({"TRACER::CLOCK::LINE", std::to_string(base.ticks0) + " " + std::to_string(base.ns0) +
                                                         " " + std::to_string(base.ticks1) + " " +
                                                         std::to_string(base.ns1)});
  if (references.size() > 1)
    job.properties.push_back(
        {"TRACER::CLOCK::UNCERTAINTY_NS", std::to_string(static_cast<std::uint64_t>(by_wall_clock))});
  return job;
}

}  // namespace tracer
