// SPDX-License-Identifier: BSD-3-Clause
// See diff.hpp: devices, and what data movement costs.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "tracer/report/diff/names.hpp"
#include "tracer/report/measures/processes.hpp"

namespace tracer::report {
namespace {

/// Numbers of a row, for each run of each side.
template <std::size_t count>
struct Runs {
  std::array<std::array<std::vector<double>, 2>, count> numbers;

  void add(std::size_t side, std::size_t run, const std::array<std::uint64_t, count>& values) {
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<double>& of_side = numbers[i][side];
      of_side.resize(std::max(of_side.size(), run + 1));
      of_side[run] += static_cast<double>(values[i]);
    }
  }
  /// Runs that do not have the row have none of it.
  Change change(std::size_t number, std::size_t before, std::size_t after) {
    numbers[number][0].resize(before);
    numbers[number][1].resize(after);
    return compare(numbers[number][0], numbers[number][1]);
  }
};

/// Each row of each run on both sides.
template <class Rows, class Take>
void for_each_row(const std::vector<Report>& before, const std::vector<Report>& after, Rows Report::*rows,
                  const Take& take) {
  std::size_t side = 0;
  for (const auto* reports : {&before, &after}) {
    for (std::size_t run = 0; run < reports->size(); ++run)
      for (const auto& row : (*reports)[run].*rows) take(side, run, (*reports)[run], row);
    ++side;
  }
}

/// The same in every run: a process that is called by its number is the first, second ... of its program.
std::string name_in_any_run(const Report& report, const DeviceRow& device) {
  if (report.processes.size() < 2) return device.name;
  std::map<std::string, int> seen;
  for (const ProcessRow& process : report.processes) {
    if (!process.name.starts_with("Process ")) continue;
    const std::string program = process.name.substr(std::min(process.name.find(" ("), process.name.size()));
    const int number = ++seen[program];
    if (process.group == device.process) return device.name + ", process " + std::to_string(number) + program;
  }
  return name_in_job(report, device);
}

/// The construct of the operation; one of that name where the report has none.
RegionRow region_of(const Report& report, const DataMovementRow& moved) {
  const auto found = std::find_if(report.regions.begin(), report.regions.end(),
                                  [&](const RegionRow& row) { return row.region == moved.region; });
  if (found != report.regions.end()) return *found;
  RegionRow unknown;
  unknown.name = moved.name;
  return unknown;
}

}  // namespace

void diff_devices(const std::vector<Report>& before, const std::vector<Report>& after, const ConstructNames& names,
                  Diff& diff) {
  std::map<std::string, Runs<8>> devices;
  for_each_row(before, after, &Report::devices,
               [&](std::size_t side, std::size_t run, const Report& report, const DeviceRow& row) {
                 devices[name_in_any_run(report, row)].add(
                     side, run,
                     {row.busy, row.idle, row.kernel_ns, row.to_device.ns + row.from_device.ns, row.kernels,
                      row.to_device.bytes, row.from_device.bytes, row.memory.peak});
               });
  const std::size_t then = before.size(), now = after.size();
  for (auto& [name, of] : devices)
    diff.devices.push_back({name, of.change(0, then, now), of.change(1, then, now), of.change(2, then, now),
                            of.change(3, then, now), of.change(4, then, now), of.change(5, then, now),
                            of.change(6, then, now), of.change(7, then, now)});

  struct Movement {
    ConstructNames::Row row;
    Runs<3> runs;
  };
  std::map<std::pair<std::string, std::string>, Movement> movement;  // by pattern and construct
  for_each_row(before, after, &Report::data_movement,
               [&](std::size_t side, std::size_t run, const Report& report, const DataMovementRow& moved) {
                 const ConstructNames::Row row = names.row_of(region_of(report, moved), side == 0);
                 Movement& mine = movement[{name_of(moved.pattern), row.key}];
                 if (mine.row.was.empty()) mine.row = row;
                 mine.runs.add(side, run, {moved.count, moved.bytes, moved.ns});
               });
  for (auto& [key, of] : movement)
    diff.movement.push_back({key.first, of.row.name, of.row.was, of.row.was_in_line, of.runs.change(0, then, now),
                             of.runs.change(1, then, now), of.runs.change(2, then, now)});
  std::stable_sort(diff.movement.begin(), diff.movement.end(), [](const MovementDiff& a, const MovementDiff& b) {
    return std::abs(a.time.delta()) > std::abs(b.time.delta());
  });
}

}  // namespace tracer::report
