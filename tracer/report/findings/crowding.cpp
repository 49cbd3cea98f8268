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
  std::uint32_t group = 0;        ///< its process
  std::uint64_t descheduled = 0;  ///< in the account
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

struct Host {
  std::uint64_t online = 0;  ///< processors that it has
  std::vector<const RunFacts*> processes;
  std::vector<Thread> threads;
};

std::optional<Crowding> crowding_on(const std::string& name, const Host& host) {
  const std::vector<Thread>& threads = host.threads;
  const auto inside = [&](const ProcessorMask& mask) {
    return static_cast<std::size_t>(
        std::count_if(threads.begin(), threads.end(), [&](const Thread& one) { return is_within(one.mask, mask); }));
  };
  ProcessorMask crowded;
  for (const Thread& thread : threads)
    if (inside(thread.mask) > count_of(thread.mask)) add(crowded, thread.mask);
  const std::size_t count = count_of(crowded), sharing = inside(crowded), needed = count + threads.size() - sharing;
  const double usable = processors_of(host.processes), online = static_cast<double>(host.online);
  // What the processes may not use would help no thread.
  if (sharing <= count || (usable == 0 ? online : std::min(online, usable)) <= static_cast<double>(needed))
    return std::nullopt;
  Crowding result;
  result.host = name;
  result.processors = list_of(crowded);
  result.count = count;
  result.online = host.online;
  result.spare = host.online - needed;
  std::set<std::uint32_t> processes;
  for (const Thread& thread : threads) {
    if (!is_within(thread.mask, crowded)) continue;
    result.threads.push_back(thread.name);
    result.processor += thread.facts.processor;
    result.delay += thread.facts.delay;
    result.descheduled += thread.descheduled;
    processes.insert(thread.group);
  }
  result.processes = processes.size();
  return result;
}

}  // namespace

std::optional<Crowding> crowding_of(const Report& report, const Definitions& definitions) {
  std::map<LocationRef, std::uint64_t> descheduled;
  for (const AccountThread& row : report.account.rows)
    descheduled[row.location] = row.ns[static_cast<std::size_t>(Place::descheduled)];
  std::map<std::string, Host> hosts;
  for (const ProcessRow& process : report.processes) {
    // The facts of one process are the archive's.
    const RunFacts& facts = process.facts.known || report.processes.size() > 1 ? process.facts : report.facts;
    Host& host = hosts[facts.host];
    host.online = std::max(host.online, facts.processors_online);
    host.processes.push_back(&facts);
    for (const LocationRef location : process.threads) {
      Thread thread{name_in_job(definitions, location),
                    process.group,
                    descheduled[location],
                    thread_facts(definitions.locations[location]),
                    {}};
      const double wanted = static_cast<double>(thread.facts.processor + thread.facts.delay);
      if (wanted < idle * static_cast<double>(report.account.wall())) continue;
      thread.mask = mask_of(thread.facts.processors.empty() ? facts.processor_list : thread.facts.processors);
      if (count_of(thread.mask) != 0) host.threads.push_back(std::move(thread));
    }
  }
  std::optional<Crowding> worst;
  std::uint64_t crowded = 0;
  for (const auto& [name, host] : hosts) {
    std::optional<Crowding> here = crowding_on(name, host);
    if (!here) continue;
    ++crowded;
    if (!worst || here->delay > worst->delay) worst = std::move(here);
  }
  if (worst) worst->hosts = crowded;
  return worst;
}

}  // namespace tracer::report
