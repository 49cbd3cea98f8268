// SPDX-License-Identifier: BSD-3-Clause
// Puts the observers together for one pass over the trace.
#include "tracer/report/analyze.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "tracer/mpi_untold.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/reading_progress.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/sample_join.hpp"
#include "tracer/replay/sample_paths.hpp"
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

void count_callbacks(const Definitions& definitions, Report& report) {
  constexpr std::string_view prefix = properties::callbacks;
  for (const Property& property : definitions.properties) {
    if (!property.name.starts_with(prefix)) continue;
    std::string name = property.name.substr(prefix.size());  // OTF2 wants properties' names in capitals
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    report.callbacks[name] = std::strtoull(property.value.c_str(), nullptr, 10);
  }
}

/// "TRACER::COUNTER::TOOL.DRAIN_NS", however a writer spells it.
void read_costs(const Definitions& definitions, Report& report) {
  const std::string prefix = std::string{properties::counter} + "TOOL";
  constexpr std::string_view suffix = "_NS";
  for (const Property& property : definitions.properties) {
    std::string name = property.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size() + 1)
      continue;
    name = name.substr(prefix.size() + 1, name.size() - prefix.size() - suffix.size() - 1);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    report.tool[name] = std::strtoull(property.value.c_str(), nullptr, 10);
  }
}

}  // namespace

Report analyze(EventSource& source, const std::function<void(double)>& progress, const samples::SampleSet* samples) {
  const Definitions& definitions = source.definitions();
  Replay replay{definitions};
  Profile profile{definitions, replay};
  Teams teams{definitions, replay};
  Graph graph{definitions, replay};
  Locks locks{definitions, replay};
  Devices devices{definitions, replay};
  DataMovement data_movement{definitions, replay};
  DeviceHabits habits{definitions, replay};
  Accountant accountant{definitions, replay};
  Phases phases{definitions, replay};
  Mpi mpi{definitions, replay};
  MpiPaths paths{definitions, replay, graph};
  MpiSinks told{&mpi, &paths};
  MpiMessages messages{definitions, replay, told};
  MpiCollectives collectives{definitions, replay, told};
  MpiWindows windows{definitions, replay, told};
  MpiEpochs epochs{definitions, replay, told};
  Io io{definitions};
  ReadingProgress reading{source.number_of_events(), progress};
  ProgramName name;
  replay.add(reading);
  replay.add(name);
  replay.add(profile);
  replay.add(teams);  // before the graph, which moves paths on when a team ends
  replay.add(graph);
  replay.add(locks);
  replay.add(devices);
  replay.add(data_movement);
  replay.add(habits);
  replay.add(accountant);
  if (phases.any()) replay.add(phases);
  if (mpi.any()) {
    replay.add(mpi);
    replay.add(messages);
    replay.add(collectives);
    replay.add(windows);
    replay.add(epochs);
    replay.add(paths);
  }
  if (io.any()) replay.add(io);
  std::optional<SampleJoin> sampled;
  if (samples != nullptr) replay.add(sampled.emplace(definitions, *samples));
  source.read(replay);
  replay.finish();

  Report report;
  report.creator = definitions.creator;
  report.begin_realtime = definitions.clock.realtime;
  report.events = replay.events();
  report.begin = replay.events() == 0 ? 0 : replay.first();
  report.wall = replay.last() > replay.first() ? replay.last() - replay.first() : 0;
  report.irregular = replay.irregular();
  if (source.unread() != 0) report.event_counts["unread"] = source.unread();
  report.properties = definitions.properties;
  report.has_openmp = std::any_of(definitions.regions.begin(), definitions.regions.end(),
                                  [](const Region& region) { return region.paradigm == Paradigm::openmp; });
  for (const Property& property : definitions.properties) {
    if (property.name == properties::part) report.part = property.value;
    if (property.name == properties::filter) report.filter = property.value;
    if (property.name == properties::whole_run_delayed)
      report.delayed_in_whole = std::strtod(property.value.c_str(), nullptr) / 100;
  }
  if (name.program() < definitions.strings.size()) report.program = definitions.strings[name.program()];
  for (const Location& location : definitions.locations)
    if (is_shown(location)) ++(location.kind == LocationKind::cpu_thread ? report.threads : report.streams);
  count_callbacks(definitions, report);
  read_costs(definitions, report);
  profile.fill(report);
  teams.fill(report);
  graph.fill(report);
  locks.fill(report);
  devices.fill(report);
  report.data_movement = data_movement.rows();
  report.data_movement.insert(report.data_movement.end(), habits.rows().begin(), habits.rows().end());
  std::stable_sort(report.data_movement.begin(), report.data_movement.end(),
                   [](const DataMovementRow& a, const DataMovementRow& b) { return a.ns > b.ns; });
  report.data_operations = data_movement.all();
  report.has_transfer_content = data_movement.has_content();
  report.phases = phases.rows();
  mpi.fill(report);
  io.fill(report);
  report.mpi.matched = messages.matched();
  report.mpi.unmatched = messages.unmatched();
  report.mpi.reversed = messages.reversed();
  report.mpi.never_received = messages.unheard();
  for (const char* what : untold_ends_of_messages)
    report.mpi.never_received -=
        std::min(report.mpi.never_received, counter_of(definitions, std::string{"MPI_NOT_TOLD_"} + what));
  report.mpi.never_received_by = messages.first_unheard().region;
  report.mpi.never_received_from = messages.first_unheard().rank;
  report.mpi.never_received_to = messages.first_unheard().partner;
  report.mpi.collectives = collectives.complete();
  report.mpi.incomplete_collectives = collectives.incomplete();
  report.mpi.never_completed = counter_of(definitions, "MPI_REQUESTS_NEVER_COMPLETED");
  report.processes = processes_of(definitions, report.thread_rows);
  report.process_balance = balance_of_processes(report.processes);
  report.facts = facts_of_all(definitions, report.processes);
  report.account = accountant.account();
  add_wait_states(report.account, report.mpi.waits);
  if (sampled) report.samples = report_of(*sampled, SamplePaths{*sampled});
  report.verdict = verdict_on(report, definitions);
  report.hints = hints_for(report);
  return report;
}

}  // namespace tracer::report
