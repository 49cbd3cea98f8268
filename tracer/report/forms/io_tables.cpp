// SPDX-License-Identifier: BSD-3-Clause
// See io_tables.hpp.
#include "tracer/report/forms/io_tables.hpp"

#include <nlohmann/json.hpp>

#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/report/measures/processes.hpp"

namespace tracer::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_files = 1000;  ///< in the JSON

std::string name_of(const ProcessesByGroup& processes, std::uint32_t group) {
  return processes.name_or(group, "process " + std::to_string(group));
}

Table files_table(const Report& report) {
  Table table{
      "Input and output by file",
      {"file", ">processes", ">opened", ">reads", ">read", ">writes", ">written", ">time", ">longest", ">most time"}};
  const ProcessesByGroup processes{report.processes};
  for (const IoFileRow& row : report.io.files)
    table.add({row.name, format_count(row.processes), count_or_dash(row.all.opened), count_or_dash(row.all.reads),
               bytes_or_dash(row.all.bytes_read), count_or_dash(row.all.writes), bytes_or_dash(row.all.bytes_written),
               duration_or_dash(row.all.ns), duration_or_dash(row.all.longest),
               row.most_ns == 0 ? "-" : name_of(processes, row.most_process) + ": " + duration_text(row.most_ns)});
  return table;
}

Table processes_table(const Report& report) {
  Table table{"Input and output by process",
              {"process", ">files", ">reads", ">read", ">writes", ">written", ">time", ">longest"}};
  const ProcessesByGroup processes{report.processes};
  for (const IoProcessRow& row : report.io.processes)
    table.add({name_of(processes, row.process), format_count(row.files), count_or_dash(row.all.reads),
               bytes_or_dash(row.all.bytes_read), count_or_dash(row.all.writes), bytes_or_dash(row.all.bytes_written),
               duration_or_dash(row.all.ns), duration_or_dash(row.all.longest)});
  return table;
}

void add(Json& json, const IoTotals& all) {
  json["opened"] = all.opened;
  json["reads"] = all.reads;
  json["read_bytes"] = all.bytes_read;
  json["writes"] = all.writes;
  json["written_bytes"] = all.bytes_written;
  json["flushes"] = all.flushes;
  json["total_ns"] = all.ns;
  json["longest_ns"] = all.longest;
}

}  // namespace

std::string io_text(const Report& report, const TextOptions& options) {
  if (report.io.files.empty()) return {};
  std::string out = files_table(report).text(options);
  if (report.io.processes.size() > 1) out += processes_table(report).text(options);
  return out;
}

Json json_of(const IoReport& io) {
  Json files = Json::array(), processes = Json::array();
  for (const IoFileRow& row : io.files) {
    if (files.size() == most_files) break;
    Json json{{"file", row.name}, {"processes", row.processes}};
    add(json, row.all);
    json["most_process"] = row.most_process;
    json["most_ns"] = row.most_ns;
    files.push_back(std::move(json));
  }
  for (const IoProcessRow& row : io.processes) {
    Json json{{"process", row.process}, {"files", row.files}};
    add(json, row.all);
    processes.push_back(std::move(json));
  }
  return {{"files", std::move(files)}, {"by_process", std::move(processes)}};
}

}  // namespace tracer::report
