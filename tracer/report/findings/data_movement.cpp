// SPDX-License-Identifier: BSD-3-Clause
// Findings on data movement between host and devices: a finding for each pattern, at the construct where it costs most.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {
namespace {

struct PatternRow {
  DataPattern pattern;
  const char* who;
  const char* what;  ///< "%s copies of %s in all, ..."
  const char* advice;
  const char* sure;
};

/// What each pattern means, and the clause to write (OpenMP 5.2, 5.8 and 13).
constexpr std::array patterns{
    PatternRow{DataPattern::duplicate_transfer, "operations",
               "copy to the device what was copied there before, with the same content",
               "Keep the data on the device between these constructs: put `target data map(to: ...)` around them, or "
               "`target enter data` before and `target exit data` behind them. If kernels change them, keep a second "
               "copy on the device and restore them from it.",
               "high"},
    PatternRow{
        DataPattern::round_trip, "operations", "copy back to the device what came from it and did not change",
        "Keep the data on the device: put `target data map(tofrom: ...)` around these constructs, and fetch what "
        "the host reads in between by `target update from(...)`.",
        "high"},
    PatternRow{DataPattern::returned_unchanged, "operations", "fetch from the device what it did not change",
               "Map these variables by `map(to: ...)` instead of `tofrom`, which is also the default.", "high"},
    PatternRow{DataPattern::repeated_allocation, "operations",
               "allocate and free memory for variables that had some on the device before",
               "Allocate once: put `target data map(alloc: ...)` around these constructs, or keep what "
               "`omp_target_alloc` gives.",
               "medium"},
    PatternRow{DataPattern::unused_allocation, "operations",
               "allocate memory on the device in whose lifetime no kernel runs",
               "Remove the map clause, or the `target data` construct, of these variables.", "medium"},
    PatternRow{DataPattern::unused_transfer, "operations",
               "copy to the device what is overwritten or freed before a kernel runs",
               "Map these variables by `map(alloc: ...)` or `map(from: ...)`, or move the copy behind the loop.",
               "medium"},
    PatternRow{
        DataPattern::serial_transfer, "operations",
        "copy to the device while no kernel runs, and could go on behind the kernel before",
        "Send the next step's data while the kernel of this one runs: two buffers in turn, `target update to(...) "
        "nowait depend(out: ...)` and `target nowait depend(in: ...)`.",
        "low"},
    PatternRow{DataPattern::small_transfers, "operations", "copy little at a time between two kernels",
               "Copy it at once: put what is small into one array or structure and map that, or update a contiguous "
               "part by one `target update`.",
               "medium"},
    PatternRow{DataPattern::short_kernels, "kernels", "take less time than launching them and waiting for them",
               "Give each kernel more to do: move the loop around the `target` construct into it, or submit several "
               "without waiting by `target nowait depend(...)`.",
               "medium"},
    PatternRow{DataPattern::few_teams, "kernels",
               "run while the device has fewer blocks than multiprocessors, with all that run beside them",
               "Let the runtime choose the number of teams, or raise `num_teams`; `collapse` gives `distribute` more "
               "iterations to share.",
               "medium"},
    PatternRow{DataPattern::turns, "times",
               "the host waits for the device, and then works while the device waits, though it fetches nothing",
               "Let both work at once: `target nowait depend(...)`, the host's work, and `taskwait` where the result "
               "is needed.",
               "low"}};

/// "8 operations do so: 128 MiB in 1 s"; what moves no data has no bytes.
std::string text_of(const PatternRow& pattern, const DataMovementRow& all, const std::string& time_text) {
  const std::string bytes = all.bytes == 0 ? std::string{} : bytes_text(static_cast<double>(all.bytes)) + " in ";
  return format_count(all.count) + " " + pattern.who + " " + pattern.what + ": " + bytes + time_text;
}

bool is_of_no_use(DataPattern pattern) {
  return pattern == DataPattern::unused_allocation || pattern == DataPattern::unused_transfer;
}

/// Whether kernels that the OpenMP runtime did not launch are in the trace. Neither the host's view of a device nor the
/// runtime's records show them.
bool has_kernels_of_libraries(const std::vector<DeviceRow>& devices) {
  const auto shows_them = [](const DeviceRow& row) { return row.provider != "host" && row.provider != "ompt"; };
  return !devices.empty() && std::all_of(devices.begin(), devices.end(), shows_them);
}

}  // namespace

/// The cells of threads that wait for the operations of `row`, at most so much of them as the needless ones took; and
/// where these were outside of teams, what other threads idle meanwhile.
/// Between constructs that follow each other at once the thread is in the runtime, which no callback shows: that is of
/// what the program does outside of teams, or in them.
Cells Judge::cells_of_operations(const DataMovementRow& row) {
  std::uint64_t left = row.ns;
  Cells mine;
  const auto take_of = [&](Place place, const Cells& which) {
    for (const std::size_t cell : which) {
      if (left == 0) return;
      const AccountRow whole = account_.details[cell];
      const std::uint64_t ns = std::min(whole.ns, left);
      mine.push_back(ns < whole.ns ? split(cell, ns, place) : cell);
      left -= ns;
      if (place == Place::device && whole.parallel == undefined_ref)
        take_idle(mine, Place::device_idle, whole.region, share(ns, whole.ns));
    }
  };
  take_of(Place::device, cells([&](const AccountRow& c) {
            return c.is(Place::device) &&
                   (c.region == row.region || std::find(row.also.begin(), row.also.end(), c.region) != row.also.end());
          }));
  if (row.pattern == DataPattern::small_transfers || row.pattern == DataPattern::short_kernels)
    for (const Place place : {Place::serial, Place::work})
      take_of(place, cells([place](const AccountRow& c) { return c.place == place; }));
  take(mine);
  return mine;
}

/// All that other threads idle while theirs waits for a device in `mine`, as the finding tells it.
std::string Judge::take_idle_beside_devices(Cells& mine) {
  const std::uint64_t own = sum(mine);
  for (const std::size_t cell : Cells{mine})
    if (const AccountRow row = account_.details[cell]; row.parallel == undefined_ref)
      take_idle(mine, Place::device_idle, row.region, 1);
  return others_idle(sum(mine) - own, sum(mine));
}

/// Loading and compiling code is no waiting for results: what helps is something else.
void Judge::code_loading() {
  constexpr const char* loaders[] = {"cuModuleLoad", "cuLibraryLoad", "cudaLibraryLoad", "cuLinkComplete"};
  Cells mine = cells([&](const AccountRow& c) {
    return c.is(Place::device) && c.region < definitions_.regions.size() &&
           std::any_of(std::begin(loaders), std::end(loaders),
                       [&](const char* name) { return definitions_.regions[c.region].name.starts_with(name); });
  });
  if (mine.empty()) return;
  const AccountRow all = summary(mine);
  Finding finding = at(all.region);
  finding.at = all.longest_at;
  sure(finding, "medium");
  finding.text = "Loading the device's code takes " + time(all.ns) + ", most of it in " + name(all.region) + "." +
                 take_idle_beside_devices(mine);
  finding.advice =
      "Build the code for this device's architecture, so that the driver need not compile it at load; "
      "CUDA_MODULE_LOADING=LAZY loads a kernel at its first use. CUPTI prepares code as it is loaded: with "
      "TRACER_DEVICE=host this part is not there.";
  add(std::move(finding), "code-loading", mine);
}

/// Where that is more than half of what is copied; else nothing.
TransferTotals Judge::pageable_copies() const {
  std::uint64_t bytes = 0;
  TransferTotals pageable;
  for (const DeviceRow& row : report_.devices) {
    bytes += row.to_device.bytes + row.from_device.bytes;
    pageable.count += row.pageable.count;
    pageable.bytes += row.pageable.bytes;
    pageable.ns += row.pageable.ns;
  }
  return pageable.bytes > bytes / 2 ? pageable : TransferTotals{};
}

/// What else it takes that copies go on beside kernels; "" nothing.
std::string Judge::pin_memory() const {
  if (pageable_copies().count == 0) return "";
  return " Copies of pageable memory do not go on beside kernels: pin the host's memory for that (omp_alloc with the "
         "pinned trait, cudaHostAlloc, cudaHostRegister).";
}

void Judge::pageable_memory() {
  constexpr double least = 0.03;  // of the run, in such copies
  const TransferTotals pageable = pageable_copies();
  if (share(pageable.ns, wall_) < least) return;
  note("pageable-copies",
       formatted("Most copies between host and device, %s in %s, are of the host's pageable memory, at %s/s: CUDA "
                 "copies pinned memory faster, and beside kernels.",
                 bytes_text(static_cast<double>(pageable.bytes)).c_str(), time(pageable.ns).c_str(),
                 bytes_text(pageable.bytes_per_second()).c_str()));
}

void Judge::data_movement() {
  for (const PatternRow& pattern : patterns) {
    DataMovementRow all;
    const DataMovementRow* most = nullptr;
    std::size_t constructs = 0;
    for (const DataMovementRow& row : report_.data_movement) {
      if (row.pattern != pattern.pattern) continue;
      if (most == nullptr) most = &row;  // rows are by time
      ++constructs;
      all.count += row.count, all.bytes += row.bytes, all.ns += row.ns;
    }
    // Less is no finding, and its cells stay whole.
    if (most == nullptr || share(all.ns, wall_) < 0.01) continue;
    Cells mine;
    for (const DataMovementRow& row : report_.data_movement)
      if (row.pattern == pattern.pattern) {
        const Cells of_row = cells_of_operations(row);
        mine.insert(mine.end(), of_row.begin(), of_row.end());
      }
    Finding finding = at(most->region);
    finding.at = most->longest_at;
    const bool may_be_of_use = is_of_no_use(pattern.pattern) && !has_kernels_of_libraries(report_.devices);
    sure(finding, may_be_of_use ? "low" : pattern.sure);
    std::uint64_t idle = 0;
    for (const std::size_t cell : mine)
      if (account_.details[cell].place == Place::device_idle) idle += account_.details[cell].ns;
    const std::uint64_t lost = sum(mine);
    finding.text = text_of(pattern, all, time(lost - idle));
    if (most->other != undefined_ref) finding.text += formatted(" (the other side is %s)", name(most->other).c_str());
    if (constructs > 1) finding.text += formatted(", most of it in %s", name(most->region).c_str());
    finding.text += ".";
    finding.text += others_idle(idle, lost);
    if (may_be_of_use)
      finding.text +=
          " Kernels that OpenMP did not launch, as those of libraries, are not in the trace: they may use it.";
    finding.advice = pattern.advice;
    if (pattern.pattern == DataPattern::serial_transfer) finding.advice += pin_memory();
    add(std::move(finding), name_of(pattern.pattern), std::move(mine));
  }
}

}  // namespace tracer::report
