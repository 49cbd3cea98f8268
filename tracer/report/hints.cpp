// SPDX-License-Identifier: BSD-3-Clause
// What a reader of the numbers would notice first, each with its number.
#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "tracer/report/analyze.hpp"
#include "tracer/report/units.hpp"

namespace tracer::report {
namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char* text, ...) {
  char buffer[1024];
  va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(buffer, sizeof buffer, text, arguments);
  va_end(arguments);
  return buffer;
}

std::uint64_t sum(const Report& report, Activity activity) {
  std::uint64_t ns = 0;
  for (const ThreadRow& thread : report.thread_rows) ns += thread.ns[static_cast<std::size_t>(activity)];
  return ns;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void serial_hint(const Report& report, std::vector<Hint>& hints) {
  if (report.threads < 2 || report.wall == 0) return;
  std::uint64_t parallel = 0;
  for (const ParallelRow& row : report.parallels) parallel += row.wall;  // nested regions count twice: a cautious hint
  if (parallel >= report.wall) return;
  const double serial = share(report.wall - parallel, report.wall);
  if (serial < 0.25) return;
  hints.push_back({"serial",
                   format("%.0f %% of the run (%s) is outside of parallel regions, where one thread works: with %llu "
                          "threads the run can at best be %.1f times as fast as with one.",
                          serial * 100, duration_text(report.wall - parallel).c_str(),
                          static_cast<unsigned long long>(report.threads),
                          1 / (serial + (1 - serial) / static_cast<double>(report.threads))),
                   serial});
}

void balance_hints(const Report& report, std::vector<Hint>& hints) {
  for (const ParallelRow& row : report.parallels) {
    if (row.balance.threads < 2) continue;
    const double lost = share(row.balance.lost, row.wall);
    if (lost < 0.1 || share(row.balance.lost, report.wall) < 0.02) continue;
    const std::string who =
        row.balance.min != 0 && row.balance.max_over_min() < 1.2
            ? "which thread that is changes from one execution to the next"
            : format("'%s' works %s, the least loaded thread %s", row.balance.slowest.c_str(),
                     duration_text(row.balance.max).c_str(), duration_text(row.balance.min).c_str());
    hints.push_back(
        {"imbalance",
         format("%s: the slowest thread works %s longer than the mean, %.0f %% of the region's time; %s. Try "
                "schedule(dynamic) or smaller parts.",
                row.name.c_str(), duration_text(row.balance.lost).c_str(), lost * 100, who.c_str()),
         lost});
  }
}

void region_hints(const Report& report, std::vector<Hint>& hints) {
  for (const ParallelRow& row : report.parallels) {
    if (row.count < 100 || row.wall / row.count > 20'000) continue;
    hints.push_back({"short-regions",
                     format("%s runs %llu times for %s each: starting and joining the team costs about as much. Make "
                            "the region larger, or keep one region open around the loop.",
                            row.name.c_str(), static_cast<unsigned long long>(row.count),
                            duration_text(row.wall / row.count).c_str()),
                     static_cast<double>(row.wall) / static_cast<double>(row.count)});
  }
  const std::uint64_t barrier = sum(report, Activity::barrier),
                      cpu = report.wall * std::max<std::uint64_t>(1, report.threads);
  if (report.threads > 1 && share(barrier, cpu) > 0.1) {
    hints.push_back(
        {"barriers",
         format("Threads wait %s at barriers: %.0f %% of what the %llu threads could do in the time of the run.",
                duration_text(barrier).c_str(), share(barrier, cpu) * 100,
                static_cast<unsigned long long>(report.threads)),
         share(barrier, cpu)});
  }
}

void task_hints(const Report& report, std::vector<Hint>& hints) {
  const TaskReport& tasks = report.tasks;
  if (tasks.completed == 0) return;
  const std::uint64_t mean = tasks.total / tasks.completed;
  if (tasks.completed >= 100 && mean < 5'000) {
    hints.push_back({"small-tasks",
                     format("%llu tasks run for %s each: creating and scheduling one costs about as much. Give each "
                            "more work, or cut off with if(), final() or a serial version below some depth.",
                            static_cast<unsigned long long>(tasks.completed), duration_text(mean).c_str()),
                     static_cast<double>(mean)});
  }
  const double parallelism = share(tasks.graph_work, tasks.graph_path);
  if (tasks.graph_tasks > 1 && report.threads > 1 && parallelism < static_cast<double>(report.threads) &&
      share(tasks.graph_path, report.wall) > 0.2) {
    hints.push_back({"task-path",
                     format("The longest chain has %llu tasks one after the other and takes %s: the task graph keeps "
                            "%.1f threads busy, there are %llu.",
                            static_cast<unsigned long long>(tasks.graph_tasks), duration_text(tasks.graph_path).c_str(),
                            parallelism, static_cast<unsigned long long>(report.threads)),
                     parallelism});
  }
}

void lock_hints(const Report& report, std::vector<Hint>& hints) {
  for (std::size_t i = 0; i < std::min<std::size_t>(3, report.locks.size()); ++i) {
    const LockRow& row = report.locks[i];
    const double part = share(row.wait, report.wall * std::max<std::uint64_t>(1, report.threads));
    if (row.contended == 0 || part < 0.02) continue;
    hints.push_back(
        {"contention",
         format("%s: threads wait %s for it, %.0f %% of %llu acquisitions find it taken. Hold it for less time, or "
                "give each thread its own copy and reduce.",
                row.name.c_str(), duration_text(row.wait).c_str(), share(row.contended, row.acquisitions) * 100,
                static_cast<unsigned long long>(row.acquisitions)),
         part});
  }
}

void device_hints(const Report& report, std::vector<Hint>& hints) {
  for (const DeviceRow& row : report.devices) {
    const std::uint64_t copies = row.to_device.ns + row.from_device.ns;
    if (row.busy == 0) continue;
    if (copies > row.kernel_ns && row.kernels > 0) {
      hints.push_back(
          {"transfers",
           format("%s spends %s in copies and %s in kernels: keep data on the device (target data) between kernels.",
                  row.name.c_str(), duration_text(copies).c_str(), duration_text(row.kernel_ns).c_str()),
           share(copies, copies + row.kernel_ns)});
    }
    if (share(row.idle, row.span) > 0.3) {
      hints.push_back({"device-idle",
                       format("%s is idle for %.0f %% of the time between its first and last operation: use nowait and "
                              "depend to keep it fed.",
                              row.name.c_str(), share(row.idle, row.span) * 100),
                       share(row.idle, row.span)});
    }
    if (share(row.overlap_host, row.busy) < 0.05 && share(row.busy, report.wall) > 0.2) {
      hints.push_back({"no-overlap",
                       format("While %s works the host waits (%.0f %% overlap): target nowait lets both work.",
                              row.name.c_str(), share(row.overlap_host, row.busy) * 100),
                       share(row.overlap_host, row.busy)});
    }
  }
}

void trace_hints(const Report& report, std::vector<Hint>& hints) {
  for (const Property& property : report.properties) {
    const bool loss =
        property.name.find("LOST") != std::string::npos || property.name.find("DROPPED") != std::string::npos;
    if (property.name.starts_with("TRACER::") && loss && std::strtoull(property.value.c_str(), nullptr, 10) > 0) {
      hints.push_back({"incomplete",
                       format("The trace is incomplete: %s = %s. Times and counts above are too small.",
                              property.name.c_str() + 8, property.value.c_str()),
                       static_cast<double>(std::strtoull(property.value.c_str(), nullptr, 10))});
    }
  }
}

}  // namespace

std::vector<Hint> hints_for(const Report& report) {
  std::vector<Hint> hints;
  trace_hints(report, hints);
  serial_hint(report, hints);
  balance_hints(report, hints);
  region_hints(report, hints);
  task_hints(report, hints);
  lock_hints(report, hints);
  device_hints(report, hints);
  return hints;
}

}  // namespace tracer::report
