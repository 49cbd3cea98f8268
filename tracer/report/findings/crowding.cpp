// SPDX-License-Identifier: BSD-3-Clause
// See crowding.hpp.
#include "tracer/report/findings/crowding.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "tracer/base/processors.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/report/measures/processes.hpp"

namespace tracer::report {
namespace {

constexpr double idle = 0.1;  ///< of the run: a thread that wants to run less than that is in nobody's way

struct Thread {
  std::string name;
  std::uint32_t group = 0;  ///< its process
  ThreadFacts facts;
  ProcessorMask mask;
};

bool is_within(const ProcessorMask& inner, const ProcessorMask& outer) {
  return std::equal(std::begin(inner.words), std::end(inner.words), std::begin(outer.words),
                    [](unsigned long a, unsigned long b) { return (a & ~b) == 0; });
}

void add(ProcessorMask& to, const ProcessorMask& mask) {
  std::transform(std::begin(to.words), std::end(to.words), std::begin(mask.words), std::begin(to.words), std::bit_or{});
}

std::optional<Crowding> crowding_on(const std::string& host, std::uint64_t online, const std::vector<Thread>& threads) {
  const auto inside = [&](const ProcessorMask& mask) {
    return static_cast<std::size_t>(
        std::count_if(threads.begin(), threads.end(), [&](const Thread& one) { return is_within(one.mask, mask); }));
  };
  ProcessorMask crowded;
  for (const Thread& thread : threads)
    if (inside(thread.mask) > count_of(thread.mask)) add(crowded, thread.mask);
  const std::size_t count = count_of(crowded), sharing = inside(crowded), needed = count + threads.size() - sharing;
  if (sharing <= count || online <= needed) return std::nullopt;
  Crowding result;
  result.host = host;
  result.processors = list_of(crowded);
  result.count = count;
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
      if (count_of(thread.mask) != 0) by_host[facts.host].push_back(std::move(thread));
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
