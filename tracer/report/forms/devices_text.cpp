// SPDX-License-Identifier: BSD-3-Clause
// See devices_text.hpp.
#include "tracer/report/forms/devices_text.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/report/measures/processes.hpp"
#include "tracer/report/measures/ratios.hpp"

namespace tracer::report {
namespace {

Table kernels_table(std::string title, const std::vector<KernelRow>& kernels) {
  Table table{std::move(title), {"kernel", ">count", ">total", ">mean", ">longest"}};
  for (const KernelRow& kernel : kernels)
    table.add({kernel.name, format_count(kernel.count), duration_text(kernel.total),
               duration_text(mean(kernel.total, kernel.count)), duration_text(kernel.longest)});
  return table;
}

/// Each moment of the device in one place.
Table times_table(const DeviceTimes& times) {
  Table table{"", {"time of the device", ">seconds", ">share"}};
  const auto add = [&](const char* name, std::uint64_t ns) {
    table.add({name, formatted("%.6f", static_cast<double>(ns) * 1e-9), percent_text(ns, times.sum())});
  };
  for (std::size_t p = 0; p < device_places; ++p)
    if (times[p] != 0) add(text_of(static_cast<DevicePlace>(p)), times[p]);
  add("sum", times.sum());
  return table;
}

/// What the device does while a stream has nothing, as shares of the device's time.
Table streams_table(const DeviceRow& row) {
  Table table{
      "",
      {"stream", ">kernels", ">copies", ">bytes", ">busy", ">others busy", ">host calls", ">host waits", ">nothing"}};
  const std::uint64_t all = row.time.sum();
  for (const StreamRow& stream : row.by_stream)
    table.add({stream.name, format_count(stream.kernels), format_count(stream.copies),
               bytes_text(static_cast<double>(stream.bytes)), percent_text(stream.busy, all),
               percent_text(stream.idle.busy(), all), percent_text(stream.idle.at(DevicePlace::host_calls), all),
               percent_text(stream.idle.at(DevicePlace::host_waits), all),
               percent_text(stream.idle.at(DevicePlace::nothing), all)});
  return table;
}

/// "", or what the driver moved between host and device, and why.
std::string unified_memory(const UnifiedMemory& unified) {
  if (!unified.is_used()) return "";
  const auto moved = [](const TransferTotals& pages, const char* direction) {
    return format_count(pages.count) + " migrations " + direction + " device, " +
           bytes_text(static_cast<double>(pages.bytes)) + " in " + duration_text(pages.ns) + "; ";
  };
  return "  unified memory: " + moved(unified.to_device, "to the") + moved(unified.from_device, "from the") +
         format_count(unified.device_page_faults) + " page faults of the device, " +
         format_count(unified.host_page_faults) + " of the host\n";
}

/// "", or what memory pools had of the device's memory, and what of it was allocated.
std::string memory_pools(const DeviceRow& row) {
  if (row.pools_reserved.peak == 0) return "";
  const auto bytes = [](std::uint64_t n) { return bytes_text(static_cast<double>(n)); };
  return "  memory pools: at most " + bytes(row.pools_reserved.peak) + " reserved and " + bytes(row.pools_in_use.peak) +
         " in use; " + bytes(row.pools_reserved.end) + " and " + bytes(row.pools_in_use.end) + " at the end\n";
}

/// "", or how many kernels ran at once, and what the program had of the device's memory.
std::string concurrency_and_memory(const Report& report, const DeviceRow& row) {
  std::string text;
  if (row.most_kernels > 1)
    text += "at most " + format_count(row.most_kernels) + " kernels at once, " + formatted("%.2f", row.mean_kernels()) +
            " while one runs at least";
  if (row.memory.peak != 0)
    text += (text.empty() ? "" : "; ") + ("at most " + bytes_text(static_cast<double>(row.memory.peak))) +
            " allocated, at " + duration_text(row.memory.peak_at - std::min(row.memory.peak_at, report.begin)) + ", " +
            bytes_text(static_cast<double>(row.memory.end)) + " at the end";
  return text.empty() ? text : "  " + text + "\n";
}

void device(const Report& report, const DeviceRow& row, const TextOptions& options, std::string& out) {
  out += heading(name_in_job(report, row) + (row.provider.empty() ? "" : " (recorded by " + row.provider + ")"),
                 options.colour);
  out += "  busy " + duration_text(row.busy) + ", idle " + percent_text(row.idle, row.span) + " of " +
         duration_text(row.span) + "; " + percent_text(row.overlap_host, row.busy) + " of it while the host works, " +
         percent_text(row.overlap_transfer, row.busy) + " kernels with copies\n";
  for (const auto& [label, totals] :
       {std::pair{"to device  ", &row.to_device}, std::pair{"from device", &row.from_device}}) {
    if (totals->count == 0) continue;
    out += std::string{"  "} + label + " " + format_count(totals->count) + " copies, " +
           bytes_text(static_cast<double>(totals->bytes)) + " in " + duration_text(totals->ns) + ", " +
           bytes_text(totals->bytes_per_second()) + "/s\n";
  }
  if (row.without_record != 0)
    out +=
        "  " + format_count(row.without_record) +
        " kernels and copies have no record: the host's intervals stand in, and busy and idle are in part the host's\n";
  out += unified_memory(row.unified) + concurrency_and_memory(report, row) + memory_pools(row);
  out += times_table(row.time).text(options);
  if (row.by_stream.size() > 1) out += streams_table(row).text(options);
  out += kernels_table("", row.kernels_by_name).text(options);
}

/// A row each, and the kernels of all.
void many_devices(const Report& report, const TextOptions& options, std::string& out) {
  Table table{"Devices", {"device", ">busy", ">idle", ">with host", ">kernels", ">time", ">to device", ">from device"}};
  std::map<std::string, KernelRow> by_name;
  for (const DeviceRow& row : report.devices) {
    table.add({name_in_job(report, row), duration_text(row.busy), percent_text(row.idle, row.span),
               percent_text(row.overlap_host, row.busy), format_count(row.kernels), duration_text(row.kernel_ns),
               bytes_text(static_cast<double>(row.to_device.bytes)),
               bytes_text(static_cast<double>(row.from_device.bytes))});
    for (const KernelRow& kernel : row.kernels_by_name) {
      KernelRow& all = by_name[kernel.name];
      all.name = kernel.name;
      all.count += kernel.count;
      all.total += kernel.total;
      all.longest = std::max(all.longest, kernel.longest);
    }
  }
  std::vector<KernelRow> kernels;
  for (auto& [name, kernel] : by_name) kernels.push_back(std::move(kernel));
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.total > b.total; });
  out += table.text(options) + kernels_table("Kernels of all devices", kernels).text(options);
}

Table data_movement(const Report& report) {
  Table table{"Data movement and launches that could cost less",
              {"construct", "pattern", ">count", ">bytes", ">time", ">longest"}};
  for (const DataMovementRow& row : report.data_movement)
    table.add({row.name, name_of(row.pattern), format_count(row.count), bytes_text(static_cast<double>(row.bytes)),
               duration_text(row.ns), duration_text(row.longest)});
  return table;
}

void devices(const Report& report, const TextOptions& options, std::string& out) {
  constexpr std::size_t most_apart = 4;
  if (report.devices.size() > most_apart) return many_devices(report, options, out);
  for (const DeviceRow& row : report.devices) device(report, row, options, out);
}

}  // namespace

std::string devices_text(const Report& report, const TextOptions& options) {
  std::string out;
  devices(report, options, out);
  return out + data_movement(report).text(options);
}

}  // namespace tracer::report
