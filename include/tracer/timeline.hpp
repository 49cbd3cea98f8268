// SPDX-License-Identifier: BSD-3-Clause
// A trace for drawing: properly nested slices per location, arrows between them, counters.
// A suspended task's slices end, and continue as new ones when it resumes.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/property_names.hpp"
#include "tracer/value_text.hpp"

namespace tracer {

struct Slice {
  LocationRef location = 0;
  std::uint32_t depth = 0;           ///< 0: outermost
  std::uint32_t name = 0;            ///< index into slice_names(): the region, or one beyond
  std::uint64_t begin = 0, end = 0;  ///< end: 0 while open
  std::uint64_t task = 0;            ///< number of the explicit task, from 1; 0 none
  std::uint64_t bytes = 0;           ///< of a copy
  std::uint64_t flow_out = 0;        ///< an arrow begins here: the flow's number; 0 none
  std::uint64_t flow_in = 0;         ///< ... ends here
  bool continues = false;            ///< an earlier slice of the same task and region was suspended
  bool suspended = false;            ///< ends because its task was suspended
};

/// To a kernel, to a copy, from creation to start; a message if a page draws it as an arrow (TimelineVisitor::message).
enum class ArrowKind : std::uint8_t { submit, transfer, task, message };

struct Arrow {
  ArrowKind kind = ArrowKind::submit;
  LocationRef from = 0, to = 0;
  std::uint64_t from_time = 0, to_time = 0;
};

/// From the call that sends it to the call that receives it. Ranks are those of MPI_COMM_WORLD; clocks may differ, so
/// the receive may precede the send.
struct Message {
  LocationRef from = 0, to = 0;
  std::uint64_t from_time = 0, to_time = 0;
  std::uint32_t from_rank = 0, to_rank = 0, comm = 0, tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t late_sender = 0,
                late_receiver = 0;  ///< ns for which the receiver waited for the sender, and the reverse
};

/// One end of a message, at its time.
struct MessageEnd {
  LocationRef location = 0;
  std::uint64_t time = 0;
  bool is_send = true;
  std::uint32_t rank = 0, tag = 0;  ///< rank: of the other end
  std::uint64_t bytes = 0;
  std::uint64_t flow = 0;  ///< the arrow's number, apart from those of slices
};

struct Counter {
  std::uint32_t metric = 0;
  LocationRef location = 0;
  std::uint64_t time = 0, value = 0;  ///< value: the bits, of `type`
  ValueType type = ValueType::uint64;
};
inline double number_of(const Counter& counter) {
  return number_of(counter.type, counter.value);
}
/// The exact value: reals with enough digits to restore them.
inline std::string text_of(const Counter& counter) {
  return text_of(counter.type, counter.value);
}
/// For formats whose whole numbers have 64 bits with a sign; others are to be written as reals.
inline bool is_signed_whole(const Counter& counter) {
  return !is_real(counter.type) && (is_signed(counter.type) || counter.value <= std::uint64_t{INT64_MAX});
}

/// A region of an annotation, with a duration.
inline bool is_phase(const Region& region) {
  return region.paradigm == Paradigm::user && region.role == RegionRole::code;
}

/// From the time at which the first thread of a process enters a phase until none is in it. Bands of a lane do not
/// overlap.
struct Band {
  std::uint32_t group = 0, lane = 0;  ///< the process: a location group
  RegionRef region = 0;
  std::uint64_t begin = 0, end = 0;
};

/// A phase over all its executions. Times in ns.
struct PhaseTotals {
  RegionRef region = 0;
  std::uint64_t count = 0, total = 0, longest = 0, shortest = 0;               ///< of executions
  std::uint64_t work = 0, waiting = 0, runtime = 0, device_wait = 0, mpi = 0;  ///< of all threads that work in it
  std::uint64_t operations = 0;  ///< on devices, submitted by these threads
  std::uint32_t threads = 0;
  double max_over_mean = 1;  ///< of the threads' work
};

/// A call path of samples: its last frame, and the path before it. Number 0 is the empty path, and is not delivered.
/// The texts are valid until the last sample is delivered.
struct SampledPath {
  std::uint32_t path = 0, parent = 0;
  std::string_view name, file;          ///< of a function or construct; file "" unknown
  RegionRef construct = undefined_ref;  ///< the region of a construct
};

/// A counter that was read with samples.
struct SampledCounter {
  std::uint32_t number = 0;  ///< from 0 on
  std::string_view name;     ///< perf's name; valid like SampledPath's texts
  std::string_view unit;     ///< "ns", or "1" for a number
};

struct TimelineSample {
  LocationRef location = 0;
  std::uint64_t time = 0;
  std::uint32_t path = 0;
  std::string_view activity;         ///< of the thread: work, barrier, ... (docs/formats/report-json.md, times)
  RegionRef region = undefined_ref;  ///< the innermost
  std::uint32_t processor = undefined_ref, line = 0;  ///< line: of the path's last function; 0 unknown
  static constexpr std::uint64_t not_counted = ~std::uint64_t{0};
  /// The increase of each sampled counter since the thread's previous sample, or not_counted. Valid until the next
  /// sample is delivered.
  std::span<const std::uint64_t> counted{};
};

/// An interval in which a thread did not run.
struct TimelinePause {
  LocationRef location = 0;
  std::uint64_t begin = 0, end = 0;
  bool preempted = false;  ///< runnable; else asleep
};

class TimelineVisitor {
 public:
  virtual ~TimelineVisitor() = default;
  /// In order of time; slices of a location open and close like brackets. Those of what was not recorded open when
  /// they are over, right before they close.
  virtual void open(const Slice&) {}
  virtual void close(const Slice&) {}
  /// At the time of its end, after its begin.
  virtual void arrow(const Arrow&) {}
  virtual void message_end(const MessageEnd&) {}
  /// After both of its ends: in no order.
  virtual void message(const Message&) {}
  virtual void counter(const Counter&) {}
  /// At its end.
  virtual void band(const Band&) {}
  /// Before finish(): all counters before the first path, each path before its extensions, and before the samples
  /// on it.
  virtual void sampled_path(const SampledPath&) {}
  /// Before finish(): of each location in order of time.
  virtual void sampled_counter(const SampledCounter&) {}
  virtual void sample(const TimelineSample&) {}
  virtual void pause(const TimelinePause&) {}
  /// Before finish().
  virtual void phase(const PhaseTotals&) {}
  /// After the last slice is closed.
  virtual void finish() {}
};

/// How many names stand behind those of regions.
inline constexpr std::uint32_t names_beyond_regions = 3;

/// The name of slices in which recording was off: nobody knows what the location did.
inline std::uint32_t name_of_not_recorded(const Definitions& definitions) {
  return static_cast<std::uint32_t>(definitions.regions.size()) + names_beyond_regions - 1;
}

/// Regions' names, then those of copies, then that of what was not recorded.
inline std::vector<std::string> slice_names(const Definitions& definitions) {
  std::vector<std::string> names;
  names.reserve(definitions.regions.size() + names_beyond_regions);
  for (const Region& region : definitions.regions) names.push_back(region.name);
  names.emplace_back("copy to device");
  names.emplace_back("copy from device");
  names.emplace_back("not recorded");
  return names;
}

/// What processes and threads are called by number where other programs show them: the kernel's number, where the
/// archive contains it and no other has the number already; devices and streams have large ones of their own.
struct TimelineNumbers {
  static constexpr std::uint64_t made_up = std::uint64_t{1} << 30;
  std::vector<std::uint64_t> process;  ///< by location group
  std::vector<std::uint64_t> thread;   ///< by location
};
inline TimelineNumbers timeline_numbers(const Definitions& definitions) {
  TimelineNumbers numbers;
  const auto number = [](const std::vector<Property>& properties, std::string_view name) -> std::uint64_t {
    for (const Property& property : properties) {
      if (property.name != name || property.value.empty() || property.value.size() > 9) continue;
      std::uint64_t value = 0;
      for (const char c : property.value) {
        if (c < '0' || c > '9') return 0;
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
      }
      return value;
    }
    return 0;
  };
  std::set<std::uint64_t> processes;
  for (const LocationGroup& group : definitions.groups_of_locations) {
    std::uint64_t id = group.kind == LocationGroupKind::process ? number(group.properties, properties::process_id) : 0;
    if (id == 0 || !processes.insert(id).second) id = TimelineNumbers::made_up + numbers.process.size();
    numbers.process.push_back(id);
  }
  std::set<std::pair<std::uint32_t, std::uint64_t>> threads;
  for (const Location& location : definitions.locations) {
    std::uint64_t id = number(location.properties, properties::thread_id);
    if (id == 0 || !threads.emplace(location.group, id).second) id = TimelineNumbers::made_up + numbers.thread.size();
    numbers.thread.push_back(id);
  }
  return numbers;
}

/// A viewer's label for a run without an end: "killed by signal 9"; "" for complete runs.
inline std::string broken_end(const Definitions& definitions) {
  std::string ended, signal;
  for (const Property& property : definitions.properties) {
    if (property.name == properties::run_ended) ended = property.value;
    if (property.name == properties::run_signal) signal = property.value;
  }
  if (ended == "signal") return "killed by signal " + signal;
  if (ended == "running") return "still running";
  return ended == "unknown" ? "killed or crashed: its end is not in the trace" : "";
}

/// A slice's category, for filters and colours of viewers; `name` as in slice_names().
inline const char* category_of(const Definitions& definitions, std::uint32_t name) {
  if (name == name_of_not_recorded(definitions)) return "not_recorded";
  if (name >= definitions.regions.size()) return "copy";
  switch (definitions.regions[name].role) {
    case RegionRole::parallel:
      return "parallel";
    case RegionRole::loop:
    case RegionRole::sections:
    case RegionRole::section:
    case RegionRole::workshare:
    case RegionRole::single:
    case RegionRole::single_sblock:
    case RegionRole::master:
      return "work";
    case RegionRole::barrier:
    case RegionRole::implicit_barrier:
      return "barrier";
    case RegionRole::task:
    case RegionRole::task_untied:
    case RegionRole::task_create:
      return "task";
    case RegionRole::task_wait:
      return "taskwait";
    case RegionRole::critical:
    case RegionRole::critical_sblock:
    case RegionRole::ordered:
    case RegionRole::ordered_sblock:
    case RegionRole::atomic:
      return "lock";
    case RegionRole::kernel:
      return "kernel";
    case RegionRole::data_transfer:
    case RegionRole::allocate:
    case RegionRole::deallocate:
      return "memory";
    case RegionRole::function:
      return "function";
    default:
      return definitions.regions[name].paradigm == Paradigm::user ? "phase" : "openmp";
  }
}

}  // namespace tracer
