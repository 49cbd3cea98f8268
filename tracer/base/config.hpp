// SPDX-License-Identifier: BSD-3-Clause
// What the user requested: the TRACER_* environment variables, checked once at the start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/counters.hpp"
#include "tracer/journal.hpp"

namespace tracer {

/// What a producer does when its ring is full, or when a limit is reached.
enum class FullPolicy : std::uint8_t {
  wait,    ///< for the drainer; the wait is in the trace
  stop,    ///< recording; what comes later is counted as lost
  newest,  ///< flight recorder: the oldest records are overwritten
};

enum class ConvertWhen : std::uint8_t { at_end, later };

enum class LogLevel : std::uint8_t { off, error, warning };

/// Groups of callbacks that TRACER_RECORD switches. Threads, parallel regions and implicit tasks are always recorded.
enum RecordGroup : std::uint32_t {
  record_tasks = 1u << 0,            ///< task_create, task_schedule
  record_dependences = 1u << 1,      ///< dependences, task_dependence
  record_sync = 1u << 2,             ///< sync_region
  record_wait = 1u << 3,             ///< sync_region_wait
  record_work = 1u << 4,             ///< work
  record_dispatch = 1u << 5,         ///< dispatch of sections
  record_masked = 1u << 6,           ///< masked
  record_mutex = 1u << 7,            ///< mutex_acquire, mutex_acquired, mutex_released, nest_lock
  record_locks = 1u << 8,            ///< lock_init, lock_destroy
  record_reduction = 1u << 9,        ///< reduction
  record_flush = 1u << 10,           ///< flush
  record_cancel = 1u << 11,          ///< cancel, and error where the runtime supports it
  record_control = 1u << 12,         ///< control_tool: phases and marks
  record_target = 1u << 13,          ///< target, target_data_op, target_submit, target_map
  record_device = 1u << 14,          ///< device_*, and what the devices record themselves
  record_chunks = 1u << 15,          ///< dispatch of the chunks of loops and taskloops
  record_polls = 1u << 16,           ///< calls of MPI that tested whether something is there, and found nothing
  record_device_api = 1u << 17,      ///< calls of CUDA: launches, copies, allocations, synchronisation, events, graphs
  record_unified_memory = 1u << 18,  ///< of CUDA's unified memory what the driver moves, and page faults
  record_all = (1u << 19) - 1,
  record_error = 1u << 31,  ///< error, also where the runtime crashes at a directive without a message: by name only
  /// Without what costs the program most: a static loop of two events would have three, and a page fault takes longer.
  record_default = record_all & ~(record_chunks | record_unified_memory),
};

/// The groups that a value of TRACER_RECORD records: "tasks,sync" these, "-flush" the default but these, "+chunks" the
/// default and these. None: it names a group that does not exist.
std::optional<std::uint32_t> parse_record_groups(std::string_view text);

/// Who takes samples.
enum class SampleSource : std::uint8_t {
  automatic,  ///< perf; where that is denied, none
  perf,       ///< the kernel, from outside
  signal,     ///< a handler on the thread, which queries the OpenMP runtime
};

constexpr unsigned max_threads_setting = 1024;

struct Config {
  bool enabled = true;
  std::string output;                  ///< pattern; "": ./tracer-<program>-<date>-<time>-<pid>
  std::uint64_t ring_size = 4u << 20;  ///< bytes of one ring, at most; a power of two
  std::uint64_t memory = 256u << 20;   ///< bytes of all rings together
  std::uint64_t size_limit = 0;        ///< bytes of the raw trace; 0: none
  std::string spool;                   ///< directory for the rings; "": /dev/shm, then the output directory
  FullPolicy on_full = FullPolicy::wait;
  int flush_signal = 0;  ///< the flight recorder writes when it arrives; 0: none
  std::uint32_t record = record_default;
  ConvertWhen convert = ConvertWhen::at_end;
  bool system_clock = false;  ///< CLOCK_MONOTONIC although the processor has a counter
  bool keep_raw = false;
  std::string filter;                        ///< a file of include/exclude rules; "": none
  std::optional<std::string> filter_text;    ///< what was in it when the process began to record
  std::string device = "auto";               ///< who records devices: auto, ompt, cupti, host, off
  std::uint64_t device_buffer = 1u << 20;    ///< bytes of one trace buffer of a device
  std::uint64_t device_memory = 256u << 20;  ///< bytes of all trace buffers of devices
  bool transfer_content = false;             ///< hashes of what is copied between host and devices
  unsigned threads = 0;                      ///< that convert; 0: as many as are of use
  unsigned sample = 0;                       ///< samples per second of each thread's processor time; 0: none
  SampleSource sample_source = SampleSource::automatic;
  std::vector<CounterId> counters;    ///< read with each sample
  bool schedule = false;              ///< when threads stop and go on running
  bool schedule_with_samples = true;  ///< `schedule` follows `sample`
  LogLevel log = LogLevel::warning;
  std::string launch;                   ///< the launcher's mark: names the runs that `tracer run` started
  std::string launch_at;                ///< the directory of that launch
  bool other_tools = true;              ///< false: the launch found OMP_TOOL=disabled, and no other tool is started
  std::vector<Setting> settings;        ///< every variable with its value and where it came from
  std::vector<std::string> complaints;  ///< one line for each value that was not understood
};

/// Reads the variables out of an environment block (`environ`). Never throws for a wrong value: the default
/// stands and `complaints` names variable, value and what is allowed.
Config read_config(const char* const* environment);

/// The same for this process, by `environ`. A program that a `tracer run` has started may have cleared its environment
/// before the tool starts: what it was started with stands for what is missing.
Config read_own_config();

/// One row per variable, for documentation and `tracer info`.
struct ConfigRow {
  const char* name;
  const char* allowed;
  const char* meaning;
};
const std::vector<ConfigRow>& config_rows();

}  // namespace tracer
