// SPDX-License-Identifier: BSD-3-Clause
// See clocks_of_job.hpp.
#include "tracer/merge/clocks_of_job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "tracer/base/text.hpp"
#include "tracer/merge/common_time.hpp"
#include "tracer/property_names.hpp"
#include "tracer/thread_end.hpp"
#include "tracer/time_properties.hpp"

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

std::uint64_t nanoseconds(const ClockOfPart& part, std::uint64_t ticks) {
  if (!part.has_line) return ticks;
  return part.ns0 +
         static_cast<std::uint64_t>(scaled(ticks, part.ticks0, part.ns1 - part.ns0, part.ticks1 - part.ticks0));
}

std::vector<std::uint64_t> numbers_in(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& word : split(text, ' ')) numbers.push_back(parse_number(word).value_or(0));
  return numbers;
}

void read_line(ClockOfPart& part, const std::string& text) {
  const auto numbers = numbers_in(text);
  if (numbers.size() != 4 || numbers[2] <= numbers[0] || numbers[3] <= numbers[1]) return;
  part.has_line = true;
  part.ticks0 = numbers[0];
  part.ns0 = numbers[1];
  part.ticks1 = numbers[2];
  part.ns1 = numbers[3];
}

/// "BEGIN::3" or "END::3", and what was measured with rank 3.
void read_comparisons(ClockOfPart& part, const std::string& with, const std::string& text) {
  const auto peer = parse_number(std::string_view{with}.substr(std::min(with.rfind(':') + 1, with.size())));
  if (!peer || *peer > 0xffffffffu) return;
  for (const std::string& exchange : split(text, ';')) {
    const auto t = numbers_in(exchange);
    if (t.size() == 4) part.comparisons.push_back({static_cast<std::uint32_t>(*peer), t[0], t[1], t[2], t[3]});
  }
}

void read_own(ClockOfPart& part, const Property& property) {
  const std::pair<const char*, std::uint64_t ClockOfPart::*> all[] = {
      {properties::clock_domains, &ClockOfPart::own_domains},
      {properties::clock_messages, &ClockOfPart::own_messages},
      {properties::clock_reversed, &ClockOfPart::own_reversed},
      {properties::clock_uncertainty, &ClockOfPart::own_uncertainty}};
  for (const auto& [name, number] : all)
    if (property.name == name) part.*number = parse_number(property.value).value_or(part.*number);
}

/// What clocks of the parts' own add to what is between parts.
void add_own(ClocksOfJob& job, const std::vector<ClockOfPart>& parts) {
  std::uint64_t uncertainty = 0;
  for (const ClockOfPart& part : parts) {
    job.domains += std::max<std::uint64_t>(part.own_domains, 1) - 1;
    job.messages += part.own_messages;
    job.reversed += part.own_reversed;
    uncertainty = std::max(uncertainty, part.own_uncertainty);
  }
  job.uncertainty += static_cast<double>(uncertainty);
}

/// Wall clock less the archive's time.
std::int64_t to_wall_clock(const ClockOfPart& part) {
  return static_cast<std::int64_t>(part.clock.realtime - part.clock.offset);
}

/// One clock: its domain's name, and the part whose line from ticks to nanoseconds is its time.
struct Domain {
  const ClockOfPart* reference = nullptr;
  ClockToPlace place;
};

class Domains {
 public:
  explicit Domains(const std::vector<ClockOfPart>& parts) : parts_(parts), of_(domains_of(parts)) {
    all_.resize(1 + *std::max_element(of_.begin(), of_.end()));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const ClockOfPart& part = parts[i];
      const ClockOfPart*& reference = all_[of_[i]].reference;
      const bool better =
          reference == nullptr ||
          (part.has_line && (!reference->has_line || part.ns1 - part.ns0 > reference->ns1 - reference->ns0));
      if (better) reference = &part;
    }
    for (Domain& domain : all_) {
      domain.place.guess = to_wall_clock(*domain.reference) - to_wall_clock(base());
      domain.place.doubt = by_wall_clock;
      domain.place.begin = std::numeric_limits<std::int64_t>::max();
      domain.place.end = std::numeric_limits<std::int64_t>::min();
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      ClockToPlace& place = all_[of_[i]].place;
      place.begin = std::min(place.begin, time(i, begin(i)));
      place.end = std::max(place.end, time(i, end(i)));
    }
  }

  std::size_t count() const { return all_.size(); }
  const ClockOfPart& base() const { return *all_.front().reference; }
  std::uint32_t of(std::size_t part) const { return of_[part]; }
  std::uint64_t begin(std::size_t part) const { return parts_[part].clock.offset; }
  std::uint64_t end(std::size_t part) const {
    return begin(part) + std::max<std::uint64_t>(parts_[part].clock.length, 1);
  }
  /// A time of the part as its domain has it; and the other way.
  std::int64_t time(std::size_t part, std::uint64_t ns) const {
    return static_cast<std::int64_t>(ns) + onto_line(parts_[part], *all_[of_[part]].reference, ns);
  }
  std::uint64_t time_of_part(std::size_t part, std::int64_t time) const {
    const auto ns = static_cast<std::uint64_t>(time);
    return ns + static_cast<std::uint64_t>(onto_line(*all_[of_[part]].reference, parts_[part], ns));
  }

  CommonTime common(const std::vector<MessageOfJob>& messages) const {
    std::vector<ClockToPlace> clocks;
    for (const Domain& domain : all_) clocks.push_back(domain.place);
    std::vector<ClockBound> bounds = compared();
    for (const MessageOfJob& m : messages)
      bounds.push_back({of(m.from), of(m.to), time(m.from, m.sent), time(m.to, m.received)});
    return common_time(std::move(clocks), std::move(bounds));
  }
  /// Messages alone: of what was compared in MPI_Init and MPI_Finalize nobody sees a time.
  std::uint64_t count_reversed(const std::vector<MessageOfJob>& messages, const CommonTime& common) const {
    const auto placed = [&](std::size_t part, std::uint64_t ns) {
      const std::int64_t own = time(part, ns);
      return own + std::llround(offset_on_line(common.clocks[of(part)], own));
    };
    return static_cast<std::uint64_t>(std::count_if(messages.begin(), messages.end(), [&](const MessageOfJob& m) {
      return placed(m.to, m.received) < placed(m.from, m.sent);
    }));
  }

 private:
  std::vector<ClockBound> compared() const {
    std::map<std::pair<std::string, std::uint32_t>, std::size_t> ranks;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (!parts_[i].world.empty()) ranks.emplace(std::pair{parts_[i].world, parts_[i].rank}, i);
    std::vector<ClockBound> bounds;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      for (const ClockComparison& c : parts_[i].comparisons) {
        const auto peer = ranks.find({parts_[i].world, c.peer});
        if (peer == ranks.end() || of(peer->second) == of(i)) continue;
        const std::size_t other = peer->second;
        const auto here = [&](std::uint64_t t) { return time(i, nanoseconds(parts_[i], t)); };
        const auto there = [&](std::uint64_t t) { return time(other, nanoseconds(parts_[other], t)); };
        bounds.push_back({of(i), of(other), here(c.sent), there(c.there)});
        bounds.push_back({of(other), of(i), there(c.back), here(c.received)});
      }
    return bounds;
  }

  const std::vector<ClockOfPart>& parts_;
  std::vector<std::uint32_t> of_;
  std::vector<Domain> all_;
};

/// What OTF2 is to add to the times of a part, `later` included.
std::vector<otf2::ClockOffset> offsets_of(const Domains& domains, std::size_t part, const std::vector<ClockKnot>& knots,
                                          std::int64_t later) {
  std::vector<otf2::ClockOffset> line;
  bool is_needed = false;
  const auto add = [&](std::uint64_t ns, std::int64_t time, double offset, double uncertainty) {
    if (!line.empty() && line.back().time >= ns) return;
    const std::int64_t all = time + std::llround(offset) + later - static_cast<std::int64_t>(ns);
    line.push_back({ns, all, uncertainty});
    is_needed = is_needed || all != 0;
  };
  const std::uint64_t begin = domains.begin(part), end = domains.end(part);
  const std::int64_t first = domains.time(part, begin), last = domains.time(part, end);
  add(begin, first, offset_on_line(knots, first), knots.front().uncertainty);
  for (const ClockKnot& k : knots)
    if (k.time > first && k.time < last)
      add(domains.time_of_part(part, k.time), k.time, static_cast<double>(k.offset), k.uncertainty);
  add(end, last, offset_on_line(knots, last), knots.back().uncertainty);
  return is_needed ? line : std::vector<otf2::ClockOffset>{};
}

/// The common time is the base's, which may count from its boot. A part that is older than that would have negative
/// times: all are this much later then.
std::int64_t later_than_base(const Domains& domains, std::size_t parts, const CommonTime& common) {
  constexpr std::int64_t least_begin = 1'000'000'000;
  std::int64_t first = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::int64_t begin = domains.time(part, domains.begin(part));
    const std::int64_t offset = std::llround(offset_on_line(common.clocks[domains.of(part)], begin));
    first = std::min(first, begin + offset);
  }
  return first < 0 ? least_begin - first : 0;
}

/// Those by which the job can be put together with others.
void name_base(ClocksOfJob& job, const ClockOfPart& base, std::int64_t later) {
  const auto moved = [later](std::uint64_t ns) { return std::to_string(ns + static_cast<std::uint64_t>(later)); };
  if (!base.domain.empty() && (later == 0 || base.has_line))
    job.properties.push_back({properties::job_clock_domain, base.domain});
  if (base.has_line)
    job.properties.push_back({properties::clock_line, std::to_string(base.ticks0) + " " + moved(base.ns0) + " " +
                                                          std::to_string(base.ticks1) + " " + moved(base.ns1)});
}

}  // namespace

ClockOfPart clock_of_part(const std::vector<Property>& properties, const ClockProperties& clock) {
  constexpr std::string_view comparison = properties::mpi_clock;
  ClockOfPart part;
  part.clock = clock;
  for (const Property& p : properties) {
    if (p.name == properties::job_clock_domain || p.name == properties::run_clock_domain) part.domain = p.value;
    if (p.name == properties::clock_line) read_line(part, p.value);
    read_own(part, p);
    if (p.name.starts_with(comparison)) read_comparisons(part, p.name.substr(comparison.size()), p.value);
  }
  return part;
}

std::vector<std::uint32_t> domains_of(const std::vector<ClockOfPart>& parts) {
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> all;
  std::uint32_t next = 0;
  for (const ClockOfPart& part : parts) {
    if (part.domain.empty()) {  // an unknown clock: alone
      all.push_back(next++);
      continue;
    }
    const auto [known, is_new] = numbers.emplace(part.domain, next);
    if (is_new) ++next;
    all.push_back(known->second);
  }
  return all;
}

Property in_common_time(Property property, const std::vector<otf2::ClockOffset>& line) {
  if (!properties::is_time(property.name)) return property;
  if (const auto time = parse_number(property.value))
    property.value = std::to_string(*time + static_cast<std::uint64_t>(otf2::offset_at(line, *time)));
  return property;
}

ClocksOfJob bring_together(const std::vector<ClockOfPart>& parts, const std::vector<MessageOfJob>& messages) {
  ClocksOfJob job;
  if (parts.empty()) return job;
  const Domains domains(parts);
  const CommonTime common = domains.common(messages);
  const std::int64_t later = later_than_base(domains, parts.size(), common);
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto line = offsets_of(domains, i, common.clocks[domains.of(i)], later);
    const auto moved = [&](std::uint64_t ns, std::int64_t by) { return ns + static_cast<std::uint64_t>(by); };
    const std::uint64_t begin = domains.begin(i);
    const std::int64_t at_begin = line.empty() ? 0 : line.front().offset,
                       at_end = line.empty() ? 0 : line.back().offset;
    first = std::min(first, moved(begin, at_begin));
    last = std::max(last, moved(begin + parts[i].clock.length, parts[i].clock.length == 0 ? at_begin : at_end));
    job.offsets.push_back(std::move(line));
  }
  const ClockOfPart& base = domains.base();
  job.clock.resolution = parts.front().clock.resolution;
  job.clock.offset = first;
  job.clock.length = last - first;
  job.clock.realtime = base.has_realtime() ? first + static_cast<std::uint64_t>(to_wall_clock(base) - later)
                                           : ClockProperties::unknown_realtime;
  job.domains = domains.count();
  job.messages = messages.size();
  job.reversed = domains.count_reversed(messages, common);
  job.uncertainty = job.domains > 1 ? common.uncertainty : 0;
  add_own(job, parts);
  const auto say = [&](const char* name, std::uint64_t number) {
    job.properties.push_back({name, std::to_string(number)});
  };
  say(properties::clock_domains, job.domains);
  name_base(job, base, later);
  if (job.domains > 1) {
    say(properties::clock_uncertainty, static_cast<std::uint64_t>(std::ceil(job.uncertainty)));
    say(properties::clock_messages, job.messages);
    say(properties::clock_reversed, job.reversed);
  }
  return job;
}

}  // namespace tracer
