// SPDX-License-Identifier: BSD-3-Clause
// The report as JSON, in the documented schema.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <vector>

#include "tracer/report/forms/devices_json.hpp"
#include "tracer/report/forms/io_tables.hpp"
#include "tracer/report/forms/mpi_json.hpp"
#include "tracer/report/forms/samples_json.hpp"
#include "tracer/report/forms/write.hpp"
#include "tracer/report/measures/ratios.hpp"

namespace tracer::report {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Balance& balance) {
  return {{"threads", balance.threads},
          {"max_ns", balance.max},
          {"min_ns", balance.min},
          {"mean_ns", balance.mean()},
          {"max_over_mean", balance.max_over_mean()},
          {"max_over_min", balance.max_over_min()},
          {"imbalance", balance.imbalance()},
          {"lost_ns", balance.lost},
          {"slowest", balance.slowest}};
}

Json json_of(const ActivityTimes& times) {
  Json object = Json::object();
  for (std::size_t i = 0; i < times.size(); ++i)
    object[std::string{name_of(static_cast<Activity>(i))} + "_ns"] = times[i];
  return object;
}

Json json_of(const RegionRow& row) {
  return {{"region", row.region},
          {"name", row.name},
          {"construct", row.label},
          {"file", row.file},
          {"line", row.line},
          {"count", row.count},
          {"total_ns", row.total},
          {"exclusive_ns", row.exclusive},
          {"mean_ns", mean(row.total, row.count)},
          {"longest_ns", row.longest},
          {"shortest_ns", row.shortest},
          {"balance", json_of(row.balance)}};
}

Json json_of(const ThreadRow& row) {
  Json thread = {{"location", row.location},
                 {"name", row.name},
                 {"events", row.events},
                 {"tasks", row.tasks},
                 {"time", json_of(row.ns)}};
  if (row.ended != 0) thread["ended_ns"] = row.ended;
  return thread;
}

Json json_of(const ParallelRow& row) {
  Json members = Json::array();
  for (const MemberRow& member : row.members)
    members.push_back({{"location", member.location}, {"time", json_of(member.ns)}});
  return {{"region", row.region},
          {"name", row.name},
          {"count", row.count},
          {"wall_ns", row.wall},
          {"longest_ns", row.longest},
          {"threads", row.threads},
          {"time", json_of(row.ns)},
          {"work_ns", row.work},
          {"critical_path_ns", row.critical_path},
          {"parallelism", share(row.work, row.critical_path)},
          {"balance", json_of(row.balance)},
          {"members", std::move(members)}};
}

Json json_of(const TaskReport& tasks) {
  Json regions = Json::array();
  for (const TaskRow& row : tasks.regions) {
    regions.push_back({{"region", row.region},
                       {"name", row.name},
                       {"count", row.count},
                       {"total_ns", row.total},
                       {"mean_ns", mean(row.total, row.count)},
                       {"longest_ns", row.longest},
                       {"shortest_ns", row.shortest}});
    if (row.discarded != 0) regions.back()["discarded"] = row.discarded;
  }
  Json json = {{"created", tasks.created},
               {"completed", tasks.completed},
               {"dependences", tasks.dependences},
               {"switches", tasks.switches},
               {"run_by_other_thread", tasks.moved},
               {"total_ns", tasks.total},
               {"mean_ns", mean(tasks.total, tasks.completed)},
               {"own_mean_ns", mean(tasks.own, tasks.completed)},
               {"longest_ns", tasks.longest},
               {"shortest_ns", tasks.shortest},
               {"create_ns", tasks.create},
               {"wait_ns", tasks.wait},
               {"start_delay_ns", mean(tasks.delay, tasks.completed)},
               {"graph",
                {{"tasks", tasks.completed},
                 {"work_ns", tasks.graph_work},
                 {"critical_path_ns", tasks.graph_path},
                 {"critical_path_tasks", tasks.graph_tasks},
                 {"chain_ns", tasks.chain},
                 {"chain_tasks", tasks.chain_tasks},
                 {"parallelism", share(tasks.graph_work, tasks.graph_path)}}},
               {"regions", std::move(regions)}};
  if (tasks.discarded != 0) json["discarded"] = tasks.discarded;
  return json;
}

Json json_of(Json json, const LockTotals& totals) {
  json["acquisitions"] = totals.acquisitions;
  json["contended"] = totals.contended;
  json["wait_ns"] = totals.wait;
  json["longest_wait_ns"] = totals.longest_wait;
  json["held_ns"] = totals.held;
  json["longest_held_ns"] = totals.longest_held;
  return json;
}

Json json_of(const LockRow& row) {
  return json_of({{"lock", row.lock}, {"process", row.process}, {"name", row.name}}, row);
}

Json json_of(const PlaceTimes& times) {
  Json object = Json::object();
  for (std::size_t p = 0; p < places; ++p) object[std::string{name_of(static_cast<Place>(p))} + "_ns"] = times[p];
  return object;
}

std::string region_name(const Report& report, RegionRef region) {
  for (const RegionRow& row : report.regions)
    if (row.region == region) return row.name;
  return {};
}

/// The cells that are shown: the largest ones and those of findings; the rest of each place as one. And where each
/// finding's are among them.
std::vector<AccountRow> shown_cells(const Report& report, std::map<std::size_t, std::size_t>& where) {
  constexpr std::size_t most = 200;
  const std::vector<AccountRow>& all = report.account.details;
  for (const Finding& finding : report.verdict.findings)
    for (const std::size_t cell : finding.cells) where[cell] = 0;
  std::vector<AccountRow> shown;
  std::map<Place, AccountRow> rest;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (const auto wanted = where.find(i); wanted != where.end()) wanted->second = shown.size();
    if (shown.size() < most || where.contains(i)) {
      if (all[i].ns != 0 || where.contains(i)) shown.push_back(all[i]);
      continue;
    }
    AccountRow& sum = rest[all[i].place];
    sum.place = sum.of = all[i].place;
    sum.ns += all[i].ns;
    sum.count += all[i].count;
  }
  for (const auto& [place, row] : rest) shown.push_back(row);
  return shown;
}

Json json_of(const Account& account, const Report& report, const std::vector<AccountRow>& cells) {
  constexpr std::size_t most_stretches = 20;
  Json processes = Json::array(), threads = Json::array(), details = Json::array(), stretches = Json::array();
  for (const AccountThread& row : account.rows) {
    Json thread = {{"location", row.location}, {"time", json_of(row.ns)}};
    if (row.ended != 0) thread["ended_ns"] = row.ended;
    if (row.facts.known) thread["processor_ns"] = row.facts.processor, thread["delay_ns"] = row.facts.delay;
    threads.push_back(std::move(thread));
  }
  for (const AccountProcess& row : account.processes) {
    processes.push_back({{"process", row.group},
                         {"threads", row.threads},
                         {"ended_threads", row.ended},
                         {"begin_ns", row.begin},
                         {"end_ns", row.end},
                         {"serial_wall_ns", row.serial_wall},
                         {"time", json_of(row.ns)}});
  }
  for (const AccountRow& row : cells) {
    details.push_back({{"place", name_of(row.place)},
                       {"of", name_of(row.of)},
                       {"wait", row.wait ? Json(name_of(*row.wait)) : Json{}},
                       {"at", region_name(report, row.region)},
                       {"cause", region_name(report, row.cause)},
                       {"parallel", region_name(report, row.parallel)},
                       {"ns", row.ns},
                       {"count", row.count},
                       {"longest_ns", row.longest},
                       {"longest_at_ns", row.longest_at - std::min(row.longest_at, report.begin)}});
  }
  for (const SerialStretch& stretch : account.stretches) {
    if (stretches.size() == most_stretches) break;
    stretches.push_back({{"ns", stretch.ns},
                         {"after", region_name(report, stretch.after)},
                         {"before", region_name(report, stretch.before)}});
  }
  return {{"begin_ns", account.begin},
          {"end_ns", account.end},
          {"whole_process", account.whole_process},
          {"threads", account.threads},
          {"ended_threads", account.ended},
          {"threads_present_at_once", account.present},
          {"total_ns", account.total},
          {"time", json_of(account.ns)},
          {"serial_wall_ns", account.serial_wall},
          {"most_threads_at_once", account.most_at_once},
          {"teams_at_once", account.teams_at_once},
          {"active_levels", account.active_levels},
          {"helper_threads", account.helpers},
          {"within_phases_ns", account.is_confined ? Json(account.within) : Json{}},
          {"task_work_ns", account.task_work},
          {"task_creation_ns", account.create_cost},
          {"by_process", std::move(processes)},
          {"by_thread", std::move(threads)},
          {"details", std::move(details)},
          {"serial_parts", std::move(stretches)}};
}

Json json_of(const Verdict& verdict, const std::map<std::size_t, std::size_t>& where) {
  Json notes = Json::array(), findings = Json::array();
  for (const Note& note : verdict.notes) notes.push_back({{"id", note.id}, {"text", note.text}});
  for (const Finding& finding : verdict.findings) {
    Json cells = Json::array();
    for (const std::size_t cell : finding.cells) cells.push_back(where.at(cell));
    findings.push_back({{"id", finding.id},
                        {"lost_ns", finding.lost},
                        {"win_ns", finding.win},
                        {"cells", cells},
                        {"sure", finding.sure},
                        {"name", finding.name},
                        {"function", finding.function},
                        {"file", finding.file},
                        {"line", finding.line},
                        {"at_ns", finding.at},
                        {"text", finding.text},
                        {"advice", finding.advice}});
  }
  return {{"state", verdict.state},
          {"summary", verdict.summary},
          {"notes", std::move(notes)},
          {"findings", std::move(findings)}};
}

Json json_of(const RuntimeUse& use) {
  return {{"library", use.library}, {"threads", use.threads}};
}

Json json_of(const RunFacts& facts) {
  Json runtimes = Json::array();
  for (const RuntimeUse& use : facts.runtimes) runtimes.push_back(json_of(use));
  return {{"known", facts.known},
          {"ended", facts.ended},
          {"inside", facts.inside},
          {"signal", facts.signal},
          {"exit_status", facts.exit_status},
          {"mpi_abort", facts.mpi_abort},
          {"processors", facts.processors},
          {"processors_online", facts.processors_online},
          {"processor_ns", facts.processor_ns},
          {"system_ns", facts.system_ns},
          {"page_faults", facts.page_faults},
          {"stolen_ns", facts.stolen_ns},
          {"asleep_ns", facts.asleep_ns},
          {"host", facts.host},
          {"machine", facts.machine},
          {"processor", facts.processor},
          {"runtimes", std::move(runtimes)},
          {"environment", facts.environment}};
}

Json json_of(const PhaseRow& row) {
  return {{"region", row.region},
          {"name", row.name},
          {"said_by", row.domain},
          {"count", row.count},
          {"total_ns", row.total},
          {"mean_ns", mean(row.total, row.count)},
          {"longest_ns", row.longest},
          {"shortest_ns", row.shortest},
          {"time", json_of(row.ns)},
          {"mpi_ns", row.mpi},
          {"device_operations_ns", row.operations},
          {"balance", json_of(row.balance)}};
}

Json json_of(const ProcessRow& row) {
  return {{"process", row.group},
          {"name", row.name},
          {"parent", row.parent == undefined_ref ? Json{} : Json(row.parent)},
          {"program", row.program},
          {"run", json_of(row.facts)},
          {"threads", row.threads},
          {"streams", row.streams},
          {"events", row.events},
          {"time", json_of(row.ns)}};
}

template <class Rows>
Json array_of(const Rows& rows) {
  Json array = Json::array();
  for (const auto& row : rows) array.push_back(json_of(row));
  return array;
}

}  // namespace

std::string to_json(const Report& report, int indent) {
  Json properties = Json::object();
  for (const Property& property : report.properties) properties[property.name] = property.value;
  Json hints = Json::array();
  for (const Hint& hint : report.hints) hints.push_back({{"id", hint.id}, {"value", hint.value}, {"text", hint.text}});
  std::map<std::size_t, std::size_t> where;
  const std::vector<AccountRow> cells = shown_cells(report, where);
  Json json = {
      {"schema", json_schema},
      {"trace",
       {{"archive", report.archive},
        {"program", report.program},
        {"creator", report.creator},
        {"begin_realtime_ns", report.begin_realtime},
        {"events", report.events},
        {"irregular_events", report.irregular},
        {"threads", report.threads},
        {"streams", report.streams},
        {"properties", std::move(properties)}}},
      {"run", json_of(report.facts)},
      {"account", json_of(report.account, report, cells)},
      {"verdict", json_of(report.verdict, where)},
      {"wall_ns", report.wall},
      {"work_ns", report.tasks.work},
      {"critical_path_ns", report.tasks.critical_path},
      {"parallelism", share(report.tasks.work, report.tasks.critical_path)},
      {"constructs", array_of(report.regions)},
      {"threads", array_of(report.thread_rows)},
      {"processes", array_of(report.processes)},
      {"process_balance", json_of(report.process_balance)},
      {"mpi", json_of(report.mpi, report.begin)},
      {"io", json_of(report.io)},
      {"parallel_regions", array_of(report.parallels)},
      {"tasks", json_of(report.tasks)},
      {"locks", array_of(report.locks)},
      {"other_locks", json_of({{"locks", report.other_locks}}, report.of_other_locks)},
      {"devices", devices_json(report)},
      {"data_movement", data_movement_json(report)},
      {"data_operations", json_of(report.data_operations)},
      {"transfer_content", report.has_transfer_content},
      {"phases", array_of(report.phases)},
      {"hints", std::move(hints)},
      {"event_counts", report.event_counts},
      {"events_not_shown", report.untranslated},
      {"callbacks", report.callbacks},
      {"tool_ns", report.tool},
  };
  if (!report.samples.empty()) json["samples"] = json_of(report.samples);
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tracer::report
