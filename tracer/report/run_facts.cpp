// SPDX-License-Identifier: BSD-3-Clause
// See run_facts.hpp.
#include "tracer/report/run_facts.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace tracer::report {
namespace {

std::uint64_t number(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 10);
}

void read_environment(const std::string& name, const std::string& value, RunFacts& facts) {
  if (name != "OMP_TOOL" && name != "OMP_TOOL_LIBRARIES" && name != "OMP_TOOL_VERBOSE_INIT")
    facts.environment[name] = value;
}

void read_fact(std::string_view name, const std::string& value, RunFacts& facts) {
  constexpr std::string_view variable = "ENV::";
  facts.known = true;
  if (name == "PROCESS_START_NS") facts.start = number(value);
  if (name == "PROCESS_END_NS") facts.end = number(value);
  if (name == "START_RESOLUTION_NS") facts.resolution = number(value);
  if (name == "ENDED") facts.ended = value;
  if (name == "THREADS_INSIDE_AT_END") facts.inside = number(value);
  if (name == "MPI_ABORT") facts.mpi_abort = value;
  if (name == "SIGNAL") facts.signal = static_cast<int>(number(value) & 0xff);
  if (name == "EXIT_STATUS") facts.exit_status = static_cast<int>(number(value) & 0xff);
  if (name == "PROCESSORS") facts.processor_list = value;
  if (name == "PROCESSORS_ONLINE") facts.processors_online = number(value);
  if (name == "USER_NS" || name == "SYSTEM_NS") facts.processor_ns += number(value);
  if (name == "STOLEN_NS") facts.stolen_ns = number(value);
  if (name == "HOST") facts.host = value;
  if (name == "MACHINE") facts.machine = value;
  if (name == "PROCESSOR") facts.processor = value;
  if (name == "LOAD_AT_START") facts.load = value;
  if (name == "PROCESSORS_USABLE" || name == "PROCESSOR_QUOTA") {
    const double count = std::strtod(value.c_str(), nullptr);
    if (count > 0 && (facts.processors == 0 || count < facts.processors)) facts.processors = count;
  }
  if (name.starts_with(variable)) read_environment(std::string{name.substr(variable.size())}, value, facts);
}

}  // namespace

RunFacts run_facts(const std::vector<Property>& properties) {
  constexpr std::string_view prefix = "TRACER::RUN::";
  RunFacts facts;
  bool gone = false;
  for (const Property& property : properties) {
    if (property.name.starts_with(prefix))
      read_fact(std::string_view{property.name}.substr(prefix.size()), property.value, facts);
    gone = gone || (property.name == "TRACER::ENDING" && property.value.starts_with("none"));
  }
  if (facts.ended.empty() && gone) facts.ended = "unknown";  // of a tracer that kept no facts
  return facts;
}

std::uint64_t counter_of(const Definitions& definitions, std::string_view name) {
  constexpr std::string_view prefix = "TRACER::COUNTER::";
  const auto same = [](unsigned char written, char asked) {
    return written == '.' || written == ' ' ? asked == '_' : std::toupper(written) == asked;
  };
  for (const Property& property : definitions.properties) {
    if (!property.name.starts_with(prefix)) continue;
    const auto own = std::string_view{property.name}.substr(prefix.size());
    if (std::equal(own.begin(), own.end(), name.begin(), name.end(), same)) return number(property.value);
  }
  return 0;
}

ThreadFacts thread_facts(const Location& location) {
  ThreadFacts facts;
  for (const Property& property : location.properties) {
    if (property.name == "TRACER::PROCESSOR_NS") facts.processor = number(property.value), facts.known = true;
    if (property.name == "TRACER::DELAY_NS") facts.delay = number(property.value);
    if (property.name == "TRACER::PROCESSORS") facts.processors = property.value;
  }
  return facts;
}

bool is_initial_thread(const Location& location) {
  return location.name.starts_with("Initial thread") ||
         std::any_of(location.properties.begin(), location.properties.end(), [](const Property& property) {
           return property.name == "TRACER::THREAD_TYPE" && property.value == "initial";
         });
}

std::string ending_text(const RunFacts& facts) {
  if (!facts.mpi_abort.empty()) return "ended by its MPI_Abort with error code " + facts.mpi_abort;
  if (facts.ended == "signal") {
    const char* name = ::strsignal(facts.signal);
    return "killed by signal " + std::to_string(facts.signal) + (name ? std::string{" ("} + name + ")" : "");
  }
  const std::string status = facts.exit_status >= 0 ? "exit status " + std::to_string(facts.exit_status) : "";
  if (facts.ended == "running") return "not yet: it was still running when this was made";
  if (facts.ended == "unknown")
    return "killed, crashed, or ended by _exit: its end is not in the trace, and nobody saw it";
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

}  // namespace tracer::report
