// SPDX-License-Identifier: BSD-3-Clause
// Definitions from the journal.
#include "tracer/translate/definitions/run.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "tracer/base/text.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/mpi_unrecorded.hpp"
#include "tracer/property_names.hpp"
#include "tracer/record_table.hpp"
#include "tracer/translate/definitions/mpi.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {
namespace {

constexpr std::string_view run_facts = properties::fact(properties::run);
constexpr const char* libgomp_facts = properties::fact(properties::run_libgomp);

std::string join_values(const std::vector<NamedValue>& values) {
  std::string text;
  for (const NamedValue& v : values) text += (text.empty() ? "" : ", ") + v.name + "=" + std::to_string(v.value);
  return text;
}

std::string result_name(const CallbackAnswer& answer) {
  static const char* const names[] = {"error", "never", "impossible", "sometimes", "sometimes paired", "always"};
  if (answer.result < 0) return answer.note.empty() ? "not asked" : answer.note;
  return answer.result <= 5 ? names[answer.result] : std::to_string(answer.result);
}

/// A processor's clock runs on, or begins anew, where the machine sleeps, whether the readings show that or not.
std::uint64_t jumps_of_clock(const Journal& journal) {
  const std::uint64_t seen = clock_jumps(journal.run.clock, journal.clock);
  const bool has_slept = journal.facts.contains(properties::fact(properties::run_asleep));
  return has_slept && journal.run.clock != ClockKind::monotonic ? std::max<std::uint64_t>(seen, 1) : seen;
}

/// Whether all that threads did of MPI was recorded, but for calls that test and find nothing.
bool has_all_communication(const Journal& journal) {
  constexpr std::string_view prefix = unrecorded_counter;
  return std::none_of(journal.counters.begin(), journal.counters.end(), [&](const auto& counter) {
    return counter.second != 0 && counter.first.starts_with(prefix) &&
           counter.first.substr(prefix.size()) != unrecorded_polls;
  });
}

enum class GccRuntime { none, mapped, stood_in_for };

/// GCC's own OpenMP runtime is mapped, and nothing with tool support stands before it; or another one does (libomp has
/// its entry points), whether it was used or not.
GccRuntime gcc_runtime_of(const Journal& journal) {
  const auto named = [](const std::string& path, const char* name) { return path.find(name) != std::string::npos; };
  const bool is_mapped = std::any_of(journal.modules.begin(), journal.modules.end(), [&](const Module& m) {
    return named(m.path, "/libgomp.so") || named(m.path, "/libgomp-");  // the latter in wheels of Python
  });
  const auto listened = journal.facts.lower_bound(libgomp_facts);
  const bool is_listened_to = listened != journal.facts.end() && listened->first.starts_with(libgomp_facts);
  if (!is_mapped || is_listened_to || named(journal.run.runtime_library, "libgomp")) return GccRuntime::none;
  if (!journal.run.runtime_library.empty()) return GccRuntime::stood_in_for;
  const auto called = journal.facts.find(properties::fact(properties::run_gcc_calls));
  return called == journal.facts.end() || named(called->second, "libgomp") ? GccRuntime::mapped : GccRuntime::none;
}

/// For those who put archives of several processes together.
void define_identity(const Journal& journal, Definitions& d) {
  const RunInfo& run = journal.run;
  const auto add = [&](const char* name, std::string value) { d.properties.push_back({name, std::move(value)}); };
  add(properties::host, run.host);
  add(properties::process_id, std::to_string(run.process_id));
  add(properties::parent_process_id, std::to_string(run.parent_process_id));
  if (run.clock != ClockKind::monotonic && !journal.clock.empty()) {
    const ClockSync &first = journal.clock.front(), &last = journal.clock.back();
    add(properties::clock_line, std::to_string(first.ticks) + " " + std::to_string(first.monotonic) + " " +
                                    std::to_string(last.ticks) + " " + std::to_string(last.monotonic));
  }
}

/// `known`: facts from whoever saw, or did not see, the process' end.
const char* ending_name(Ending ending, const std::map<std::string, std::string>& known) {
  switch (ending) {
    case Ending::finalize:
      return "finalize";
    case Ending::exit:
      return "exit";
    case Ending::fork:
      return "fork";
    default:
      break;
  }
  const auto ended = known.find(properties::run_fact(properties::run_ended));
  return ended != known.end() && ended->second == "running" ? "none yet: the process was still running"
                                                            : "none: killed, crashed or ended without telling";
}

}  // namespace

void define_process(const Journal& journal, Definitions& d) {
  const RunInfo& run = journal.run;
  SystemTreeNode machine{run.host.empty() ? "machine" : run.host, "machine", undefined_ref, NodeDomain::machine, {}};
  machine.name = "Linux";
  if (!run.machine.empty()) machine.properties.push_back({"platform", run.machine});
  d.nodes.push_back(std::move(machine));
  SystemTreeNode node{run.host.empty() ? "localhost" : run.host, "node", 0, NodeDomain::shared_memory, {}};
  if (!run.processor.empty()) node.properties.push_back({"processor", run.processor});
  d.nodes.push_back(std::move(node));
  LocationGroup process{"Process", LocationGroupKind::process, 1, undefined_ref, {}};
  process.properties.push_back({properties::process_id, std::to_string(run.process_id)});
  if (!run.program.empty()) process.properties.push_back({properties::program, run.program});
  d.groups_of_locations.push_back(std::move(process));
  d.paradigms.push_back({Paradigm::openmp, "OpenMP", ParadigmClass::thread_fork_join, "Thread team ${id}", false});
  d.groups.push_back({"OpenMP", GroupKind::comm_locations, Paradigm::openmp, {}});
  d.creator = "Tracer " + run.tracer_version;
  std::string command = run.program;
  for (std::size_t a = 1; a < run.arguments.size(); ++a) command += " " + run.arguments[a];
  d.description = command;
}

void define_all_threads(std::size_t threads, Definitions& d) {
  for (std::uint32_t l = 0; l < threads; ++l) d.groups.front().members.push_back(l);
}

void define_clock(Nanoseconds first, Nanoseconds last, const ClockFit& fit, Definitions& d) {
  d.clock.resolution = 1'000'000'000;
  d.clock.offset = first;
  d.clock.length = last - first;
  d.clock.realtime = fit.realtime(first);
}

void define_callback_counts(const Tables& tables, Definitions& d) {
  for (std::size_t kind = 0; kind < record_table.size(); ++kind) {
    const auto of = static_cast<RecordKind>(kind);
    if (of == RecordKind::invalid || of == RecordKind::more || of == RecordKind::ring_wait || of == RecordKind::lost)
      continue;
    std::uint64_t count = 0;
    for (const ChannelScan& scan : tables.channels) count += scan.kinds[kind];
    if (count != 0) d.properties.push_back({properties::callbacks + std::string(name_of(of)), std::to_string(count)});
  }
}

void define_silent_target_library(const Tables& tables, const Journal& journal, Definitions& d) {
  const auto library = std::find_if(journal.modules.begin(), journal.modules.end(), [](const Module& module) {
    return module.path.find("/libomptarget.so") != std::string::npos;
  });
  const bool is_asked =
      std::any_of(journal.callbacks.begin(), journal.callbacks.end(), [](const CallbackAnswer& answer) {
        return (answer.name == "target" || answer.name == "target_emi") && answer.result > 0;
      });
  if (library == journal.modules.end() || !is_asked) return;
  for (const ChannelScan& scan : tables.channels)
    for (const RecordKind kind : {RecordKind::target, RecordKind::target_data_op, RecordKind::device_initialize})
      if (scan.kinds[static_cast<std::size_t>(kind)] != 0) return;
  d.properties.push_back({properties::not_reported, "target constructs of " + library->path});
}

std::uint64_t lost_without_count(const Journal& journal) {
  const auto counter = [&](const char* name) {
    const auto found = journal.counters.find(name);
    return found == journal.counters.end() ? std::uint64_t{0} : found->second;
  };
  std::uint64_t lost = counter(loss_counters::threads) + counter(loss_counters::attach_records);
  if (journal.ending == Ending::unknown)
    for (const char* name : loss_counters::uncounted_when_killed) lost += counter(name);
  return lost;
}

bool stands_in_for_libgomp(const Journal& journal) {
  return gcc_runtime_of(journal) == GccRuntime::stood_in_for;
}

void define_properties(const Journal& journal, const TranslateReport& report,
                       const std::map<std::string, std::string>& known, Definitions& d) {
  const auto add = [&](std::string name, std::string value) {
    d.properties.push_back({std::move(name), std::move(value)});
  };
  // A killed run may lack ends that the program had come to: tasks that never ran, a fork without its team.
  const bool complete = report.lost == 0 && !report.paused && !report.left_out && journal.ending != Ending::unknown;
  add("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE", complete ? "true" : "false");
  add("OTF2::THREAD_LOCK_EVENT_COMPLETE", complete ? "true" : "false");
  const bool has_mpi = std::any_of(d.paradigms.begin(), d.paradigms.end(),
                                   [](const ParadigmDefinition& one) { return one.paradigm == Paradigm::mpi; });
  if (has_mpi) add(properties::mpi_complete, complete && has_all_communication(journal) ? "true" : "false");
  const GccRuntime gcc_runtime = gcc_runtime_of(journal);
  if (gcc_runtime == GccRuntime::stood_in_for) {
    add(properties::not_reported,
        "not reported to the runtime by code compiled by GCC: static loops, masked, atomic, reductions, target "
        "regions");
  } else if (gcc_runtime == GccRuntime::mapped) {
    add(properties::not_recorded, "OpenMP of GCC's runtime");
  }
  define_identity(journal, d);
  add(properties::version, journal.run.tracer_version);
  add(properties::program, journal.run.program);
  add(properties::ending, ending_name(journal.ending, known));
  add(properties::events_lost, std::to_string(report.lost));
  for (const auto& [what, count] : report.repairs) add(properties::repaired + what, std::to_string(count));
  for (const auto& [what, count] : journal.counters) add(properties::counter + what, std::to_string(count));
  if (const std::uint64_t jumps = jumps_of_clock(journal); jumps != 0)
    add(properties::counter + std::string{loss_counters::clock_jumps}, std::to_string(jumps));
  for (const auto& [name, value] : journal.facts)
    // Those of the run: define_run_facts; names of threads are on their locations.
    if (!is_mpi_fact(name) && !name.starts_with(run_facts) && !name.starts_with(properties::thread_name_fact) &&
        !name.starts_with(properties::thread_processors_fact))
      add(properties::ours + name, shown(value));
  if (!journal.run.runtime_version.empty()) add(properties::runtime_version, journal.run.runtime_version);
  if (journal.run.omp_version != 0) add(properties::runtime_omp_version, std::to_string(journal.run.omp_version));
  if (!journal.run.runtime_library.empty()) add(properties::runtime_library, journal.run.runtime_library);
  if (!journal.run.runtime_build.empty()) add(properties::runtime_build, journal.run.runtime_build);
  for (const CallbackAnswer& a : journal.callbacks) add(properties::callback + a.name, result_name(a));
  for (const CallbackAnswer& a : journal.entry_points)
    add(properties::entry_point + a.name, a.result == 1 ? "found" : "missing");
  if (!journal.states.empty()) add(properties::thread_states, join_values(journal.states));
  if (!journal.mutex_implementations.empty())
    add(properties::mutex_implementations, join_values(journal.mutex_implementations));
  for (std::size_t p = 0; p < journal.places.size(); ++p) {
    std::string processors;
    for (const std::int32_t cpu : journal.places[p])
      processors += (processors.empty() ? "" : ",") + std::to_string(cpu);
    add(properties::place_of_number + std::to_string(p), processors);
  }
  for (const Setting& s : journal.settings) add(properties::setting + s.name, s.value);
  for (std::size_t m = 0; m < journal.messages.size() && m < 100; ++m)
    add(properties::message + std::to_string(m), journal.messages[m]);
  std::erase_if(d.properties, [](const Property& p) { return p.name.empty(); });
}

void define_run_facts(const Journal& journal, const ClockFit& fit, Nanoseconds last_event,
                      const std::map<std::string, std::string>& known, Definitions& d) {
  std::map<std::string, std::string> facts;
  for (const auto& [name, value] : journal.facts)
    if (name.starts_with(run_facts)) facts[name.substr(run_facts.size())] = value;
  Nanoseconds end = last_event;
  if (journal.ending != Ending::unknown) {
    end = std::max(end, fit(journal.end));
  } else {
    facts[properties::run_fact(properties::run_ended)] =
        "unknown";  // killed, crashed, _exit, exec: only a waiting process may have it
    const std::span all(journal.clock);
    for (const ClockSync& sync : all.first(all.size() - (journal.clock_is_continued ? 1 : 0)))
      end = std::max(end, fit(sync.ticks));
  }
  facts[properties::run_fact(properties::run_process_end)] = std::to_string(end);
  if (journal.ending != Ending::unknown)
    facts[properties::run_fact(properties::run_ended)] = journal.ending == Ending::exit ? "exit" : "return";
  for (const auto& [name, value] : known) facts[name] = value;
  if (!journal.run.host.empty()) facts[properties::run_fact(properties::run_host)] = journal.run.host;
  if (!journal.run.machine.empty()) facts[properties::run_fact(properties::run_machine)] = journal.run.machine;
  if (!journal.run.processor.empty()) facts[properties::run_fact(properties::run_processor)] = journal.run.processor;
  for (const auto& [name, value] : facts) d.properties.push_back({properties::run + name, value});
}

}  // namespace tracer::translate
