// SPDX-License-Identifier: BSD-3-Clause
// See account_json.hpp.
#include "tracer/report/forms/account_json.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tracer::report {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const PlaceTimes& times) {
  Json object = Json::object();
  for (std::size_t p = 0; p < places; ++p) object[std::string{name_of(static_cast<Place>(p))} + "_ns"] = times[p];
  return object;
}

class RegionNames {
 public:
  explicit RegionNames(const std::vector<RegionRow>& regions) {
    for (const RegionRow& row : regions) names_.emplace(row.region, &row.name);
  }
  std::string of(RegionRef region) const {
    const auto found = names_.find(region);
    return found == names_.end() ? std::string{} : *found->second;
  }

 private:
  std::unordered_map<RegionRef, const std::string*> names_;
};

}  // namespace

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

Json account_json(const Report& report, const std::vector<AccountRow>& cells) {
  const Account& account = report.account;
  const RegionNames names{report.regions};
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
                       {"at", names.of(row.region)},
                       {"cause", names.of(row.cause)},
                       {"parallel", names.of(row.parallel)},
                       {"ns", row.ns},
                       {"count", row.count},
                       {"longest_ns", row.longest},
                       {"longest_at_ns", row.longest_at - std::min(row.longest_at, report.begin)}});
  }
  for (const SerialStretch& stretch : account.stretches) {
    if (stretches.size() == most_stretches) break;
    stretches.push_back({{"ns", stretch.ns}, {"after", names.of(stretch.after)}, {"before", names.of(stretch.before)}});
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

}  // namespace tracer::report
