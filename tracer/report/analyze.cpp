// SPDX-License-Identifier: BSD-3-Clause
// Puts the observers together for one pass over the trace.
#include "tracer/report/analyze.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "tracer/mpi_unrecorded.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/reading_progress.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/samples/call_paths.hpp"
#include "tracer/replay/samples/join.hpp"
#include "tracer/report/findings/verdict.hpp"
#include "tracer/report/measures/account.hpp"
#include "tracer/report/measures/data_movement.hpp"
#include "tracer/report/measures/device_habits.hpp"
#include "tracer/report/measures/devices.hpp"
#include "tracer/report/measures/graph.hpp"
#include "tracer/report/measures/io.hpp"
#include "tracer/report/measures/locks.hpp"
#include "tracer/report/measures/mpi_paths.hpp"
#include "tracer/report/measures/mpi_sinks.hpp"
#include "tracer/report/measures/phases.hpp"
#include "tracer/report/measures/processes.hpp"
#include "tracer/report/measures/profile.hpp"
#include "tracer/report/measures/replacements.hpp"
#include "tracer/report/measures/teams.hpp"
#include "tracer/report/mpi/collectives.hpp"
#include "tracer/report/mpi/epochs.hpp"
#include "tracer/report/mpi/mpi.hpp"
#include "tracer/report/mpi/windows.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::report {
namespace {

/// What the first program called itself.
class ProgramName final : public Observer {
 public:
  void other_event(LocationRef, const Event& event, std::span<const EventAttribute>) override {
    if (event.type == EventType::program_begin && program_ == 0) program_ = event.a;
  }
  std::uint64_t program() const { return program_; }

 private:
  std::uint64_t program_ = 0;
};

/// With the case of its letters changed: OTF2 wants properties' names in capitals.
std::string cased(std::string name, int (*change)(int)) {
  for (char& c : name) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return name;
}

void count_callbacks(const Definitions& definitions, Report& report) {
  constexpr std::string_view prefix = properties::callbacks;
  for (const Property& property : definitions.properties) {
    if (!property.name.starts_with(prefix)) continue;
    report.callbacks[cased(property.name.substr(prefix.size()), std::tolower)] =
        std::strtoull(property.value.c_str(), nullptr, 10);
  }
}

/// "TRACER::COUNTER::TOOL.DRAIN_NS", however a writer spells it.
void read_costs(const Definitions& definitions, Report& report) {
  const std::string prefix = std::string{properties::counter} + "TOOL";
  constexpr std::string_view suffix = "_NS";
  for (const Property& property : definitions.properties) {
    const std::string name = cased(property.name, std::toupper);
    if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size() + 1)
      continue;
    const std::string own = name.substr(prefix.size() + 1, name.size() - prefix.size() - suffix.size() - 1);
    report.tool[cased(own, std::tolower)] = std::strtoull(property.value.c_str(), nullptr, 10);
  }
}

/// A part of the report, and who sees the events for it.
struct Measure {
  bool applies;  ///< false: no event is for it
  std::function<void(Replay&)> observe;
  std::function<void(Report&)> fill;  ///< after the last event; also of a measure that does not apply
};

/// Adds them in this order.
template <class... Kinds>
std::function<void(Replay&)> observed_by(Kinds&... kinds) {
  return [&kinds...](Replay& replay) { (replay.add(kinds), ...); };
}

template <class T>
Measure measure(T& of) {
  return {true, observed_by(of), [&of](Report& report) { of.fill(report); }};
}

void fill_data_movement(const DataMovement& movement, const DeviceHabits& habits, Report& report) {
  report.data_movement = movement.rows();
  report.data_movement.insert(report.data_movement.end(), habits.rows().begin(), habits.rows().end());
  std::stable_sort(report.data_movement.begin(), report.data_movement.end(),
                   [](const DataMovementRow& a, const DataMovementRow& b) { return a.ns > b.ns; });
  report.data_operations = movement.all();
  report.has_transfer_content = movement.has_content();
}

void fill_messages(const Definitions& definitions, const MpiMessages& messages, Report& report) {
  MpiReport& mpi = report.mpi;
  mpi.matched = messages.matched();
  mpi.unmatched = messages.unmatched();
  mpi.given_up = messages.given_up();
  mpi.most_open = messages.most_open();
  mpi.reversed = messages.reversed();
  mpi.never_received = messages.unheard();
  for (const char* what : unrecorded_ends_of_messages)
    mpi.never_received -= std::min(mpi.never_received, counter_of(definitions, std::string{"MPI_NOT_TOLD_"} + what));
  mpi.never_received_by = messages.first_unheard().region;
  mpi.never_received_from = messages.first_unheard().rank;
  mpi.never_received_to = messages.first_unheard().partner;
  mpi.never_completed = counter_of(definitions, "MPI_REQUESTS_NEVER_COMPLETED");
}

/// What the definitions alone contain about the run.
void describe_run(const Definitions& definitions, Report& report) {
  report.creator = definitions.creator;
  report.begin_realtime = definitions.clock.known_realtime();
  report.properties = definitions.properties;
  report.part_end = definitions.part_end;
  report.has_openmp = std::any_of(definitions.regions.begin(), definitions.regions.end(),
                                  [](const Region& region) { return region.paradigm == Paradigm::openmp; });
  for (const Property& property : definitions.properties) {
    if (property.name == properties::part) report.part = property.value;
    if (property.name == properties::filter) report.filter = property.value;
    if (property.name == properties::clock_uncertainty)
      report.mpi.clock_uncertainty = std::strtoull(property.value.c_str(), nullptr, 10);
    if (property.name == properties::whole_run_delayed)
      report.delayed_in_whole = std::strtod(property.value.c_str(), nullptr) / 100;
  }
  for (const Location& location : definitions.locations)
    if (is_shown(location)) ++(location.kind == LocationKind::cpu_thread ? report.threads : report.streams);
  count_callbacks(definitions, report);
  read_costs(definitions, report);
}

}  // namespace

Report analyze(EventSource& source, const std::function<void(double)>& progress, const samples::SampleSet* samples) {
  const Definitions& definitions = source.definitions();
  Replay replay{definitions};
  Replacements replacements{definitions, replay};
  Profile profile{definitions, replay, replacements};
  Teams teams{definitions, replay, replacements};
  Graph graph{definitions, replay};
  Locks locks{definitions, replay};
  Devices devices{definitions, replay};
  DataMovement data_movement{definitions, replay};
  DeviceHabits habits{definitions, replay};
  Accountant accountant{definitions, replay};
  Phases phases{definitions, replay, replacements};
  Mpi mpi{definitions, replay};
  MpiPaths paths{definitions, replay, graph};
  MpiSinks sinks{&mpi, &paths};
  MpiMessages messages{definitions, replay, sinks};
  MpiCollectives collectives{definitions, replay, sinks};
  MpiWindows windows{definitions, replay, sinks};
  MpiEpochs epochs{definitions, replay, sinks};
  Io io{definitions};
  ReadingProgress reading{source.number_of_events(), progress};
  ProgramName name;
  const Measure measures[] = {
      {true, observed_by(reading, name, replacements), [](Report&) {}},
      measure(profile),
      measure(teams),  // before the graph, which moves paths on when a team ends
      measure(graph),
      measure(locks),
      measure(devices),
      {true, observed_by(data_movement, habits),
       [&](Report& report) { fill_data_movement(data_movement, habits, report); }},
      {true, observed_by(accountant), [&](Report& report) { report.account = accountant.account(); }},
      {phases.any(), observed_by(phases), [&](Report& report) { report.phases = phases.rows(); }},
      {mpi.any(), observed_by(mpi, messages, collectives, windows, epochs, paths),
       [&](Report& report) {
         mpi.fill(report);
         fill_messages(definitions, messages, report);
         report.mpi.collectives = collectives.complete();
         report.mpi.incomplete_collectives = collectives.incomplete();
         report.mpi.out_of_step = collectives.out_of_step() + windows.out_of_step();
       }},
      {io.any(), observed_by(io), [&](Report& report) { io.fill(report); }},
  };
  for (const Measure& one : measures)
    if (one.applies) one.observe(replay);
  std::optional<SampleJoin> sampled;
  if (samples != nullptr) replay.add(sampled.emplace(definitions, *samples));
  source.read(replay);
  replay.finish();

  Report report;
  describe_run(definitions, report);
  report.events = replay.events();
  report.begin = replay.events() == 0 ? 0 : replay.first();
  report.wall = replay.last() > replay.first() ? replay.last() - replay.first() : 0;
  report.irregular = replay.irregular();
  if (source.unread() != 0) report.event_counts["unread"] = source.unread();
  report.untranslated = source.untranslated();
  if (name.program() < definitions.strings.size()) report.program = definitions.strings[name.program()];
  for (const Measure& one : measures) one.fill(report);
  report.processes = processes_of(definitions, report.thread_rows);
  report.process_balance = balance_of_processes(report.processes);
  report.facts = facts_of_all(definitions, report.processes);
  add_wait_states(report.account, report.mpi.waits);
  if (sampled) report.samples = report_of(*sampled, SamplePaths{*sampled});
  report.verdict = verdict_on(report, definitions);
  report.hints = hints_for(report);
  return report;
}

}  // namespace tracer::report
