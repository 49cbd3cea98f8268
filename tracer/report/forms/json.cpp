// SPDX-License-Identifier: BSD-3-Clause
// The report as JSON, in the documented schema.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/report/forms/account_json.hpp"
#include "tracer/report/forms/devices_json.hpp"
#include "tracer/report/forms/io_tables.hpp"
#include "tracer/report/forms/keep_most.hpp"
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

/// Half of them are those that work most, the others wait most of the rest.
std::vector<MemberRow> most_of(const std::vector<MemberRow>& all, std::size_t most) {
  if (most == 0) return {};  // of most regions on a page: no copy
  std::vector<MemberRow> members = all;
  const auto time_of = [](Activity activity) {
    return [activity](const MemberRow& row) { return at(row.ns, activity); };
  };
  keep_most(members, most, time_of(Activity::work), time_of(Activity::barrier));
  return members;
}

Json json_of(const ParallelRow& row, std::size_t most_members) {
  Json members = Json::array();
  for (const MemberRow& member : most_of(row.members, most_members))
    members.push_back({{"location", member.location}, {"time", json_of(member.ns)}});
  Json json = {{"region", row.region},
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
  if (row.members.size() > most_members) json["members_left_out"] = row.members.size() - most_members;
  return json;
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
                 {"work_ns", tasks.graph.work},
                 {"critical_path_ns", tasks.graph.path},
                 {"critical_path_tasks", tasks.graph.tasks},
                 {"chain_ns", tasks.chain},
                 {"chain_tasks", tasks.chain_tasks},
                 {"parallelism", share(tasks.graph.work, tasks.graph.path)}}},
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

/// What stands before the parallel regions.
Json first_of(const Report& report, const JsonLimits& limits) {
  Json properties = Json::object();
  for (const Property& property : report.properties) properties[property.name] = property.value;
  std::map<std::size_t, std::size_t> where;
  const std::vector<AccountRow> cells = shown_cells(report, where);
  return {{"schema", json_schema},
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
          {"account", account_json(report, cells)},
          {"verdict", json_of(report.verdict, where)},
          {"wall_ns", report.wall},
          {"work_ns", report.tasks.work},
          {"critical_path_ns", report.tasks.critical_path},
          {"parallelism", share(report.tasks.work, report.tasks.critical_path)},
          {"constructs", array_of(report.regions)},
          {"threads", array_of(report.thread_rows)},
          {"processes", array_of(report.processes)},
          {"process_balance", json_of(report.process_balance)},
          {"mpi", json_of(report.mpi, report.begin, limits.has_calls_by_rank)},
          {"io", json_of(report.io)}};
}

/// What stands behind them.
Json last_of(const Report& report) {
  Json hints = Json::array();
  for (const Hint& hint : report.hints) hints.push_back({{"id", hint.id}, {"value", hint.value}, {"text", hint.text}});
  Json json = {{"tasks", json_of(report.tasks)},
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
               {"tool_ns", report.tool}};
  if (!report.samples.empty()) json["samples"] = json_of(report.samples);
  return json;
}

std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// As text_of() writes an array of them as a member of an object, one after another: of a large job all of them at once
/// need ten times the memory of their text.
void add_parallels(const Report& report, int indent, const JsonLimits& limits, std::string& text) {
  const bool has_lines = indent >= 0;
  const auto line = [&](int depth) {
    return has_lines ? "\n" + std::string(static_cast<std::size_t>(depth * indent), ' ') : std::string{};
  };
  const std::string new_row = line(2);
  text += line(1) + (has_lines ? "\"parallel_regions\": [" : "\"parallel_regions\":[");
  std::size_t regions = 0;
  for (const ParallelRow& row : report.parallels) {
    const std::size_t members = regions < limits.regions_with_members ? limits.members : 0;
    if (regions++ != 0) text += ',';
    text += new_row;
    for (const char c : text_of(json_of(row, members), indent)) {
      if (c == '\n')  // between values: those in strings are escaped
        text += new_row;
      else
        text += c;
    }
  }
  if (regions != 0) text += line(1);
  text += ']';
}

}  // namespace

std::string to_json(const Report& report, int indent, const JsonLimits& limits) {
  const std::size_t end = indent < 0 ? 1 : 2;  // of an object: "}", of several lines "\n}"
  std::string text = text_of(first_of(report, limits), indent);
  text.resize(text.size() - end);
  text += ',';
  add_parallels(report, indent, limits, text);
  text += ',';
  text += std::string_view{text_of(last_of(report), indent)}.substr(1);
  return text;
}

}  // namespace tracer::report
