// SPDX-License-Identifier: BSD-3-Clause
// See part.hpp.
#include "tracer/cut/part.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "tracer/base/formatted.hpp"
#include "tracer/base/units.hpp"
#include "tracer/error.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/process_groups.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/replay/samples/join.hpp"
#include "tracer/thread_end.hpp"

namespace tracer::report {
namespace {

/// The first number in a name, as in "MPI Rank 3" and "Process 4711 (heat3d)"; `otherwise` where there is none.
std::uint64_t number_in(std::string_view name, std::uint64_t otherwise) {
  const std::size_t first = name.find_first_of("0123456789");
  if (first != name.npos) std::from_chars(name.data() + first, name.data() + name.size(), otherwise);
  return otherwise;
}

/// The numbers by which --ranks means a process.
struct ProcessNumbers {
  std::uint64_t own = 0;    ///< in its name; without one its place
  std::uint64_t place = 0;  ///< in the archive's order, where that has no other meaning; else `own`
};

std::vector<ProcessNumbers> numbers_of_processes(const Definitions& definitions) {
  std::vector<ProcessNumbers> numbers;
  for (const std::uint32_t process : process_groups(definitions)) {
    const std::string& name = definitions.groups_of_locations[process].name;
    const std::uint64_t place = numbers.size(), own = number_in(name, place);
    numbers.push_back({own, name.starts_with("MPI Rank") ? own : place});
  }
  return numbers;
}

std::vector<bool> wanted_processes(const Definitions& definitions, const Part& part) {
  std::vector<bool> wanted;
  for (const auto [own, place] : numbers_of_processes(definitions))
    wanted.push_back(part.ranks.has(own) || part.ranks.has(place));
  return wanted;
}

/// As the options take them: "ranks 0-3 and threads 0-7".
std::string numbers_there(const Definitions& definitions) {
  const auto range = [](const std::set<std::uint64_t>& numbers) {
    if (numbers.empty()) return std::string{"none"};
    const std::string first = std::to_string(*numbers.begin());
    return numbers.size() == 1 ? first : first + "-" + std::to_string(*numbers.rbegin());
  };
  const std::vector<ProcessNumbers> processes = numbers_of_processes(definitions);
  const std::vector<std::uint32_t> process_of = processes_of_locations(definitions);
  std::set<std::uint64_t> ranks, threads;
  std::map<std::uint32_t, std::uint64_t> seen;
  for (std::size_t l = 0; l < definitions.locations.size(); ++l) {
    const Location& location = definitions.locations[l];
    const std::uint64_t thread = seen[location.group]++;
    if (!location.used) continue;
    threads.insert(thread);
    ranks.insert(process_of[l] < processes.size() ? processes[process_of[l]].place : process_of[l]);
  }
  return "ranks " + range(ranks) + " and threads " + range(threads);
}

void remove(std::vector<Property>& properties, std::initializer_list<std::string_view> prefixes) {
  std::erase_if(properties, [&](const Property& property) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return property.name.starts_with(prefix); });
  });
}

/// Of what the tool counted.
bool is_count_of_the_whole(const Property& property) {
  return property.name.starts_with(properties::counter) &&
         std::none_of(std::begin(loss_counters::kept_in_parts), std::end(loss_counters::kept_in_parts),
                      [&property](const char* kept) { return is_counter(property, kept); });
}

/// From when to when a process was there, on the events' clock.
std::pair<std::uint64_t, std::uint64_t> life_of(const RunFacts& facts, const ClockProperties& clock) {
  return {facts.start != 0 ? facts.start : clock.offset, facts.end != 0 ? facts.end : clock.offset + clock.length};
}

/// Of the whole run's threads: in which part of their time they could run and had no processor.
double delayed_percent(const Definitions& definitions) {
  const RunFacts of_run = run_facts(definitions);
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> lives;  // by location group
  std::uint64_t there = 0, delayed = 0;
  for (const Location& location : definitions.locations) {
    const ThreadFacts facts = thread_facts(location);
    if (!facts.known || location.group >= definitions.groups_of_locations.size()) continue;
    const auto [known, is_new] = lives.try_emplace(location.group);
    if (is_new) {
      const RunFacts own = run_facts(definitions.groups_of_locations[location.group].properties);
      known->second = life_of(own.known ? own : of_run, definitions.clock);
    }
    const std::uint64_t ended = thread_end(location), end = ended != 0 ? ended : known->second.second;
    there += end - std::min(end, known->second.first);
    delayed += facts.delay;
  }
  return there == 0 ? 0 : 100 * static_cast<double>(std::min(delayed, there)) / static_cast<double>(there);
}

}  // namespace

Numbers::Numbers(std::string_view text) : text_{text} {
  const auto wrong = [&] { return UsageError{"'" + std::string{text} + "' names no numbers; write 3 or 0-3,7"}; };
  for (std::string_view rest = text;;) {
    const std::string_view piece = rest.substr(0, rest.find(','));
    std::uint64_t first = 0, last = 0;
    const char* const end = piece.data() + piece.size();
    auto [at, error] = std::from_chars(piece.data(), end, first);
    if (error != std::errc{}) throw wrong();
    last = first;
    if (at != end) {
      if (*at != '-') throw wrong();
      const auto second = std::from_chars(at + 1, end, last);
      if (second.ec != std::errc{} || second.ptr != end || last < first) throw wrong();
    }
    ranges_.emplace_back(first, last);
    if (piece.size() == rest.size()) return;
    rest.remove_prefix(piece.size() + 1);
  }
}

bool Numbers::has(std::uint64_t number) const {
  return all() || std::any_of(ranges_.begin(), ranges_.end(),
                              [&](const auto& range) { return number >= range.first && number <= range.second; });
}

std::uint64_t Part::begin(const ClockProperties& clock) const {
  return clock.offset + from;
}

std::uint64_t Part::end(const ClockProperties& clock) const {
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  return to > never - clock.offset ? never : clock.offset + to;
}

std::vector<bool> Part::locations(const Definitions& definitions) const {
  const std::vector<bool> processes = wanted_processes(definitions, *this);
  const std::vector<std::uint32_t> process_of = processes_of_locations(definitions);
  std::vector<bool> wanted;
  std::map<std::uint32_t, std::uint64_t> seen;  // of each process or device
  for (const Location& location : definitions.locations) {
    const std::uint32_t process = process_of[wanted.size()];
    const bool in_process = process < processes.size() ? processes[process] : ranks.all();
    wanted.push_back(threads.has(seen[location.group]++) && in_process && location.used);
  }
  return wanted;
}

std::vector<bool> Part::some_locations(const Definitions& definitions) const {
  if (from > definitions.clock.length)
    throw Error{"the trace is " + exact_time_text(definitions.clock.length) + " long; --from lies behind its end"};
  std::vector<bool> wanted = locations(definitions);
  if (std::none_of(wanted.begin(), wanted.end(), [](bool one) { return one; }))
    throw Error{"the trace has no such thread or process; it has " + numbers_there(definitions)};
  return wanted;
}

std::string Part::text() const {
  std::string text;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (from != 0) add("from " + exact_time_text(from));
  if (to != std::numeric_limits<std::uint64_t>::max()) text += (text.empty() ? "to " : " to ") + exact_time_text(to);
  if (!threads.all()) add("threads " + threads.text());
  if (!ranks.all()) add("ranks " + ranks.text());
  return text;
}

void remove_sums(Definitions& definitions) {
  constexpr double least = 0.01;  // what is less is known, too
  if (const double delayed = delayed_percent(definitions); delayed > 0)
    definitions.properties.push_back({properties::whole_run_delayed, formatted("%.2f", std::max(least, delayed))});
  for (Property& property : definitions.properties)
    if (property.name.starts_with("OTF2::") && property.name.ends_with("COMPLETE")) property.value = "false";
  std::erase_if(definitions.properties, is_count_of_the_whole);
  remove(definitions.properties,
         {properties::callbacks, properties::run_user_ns, properties::run_system_ns, properties::run_page_faults});
  for (LocationGroup& group : definitions.groups_of_locations)
    remove(group.properties, {properties::run_user_ns, properties::run_system_ns, properties::run_page_faults});
  for (Location& location : definitions.locations)
    remove(location.properties, {properties::processor_ns, properties::delay_ns});
}

void cut_samples(samples::SampleSet& set, const Definitions& definitions) {
  std::set<std::uint32_t> threads;
  for (const Location& location : definitions.locations)
    if (const std::uint32_t thread = thread_id_of(location); location.used && thread != 0) threads.insert(thread);
  const std::uint64_t from = definitions.part_begin, to = definitions.part_end;
  const std::size_t counters = set.counters.size();
  std::map<std::uint32_t, std::vector<std::uint64_t>> before;  // of each thread: what it had counted before the part
  std::size_t kept = 0;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    const samples::Sample sample = set.samples[i];
    if (sample.time > to || !threads.contains(sample.thread)) continue;
    const std::span<const std::uint64_t> values{set.values.data() + i * counters, counters};
    std::vector<std::uint64_t>& base = before[sample.thread];
    base.resize(counters);
    if (sample.time < from) {
      for (std::size_t c = 0; c < counters; ++c)
        if (values[c] != samples::not_counted) base[c] = values[c];
      continue;
    }
    for (std::size_t c = 0; c < counters; ++c) {
      const std::uint64_t value = values[c];
      set.values[kept * counters + c] = value == samples::not_counted ? value : value - std::min(value, base[c]);
    }
    set.samples[kept++] = sample;
  }
  set.samples.resize(kept);
  set.values.resize(kept * counters);
  std::erase_if(set.pauses, [&](const samples::Pause& pause) {
    return pause.end <= from || pause.begin >= to || !threads.contains(pause.thread);
  });
  for (samples::Pause& pause : set.pauses) {
    pause.begin = std::max(pause.begin, from);
    pause.end = std::min(pause.end, to);
  }
}

}  // namespace tracer::report
