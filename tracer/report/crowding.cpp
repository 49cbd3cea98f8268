// SPDX-License-Identifier: BSD-3-Clause
// See crowding.hpp.
#include "tracer/report/crowding.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "tracer/report/processes.hpp"
#include "tracer/report/run_facts.hpp"

namespace tracer::report {
namespace {

constexpr unsigned most_processors = 1 << 16;
constexpr double idle = 0.1;  ///< of the run: a thread that wants to run less than that is in nobody's way

using Mask = std::set<unsigned>;

/// "0-3,8". Empty: it makes no sense.
Mask mask_of(std::string_view text) {
  Mask mask;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](unsigned& value) {
    const auto [behind, error] = std::from_chars(at, end, value);
    at = behind;
    return error == std::errc{} && value < most_processors;
  };
  while (at != end) {
    unsigned first = 0, last = 0;
    if (!number(first)) return {};
    last = first;
    if (at != end && *at == '-' && (++at, !number(last))) return {};
    for (unsigned processor = first; processor <= last; ++processor) mask.insert(processor);
    if (at != end && *at++ != ',') return {};
  }
  return mask;
}

std::string text_of(const Mask& mask) {
  std::string text;
  for (auto at = mask.begin(); at != mask.end();) {
    const unsigned first = *at;
    unsigned last = first;
    while (++at != mask.end() && *at == last + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first) + (last == first ? "" : "-" + std::to_string(last));
  }
  return text;
}

struct Thread {
  std::string name;
  std::uint32_t group = 0;  ///< its process
  ThreadFacts facts;
  Mask mask;
};

bool is_within(const Mask& inner, const Mask& outer) {
  return std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

std::optional<Crowding> crowding_on(const std::string& host, std::uint64_t online, const std::vector<Thread>& threads) {
  const auto inside = [&](const Mask& mask) {
    return static_cast<std::size_t>(
        std::count_if(threads.begin(), threads.end(), [&](const Thread& one) { return is_within(one.mask, mask); }));
  };
  Mask crowded;
  for (const Thread& thread : threads)
    if (inside(thread.mask) > thread.mask.size()) crowded.insert(thread.mask.begin(), thread.mask.end());
  const std::size_t sharing = crowded.empty() ? 0 : inside(crowded), needed = crowded.size() + threads.size() - sharing;
  if (sharing <= crowded.size() || online <= needed) return std::nullopt;
  Crowding result;
  result.host = host;
  result.processors = text_of(crowded);
  result.count = crowded.size();
  result.online = online;
  result.spare = online - needed;
  std::set<std::uint32_t> processes;
  for (const Thread& thread : threads) {
    if (!is_within(thread.mask, crowded)) continue;
    result.threads.push_back(thread.name);
    result.processor += thread.facts.processor;
    result.delay += thread.facts.delay;
    processes.insert(thread.group);
  }
  result.processes = processes.size();
  return result;
}

}  // namespace

std::optional<Crowding> crowding_of(const Report& report, const Definitions& definitions) {
  std::map<std::string, std::vector<Thread>> by_host;
  std::map<std::string, std::uint64_t> online;
  for (const ProcessRow& process : report.processes) {
    // The facts of one process are the archive's.
    const RunFacts& facts = process.facts.known || report.processes.size() > 1 ? process.facts : report.facts;
    online[facts.host] = std::max(online[facts.host], facts.processors_online);
    for (const LocationRef location : process.threads) {
      Thread thread{
          name_in_job(definitions, location), process.group, thread_facts(definitions.locations[location]), {}};
      const double wanted = static_cast<double>(thread.facts.processor + thread.facts.delay);
      if (wanted < idle * static_cast<double>(report.account.wall())) continue;
      thread.mask = mask_of(thread.facts.processors.empty() ? facts.processor_list : thread.facts.processors);
      if (!thread.mask.empty()) by_host[facts.host].push_back(std::move(thread));
    }
  }
  std::optional<Crowding> worst;
  for (const auto& [host, threads] : by_host) {
    std::optional<Crowding> here = crowding_on(host, online[host], threads);
    if (here && (!worst || here->delay > worst->delay)) worst = std::move(here);
  }
  return worst;
}

}  // namespace tracer::report
