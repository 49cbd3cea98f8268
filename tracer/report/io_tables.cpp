// SPDX-License-Identifier: BSD-3-Clause
// See io_tables.hpp.
#include "tracer/report/io_tables.hpp"

#include <nlohmann/json.hpp>

#include <unordered_map>

#include "tracer/base/text.hpp"
#include "tracer/report/units.hpp"

namespace tracer::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_files = 1000;  ///< in the JSON

class Names {
 public:
  explicit Names(const Report& report) {
    for (const ProcessRow& row : report.processes) by_group_[row.group] = &row;
  }
  std::string of(std::uint32_t process) const {
    const auto found = by_group_.find(process);
    return found == by_group_.end() ? "process " + std::to_string(process) : found->second->name;
  }

 private:
  std::unordered_map<std::uint32_t, const ProcessRow*> by_group_;
};

std::string bytes(std::uint64_t count) {
  return count == 0 ? "-" : bytes_text(static_cast<double>(count));
}
std::string count(std::uint64_t number) {
  return number == 0 ? "-" : format_count(number);
}

Table files_table(const Report& report) {
  Table table{"Input and output by file",
              {{"file"},
               {"processes", true},
               {"opened", true},
               {"reads", true},
               {"read", true},
               {"writes", true},
               {"written", true},
               {"time", true},
               {"longest", true},
               {"most time", true}}};
  const Names names{report};
  for (const IoFileRow& row : report.io.files)
    table.add({row.name, format_count(row.processes), count(row.all.opened), count(row.all.reads),
               bytes(row.all.bytes_read), count(row.all.writes), bytes(row.all.bytes_written),
               duration_or_dash(row.all.ns), duration_or_dash(row.all.longest),
               row.most_ns == 0 ? "-" : names.of(row.most_process) + ": " + duration_text(row.most_ns)});
  return table;
}

Table processes_table(const Report& report) {
  Table table{"Input and output by process",
              {{"process"},
               {"files", true},
               {"reads", true},
               {"read", true},
               {"writes", true},
               {"written", true},
               {"time", true},
               {"longest", true}}};
  const Names names{report};
  for (const IoProcessRow& row : report.io.processes)
    table.add({names.of(row.process), format_count(row.files), count(row.all.reads), bytes(row.all.bytes_read),
               count(row.all.writes), bytes(row.all.bytes_written), duration_or_dash(row.all.ns),
               duration_or_dash(row.all.longest)});
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
