// SPDX-License-Identifier: BSD-3-Clause
// See io.hpp.
#include "tracer/report/measures/io.hpp"

#include <algorithm>
#include <map>
#include <vector>

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

Io::Io(const Definitions& definitions) : definitions_{definitions} {
  const std::vector<IoHandle>& handles = definitions.io_handles;
  for (const IoHandle& handle : handles)
    is_inner_.push_back(handle.parent < handles.size() && handles[handle.parent].file == handle.file);
}

IoTotals& Io::totals(LocationRef location, std::uint32_t handle) {
  return totals_[{definitions_.io_handles[handle].file, definitions_.locations[location].group}];
}

Io::OperationKey Io::key_of(Call call, LocationRef location, const Event& event) const {
  return {call, call == Call::blocking ? location : definitions_.locations[location].group, event.ref, event.b};
}

/// The begin of what the event goes on with.
Io::Operations::iterator Io::find(LocationRef location, const Event& event) {
  const auto own = operations_.find(key_of(Call::blocking, location, event));
  return own != operations_.end() ? own : operations_.find(key_of(Call::non_blocking, location, event));
}

void Io::other_event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  if (event.type < EventType::io_create_handle || event.type == EventType::io_delete_file) return;
  if (event.ref >= is_inner_.size() || is_inner_[event.ref]) return;
  constexpr unsigned non_blocking = 1;  // OTF2_IoOperationFlag
  switch (event.type) {
    case EventType::io_create_handle:
      ++totals(location, event.ref).opened;
      return;
    case EventType::io_operation_begin: {
      const Call call = (event.sub >> 8 & non_blocking) != 0 ? Call::non_blocking : Call::blocking;
      operations_[key_of(call, location, event)] = {event.time, 0, static_cast<std::uint8_t>(event.sub), false};
      return;
    }
    case EventType::io_operation_issued:
      if (const auto found = find(location, event); found != operations_.end()) {
        found->second.in_call = event.time - found->second.begin;
        found->second.is_issued = true;
      }
      return;
    case EventType::io_operation_complete:
      return over(location, event);
    case EventType::io_operation_cancelled:
      if (const auto found = find(location, event); found != operations_.end()) operations_.erase(found);
      return;
    default:
      return;
  }
}

/// Between the call that issues an operation and its end the process does something else: the time of that call counts.
void Io::over(LocationRef location, const Event& event) {
  const auto found = find(location, event);
  if (found == operations_.end()) return;
  const Operation& operation = found->second;
  const std::uint64_t ns = operation.is_issued ? operation.in_call : event.time - operation.begin;
  IoTotals& to = totals(location, event.ref);
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
