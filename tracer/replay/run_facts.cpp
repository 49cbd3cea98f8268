// SPDX-License-Identifier: BSD-3-Clause
// See run_facts.hpp.
#include "tracer/replay/run_facts.hpp"

#include <strings.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "tracer/property_names.hpp"
#include "tracer/time_properties.hpp"

namespace tracer::report {
namespace {

std::uint64_t number(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 10);
}

void read_environment(const std::string& name, const std::string& value, RunFacts& facts) {
  if (name != "OMP_TOOL" && name != "OMP_TOOL_LIBRARIES" && name != "OMP_TOOL_VERBOSE_INIT")
    facts.environment[name] = value;
}

/// "4 /usr/lib/libgomp.so.1"
RuntimeUse runtime_of(const std::string& value) {
  const auto blank = value.find(' ');
  return {blank != value.npos ? value.substr(blank + 1) : "", number(value)};
}

void read_fact(std::string_view name, const std::string& value, RunFacts& facts) {
  constexpr std::string_view variable = properties::run_environment;
  facts.known = true;
  if (properties::is_begin_of_process(name)) facts.start = std::max(facts.start, number(value));
  if (name == properties::run_process_end) facts.end = number(value);
  if (name == properties::run_start_resolution) facts.resolution = number(value);
  if (name == properties::run_ended) facts.ended = value;
  if (name == properties::run_threads_inside) facts.inside = number(value);
  if (name == properties::run_runtime_ended) facts.runtime_ended = true;
  if (name == properties::run_mpi_abort) facts.mpi_abort = value;
  if (name == properties::run_signal) facts.signal = static_cast<int>(number(value) & 0xff);
  if (name == properties::run_exit_status) facts.exit_status = static_cast<int>(number(value) & 0xff);
  if (name == properties::run_processors) facts.processor_list = value;
  if (name == properties::run_processors_online) facts.processors_online = number(value);
  if (name == properties::run_user_ns || name == properties::run_system_ns) facts.processor_ns += number(value);
  if (name == properties::run_system_ns) facts.system_ns = number(value);
  if (name == properties::run_page_faults) facts.page_faults = number(value);
  if (name == properties::run_stolen_ns) facts.stolen_ns = number(value);
  if (name == properties::run_asleep) facts.asleep_ns = number(value);
  if (name == properties::run_host) facts.host = value;
  if (name == properties::run_machine) facts.machine = value;
  if (name == properties::run_processor) facts.processor = value;
  if (name == properties::run_load) facts.load = value;
  if (name == properties::run_processors_usable || name == properties::run_processor_quota) {
    const double count = std::strtod(value.c_str(), nullptr);
    if (count > 0 && (facts.processors == 0 || count < facts.processors)) facts.processors = count;
  }
  if (name.starts_with(properties::run_libgomp)) facts.runtimes.push_back(runtime_of(value));
  if (name.starts_with(variable)) read_environment(std::string{name.substr(variable.size())}, value, facts);
}

}  // namespace

RunFacts run_facts(const std::vector<Property>& properties) {
  RunFacts facts;
  bool gone = false;
  RuntimeUse with_tools;
  std::string ompt_threads{properties::counter};
  ompt_threads += "OMPT_THREADS";
  for (const Property& property : properties) {
    if (property.name.starts_with(properties::run)) read_fact(property.name, property.value, facts);
    if (property.name == properties::runtime_library) with_tools.library = property.value;
    if (property.name == ompt_threads) with_tools.threads = number(property.value);
    gone = gone || (property.name == properties::ending && property.value.starts_with("none"));
  }
  if (with_tools.threads != 0) facts.runtimes.push_back(with_tools);
  if (facts.ended.empty() && gone) facts.ended = "unknown";  // of a tracer that kept no facts
  return facts;
}

bool is_counter(const Property& property, std::string_view name, std::string_view family) {
  if (!property.name.starts_with(family)) return false;
  const auto in_archive = [](unsigned char c) { return c == '.' || c == ' ' ? '_' : std::toupper(c); };
  const auto same = [&](unsigned char written, unsigned char asked) {
    return in_archive(written) == in_archive(asked);
  };
  const auto own = std::string_view{property.name}.substr(family.size());
  return std::equal(own.begin(), own.end(), name.begin(), name.end(), same);
}

std::uint64_t counter_of(const Definitions& definitions, std::string_view name, std::string_view family) {
  for (const Property& property : definitions.properties)
    if (is_counter(property, name, family)) return number(property.value);
  return 0;
}

ThreadFacts thread_facts(const Location& location) {
  ThreadFacts facts;
  for (const Property& property : location.properties) {
    if (property.name == properties::processor_ns) facts.processor = number(property.value), facts.known = true;
    if (property.name == properties::delay_ns) facts.delay = number(property.value);
    if (property.name == properties::processors) facts.processors = property.value;
  }
  return facts;
}

std::string fact_of_run(const Definitions& definitions, std::string_view name) {
  std::string value = property_value(definitions.properties, name);
  for (const LocationGroup& group : definitions.groups_of_locations)
    if (value.empty()) value = property_value(group.properties, name);
  return value;
}

bool is_initial_thread(const Location& location) {
  return location.name.starts_with("Initial thread") ||
         std::any_of(location.properties.begin(), location.properties.end(), [](const Property& property) {
           return property.name == properties::thread_type && property.value == "initial";
         });
}

bool never_met_openmp(const Location& location) {
  return !location.name.starts_with("OMP") && !location.name.starts_with("Master thread") &&
         find_property(location.properties, properties::thread_type) == nullptr;
}

std::string ending_text(const RunFacts& facts) {
  if (!facts.mpi_abort.empty()) return "ended by its MPI_Abort with error code " + facts.mpi_abort;
  if (facts.ended == "signal") {
    const char* name = ::strsignal(facts.signal);
    return "killed by signal " + std::to_string(facts.signal) + (name ? std::string{" ("} + name + ")" : "");
  }
  const std::string status = facts.exit_status >= 0 ? "exit status " + std::to_string(facts.exit_status) : "";
  if (facts.is_running()) return "not yet: it was still running when this was made";
  if (facts.ended == "unknown")
    return "killed, crashed, or ended by _exit: its end is not in the trace and was not observed";
  if (facts.ended == "without telling") {
    const std::string inside = facts.inside == 0
                                   ? ""
                                   : " while " + std::to_string(facts.inside) +
                                         (facts.inside == 1 ? " thread was" : " threads were") + " inside constructs";
    return "ended by _exit or exec" + (status.empty() ? "" : ", " + status) + inside + ": its end is not in the trace";
  }
  if (facts.ended == "exit") return "ended by exit() inside a region" + (status.empty() ? "" : ", " + status);
  return status;
}

bool is_libgomp(const RuntimeUse& use) {
  return use.library.find("libgomp") != std::string::npos;
}

bool sleeps_at_once(const RunFacts& facts) {
  return facts.processors > 0 && std::any_of(facts.runtimes.begin(), facts.runtimes.end(), [&](const RuntimeUse& use) {
           return is_libgomp(use) && static_cast<double>(use.threads) > facts.processors;
         });
}

bool waits_actively(const RunFacts& facts) {
  const auto policy = facts.environment.find("OMP_WAIT_POLICY");
  return !sleeps_at_once(facts) && policy != facts.environment.end() &&
         strcasecmp(policy->second.c_str(), "active") == 0;
}

}  // namespace tracer::report
