// SPDX-License-Identifier: BSD-3-Clause
// See processes.hpp.
#include "tracer/report/measures/processes.hpp"

#include <algorithm>
#include <csignal>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "tracer/property_names.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::report {

double processors_of(const std::vector<const RunFacts*>& of_host) {
  double sum = 0, online = 0, most = 0;
  for (const RunFacts* facts : of_host) {
    sum += facts->processors;
    most = std::max(most, facts->processors);
    online = std::max(online, static_cast<double>(facts->processors_online));
  }
  return online == 0 ? most : std::min(sum, online);
}

namespace {

/// How much an end explains of others'. When one process of a job ends launchers send the others SIGTERM, and SIGKILL
/// to those that go on; the system sends SIGKILL as well where memory runs out.
int weight_of_end(const RunFacts& facts) {
  if (!facts.mpi_abort.empty()) return 6;
  if (!facts.is_cut()) return facts.exit_status > 0 ? 1 : 0;
  if (facts.ended != "signal") return facts.exit_status > 0 ? 4 : 3;
  if (facts.signal == SIGTERM || facts.signal == SIGINT || facts.signal == SIGHUP) return 2;
  return facts.signal == SIGKILL ? 4 : 5;
}

/// Processes that use the same file have a runtime of it each.
void add_runtimes(const std::vector<RuntimeUse>& of_process, std::vector<RuntimeUse>& all) {
  for (const RuntimeUse& use : of_process) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const RuntimeUse& one) { return one.library == use.library; });
    if (same == all.end())
      all.push_back(use);
    else
      same->threads += use.threads;
  }
}

}  // namespace

std::vector<ProcessRow> processes_of(const Definitions& definitions, const std::vector<ThreadRow>& threads) {
  const std::vector<bool> left_out = groups_left_out(definitions);
  std::vector<ProcessRow> rows;
  std::vector<std::size_t> row_of(definitions.groups_of_locations.size(), ~std::size_t{0});
  for (std::uint32_t i = 0; i < definitions.groups_of_locations.size(); ++i) {
    const LocationGroup& group = definitions.groups_of_locations[i];
    if (group.kind != LocationGroupKind::process || left_out[i]) continue;
    row_of[i] = rows.size();
    ProcessRow& row = rows.emplace_back();
    row.group = i;
    row.parent = group.creating_group;
    row.name = group.name;
    row.facts = run_facts(group.properties);
    for (const Property& property : group.properties)
      if (property.name == properties::program) row.program = property.value;
  }
  for (LocationRef i = 0; i < definitions.locations.size(); ++i) {
    const Location& location = definitions.locations[i];
    if (location.group >= row_of.size() || !is_shown(location)) continue;
    const LocationGroup& group = definitions.groups_of_locations[location.group];
    const bool is_device = group.kind != LocationGroupKind::process;
    const std::uint32_t owner = is_device ? group.creating_group : location.group;
    if (owner >= row_of.size() || row_of[owner] == ~std::size_t{0}) continue;
    ProcessRow& row = rows[row_of[owner]];
    (location.kind == LocationKind::cpu_thread ? row.threads : row.streams).push_back(i);
  }
  for (const ThreadRow& thread : threads) {
    const Location& location = definitions.locations[thread.location];
    if (location.kind != LocationKind::cpu_thread || location.group >= row_of.size()) continue;
    if (row_of[location.group] == ~std::size_t{0}) continue;
    ProcessRow& row = rows[row_of[location.group]];
    row.events += thread.events;
    for (std::size_t i = 0; i < row.ns.size(); ++i) row.ns[i] += thread.ns[i];
  }
  return rows;
}

bool has_several_programs(const std::vector<ProcessRow>& processes) {
  const std::string* first = nullptr;
  for (const ProcessRow& process : processes) {
    if (process.program.empty()) continue;
    if (first == nullptr) first = &process.program;
    if (*first != process.program) return true;
  }
  return false;
}

Balance balance_of_processes(const std::vector<ProcessRow>& processes) {
  Balance balance;
  for (const ProcessRow& process : processes) {
    if (process.threads.empty()) continue;
    const std::uint64_t work = process.ns[static_cast<std::size_t>(Activity::work)];
    balance.min = balance.threads == 0 ? work : std::min(balance.min, work);
    if (balance.threads++ == 0 || work > balance.max) balance.slowest = process.name;
    balance.max = std::max(balance.max, work);
    balance.sum += work;
  }
  if (balance.threads != 0) balance.lost = balance.max - balance.sum / balance.threads;
  return balance;
}

std::string name_in_job(const Report& report, const DeviceRow& device) {
  if (report.processes.size() < 2) return device.name;
  return device.name + ", " + ProcessesByGroup{report.processes}.name_or(device.process, "process unknown");
}

const ProcessRow* process_that_ended_worst(const std::vector<ProcessRow>& processes) {
  // Greater is worse.
  const auto rank_of = [](const RunFacts& facts) {
    constexpr auto unknown = std::numeric_limits<std::uint64_t>::max();
    const int weight = weight_of_end(facts);
    return std::tuple{weight, weight == 0 || facts.end == 0 ? 0 : unknown - facts.end};
  };
  const ProcessRow* worst = nullptr;
  for (const ProcessRow& process : processes)
    if (process.facts.known && (worst == nullptr || rank_of(process.facts) > rank_of(worst->facts))) worst = &process;
  return worst;
}

std::string ending_text(const RunFacts& all, const std::vector<ProcessRow>& processes) {
  const std::string text = ending_text(all);
  const ProcessRow* const worst = process_that_ended_worst(processes);
  const bool is_well = !all.is_cut() && all.exit_status <= 0;
  return text.empty() || is_well || processes.size() < 2 || worst == nullptr ? text : worst->name + ": " + text;
}

RunFacts facts_of_all(const Definitions& definitions, const std::vector<ProcessRow>& processes) {
  RunFacts all = run_facts(definitions);
  if (all.known || processes.empty()) return all;
  std::map<std::string, std::vector<const RunFacts*>> by_host;
  std::uint64_t processor_ns = 0, system_ns = 0, page_faults = 0, asleep_ns = 0;
  std::vector<RuntimeUse> runtimes;
  for (const ProcessRow& process : processes) {
    if (!process.facts.known) continue;
    by_host[process.facts.host].push_back(&process.facts);
    processor_ns += process.facts.processor_ns;
    system_ns += process.facts.system_ns;
    page_faults += process.facts.page_faults;
    asleep_ns = std::max(asleep_ns, process.facts.asleep_ns);
    add_runtimes(process.facts.runtimes, runtimes);
  }
  const ProcessRow* const worst = process_that_ended_worst(processes);
  if (worst == nullptr) return all;
  all = worst->facts;
  all.processor_ns = processor_ns;
  all.system_ns = system_ns;
  all.page_faults = page_faults;
  all.asleep_ns = asleep_ns;
  all.runtimes = std::move(runtimes);
  all.processors = 0;
  all.processors_online = 0;
  all.stolen_ns = 0;
  for (const auto& [host, facts] : by_host) {
    all.processors += processors_of(facts);
    all.processors_online += facts.front()->processors_online;
    std::uint64_t stolen = 0;  // each process recorded the whole machine's, during its life
    for (const RunFacts* one : facts) stolen = std::max(stolen, one->stolen_ns);
    all.stolen_ns += stolen;
  }
  if (by_host.size() > 1) all.host = std::to_string(by_host.size()) + " hosts";
  return all;
}

}  // namespace tracer::report
