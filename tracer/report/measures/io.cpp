// SPDX-License-Identifier: BSD-3-Clause
// See io.hpp.
#include "tracer/report/measures/io.hpp"

#include <algorithm>

namespace tracer::report {
namespace {

void add(IoTotals& to, const IoTotals& from) {
  to.opened += from.opened;
  to.reads += from.reads;
  to.writes += from.writes;
  to.flushes += from.flushes;
  to.bytes_read += from.bytes_read;
  to.bytes_written += from.bytes_written;
  to.ns += from.ns;
  to.longest = std::max(to.longest, from.longest);
}

}  // namespace

IoTotals& Io::totals(std::uint32_t process, std::uint32_t handle) {
  return totals_[{definitions_.io_handles[handle].file, process}];
}

void Io::other_event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  if (event.type < EventType::io_create_handle || event.type == EventType::io_delete_file) return;
  if (event.ref >= definitions_.io_handles.size()) return;
  const std::uint32_t process = definitions_.locations[location].group;
  const OperationKey key{process, event.ref, event.b};
  switch (event.type) {
    case EventType::io_create_handle:
      ++totals(process, event.ref).opened;
      return;
    case EventType::io_operation_begin:
      operations_[key] = {event.time, 0, static_cast<std::uint8_t>(event.sub), false};
      return;
    case EventType::io_operation_issued:
      if (const auto found = operations_.find(key); found != operations_.end()) {
        found->second.in_call = event.time - found->second.begin;
        found->second.is_issued = true;
      }
      return;
    case EventType::io_operation_complete:
      return over(key, event);
    case EventType::io_operation_cancelled:
      operations_.erase(key);
      return;
    default:
      return;
  }
}

/// Between the call that issues an operation and its end the process does something else: the time of that call counts.
void Io::over(const OperationKey& key, const Event& event) {
  const auto found = operations_.find(key);
  if (found == operations_.end()) return;
  const Operation& operation = found->second;
  const std::uint64_t ns = operation.is_issued ? operation.in_call : event.time - operation.begin;
  IoTotals& to = totals(std::get<0>(key), event.ref);
  constexpr std::uint8_t read = 0, write = 1;  // OTF2_IoOperationMode
  if (operation.mode == read) {
    ++to.reads;
    to.bytes_read += event.a;
  } else if (operation.mode == write) {
    ++to.writes;
    to.bytes_written += event.a;
  } else {
    ++to.flushes;
  }
  to.ns += ns;
  to.longest = std::max(to.longest, ns);
  operations_.erase(found);
}

void Io::fill(Report& report) const {
  std::map<std::uint32_t, IoProcessRow> processes;
  for (const auto& [key, of] : totals_) {
    const auto [file, process] = key;
    if (report.io.files.empty() || report.io.files.back().file != file) {
      const bool is_known = file < definitions_.io_files.size();
      report.io.files.push_back({file, is_known ? definitions_.io_files[file].name : "", {}, 0, process, 0});
    }
    IoFileRow& row = report.io.files.back();
    add(row.all, of);
    ++row.processes;
    if (of.ns > row.most_ns) row.most_ns = of.ns, row.most_process = process;
    IoProcessRow& own = processes[process];
    own.process = process;
    ++own.files;
    add(own.all, of);
  }
  const auto by_time = [](const auto& a, const auto& b) { return a.all.ns > b.all.ns; };
  std::stable_sort(report.io.files.begin(), report.io.files.end(), by_time);
  for (const auto& [process, row] : processes) report.io.processes.push_back(row);
}

}  // namespace tracer::report
