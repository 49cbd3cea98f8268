// SPDX-License-Identifier: BSD-3-Clause
// A report as plain data: filled by analyze(), written by the text, JSON and HTML writers.
// Times are nanoseconds. docs/formats/report-json.md documents the JSON made of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tracer/replay/mpi/waits.hpp"
#include "tracer/replay/regions.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/report/account_rows.hpp"
#include "tracer/report/device_rows.hpp"
#include "tracer/report/samples.hpp"

namespace tracer::report {

using ActivityTimes = std::array<std::uint64_t, static_cast<std::size_t>(Activity::count_)>;
constexpr std::uint64_t at(const ActivityTimes& times, Activity activity) noexcept {
  return times[static_cast<std::size_t>(activity)];
}

/// How evenly work was spread over `threads` threads.
struct Balance {
  std::uint32_t threads = 0;
  std::uint64_t max = 0, min = 0, sum = 0;  ///< ns of the most and the least loaded thread, and of all
  std::uint64_t lost = 0;                   ///< ns: sum over the executions of (slowest thread - mean)
  std::string slowest;                      ///< location name
  double mean() const { return threads == 0 ? 0 : static_cast<double>(sum) / threads; }
  double max_over_mean() const { return sum == 0 ? 1 : static_cast<double>(max) / mean(); }
  double max_over_min() const { return min == 0 ? 0 : static_cast<double>(max) / static_cast<double>(min); }
  /// Share of the threads' time that even spreading would save, 0 to 1.
  double imbalance() const { return max == 0 ? 0 : 1 - mean() / static_cast<double>(max); }
};

struct RegionRow {
  RegionRef region = 0;
  std::string name, label, file, function;
  std::uint32_t line = 0;
  std::uint64_t count = 0, total = 0, exclusive = 0, longest = 0, shortest = 0;
  std::uint64_t waiting = 0;  ///< of exclusive: for other threads
  Balance balance;            ///< over the threads that executed it, of the time without waiting
};

struct ThreadRow {
  LocationRef location = 0;
  std::string name;
  bool is_stream = false;  ///< of a device, or no thread otherwise
  ActivityTimes ns{};
  std::uint64_t events = 0, tasks = 0;
  /// The region that it left last, the innermost of those that it left then: where the run was killed, and this is the
  /// process' last moment, it was in there. undefined_ref: none.
  RegionRef last_region = undefined_ref;
  std::uint64_t last_time = 0;  ///< of that
  std::uint64_t ended = 0;      ///< when, on the events' clock; 0: with its process
};

struct MemberRow {
  LocationRef location = 0;
  ActivityTimes ns{};
};

/// One parallel construct, over all its executions.
struct ParallelRow {
  RegionRef region = 0;
  std::string name;
  std::uint64_t count = 0, wall = 0, longest = 0, threads = 0;  ///< threads: of the largest team
  std::uint64_t work = 0, critical_path = 0;
  ActivityTimes ns{};
  Balance balance;
  /// ns that threads of its teams would wait for the one that has most to do over all executions: what a thread has
  /// more in one execution and less in another is not in it.
  std::uint64_t uneven = 0;
  std::vector<MemberRow> members;
};

struct TaskRow {
  RegionRef region = 0;
  std::string name;
  std::uint64_t count = 0, total = 0, longest = 0, shortest = 0;
  std::uint64_t discarded = 0;  ///< by cancellations; such tasks are in the row of the region that created them
};

/// An execution of a parallel region as a graph of tasks: its longest path, how many tasks are on it, and all work.
struct ChainOfTasks {
  std::uint64_t work = 0, path = 0, tasks = 0;
};

struct TaskReport {
  std::uint64_t created = 0, completed = 0, dependences = 0, switches = 0, moved = 0;
  std::uint64_t discarded = 0;                       ///< by cancellations: not in `completed`, nor in any time
  std::uint64_t total = 0;                           ///< ns in which tasks ran
  std::uint64_t own = 0, longest = 0, shortest = 0;  ///< of that without what they waited: of all, of one
  std::uint64_t create = 0, wait = 0, delay = 0;  ///< creating, waiting in taskwait and taskgroup, created to started
  std::uint64_t critical_path = 0, critical_path_tasks = 0, work = 0;  ///< of the whole program
  ChainOfTasks graph;                        ///< of the execution with the longest chain of tasks
  std::map<RegionRef, ChainOfTasks> graphs;  ///< as that, of each parallel region
  std::uint64_t chain = 0, chain_tasks = 0;  ///< the longest chain of tasks that depend on each other
  std::vector<TaskRow> regions;
};

/// Of one lock, or of many.
struct LockTotals {
  std::uint64_t acquisitions = 0, contended = 0, wait = 0, longest_wait = 0, held = 0, longest_held = 0;
};
struct LockRow : LockTotals {
  std::uint64_t lock = 0;
  std::uint32_t process = undefined_ref;  ///< which numbered it: its location group
  RegionRef region = undefined_ref;       ///< where it was waited for first
  std::string name;
};

struct KernelRow {
  std::string name, file;
  std::uint32_t line = 0;
  std::uint64_t count = 0, total = 0, longest = 0;
};

/// A phase that the program named itself: over all its executions on all threads, and what the threads did in it.
struct PhaseRow {
  RegionRef region = 0;
  std::string name, domain;
  std::uint64_t count = 0, total = 0, longest = 0, shortest = 0;  ///< ns from begin to end, of executions
  ActivityTimes ns{};     ///< of all threads that work for it: in it, or in teams and tasks that it made; without MPI
  std::uint64_t mpi = 0;  ///< ns of theirs inside MPI
  std::uint64_t operations = 0;  ///< ns in which devices ran what they submitted, one stream's added to the other's
  Balance balance;               ///< of their work
};

/// One process of a job, with its threads and the streams of its devices.
struct ProcessRow {
  std::uint32_t group = 0, parent = undefined_ref;  ///< location groups
  std::string name, program;
  RunFacts facts;
  std::vector<LocationRef> threads, streams;
  ActivityTimes ns{};  ///< of its threads
  std::uint64_t events = 0;
};

using MpiWaitTimes = std::array<std::uint64_t, mpi_waits>;

/// One function of MPI, by all ranks.
struct MpiCallRow {
  std::string name;
  std::uint64_t count = 0, total = 0, longest = 0, waiting = 0;
  std::uint64_t sent = 0, received = 0;       ///< bytes
  std::uint32_t longest_rank = 0, ranks = 0;  ///< who needed most time in all; how many called it
  std::uint64_t most = 0;                     ///< the time of that rank
};

struct MpiRankRow {
  std::uint32_t rank = 0, group = undefined_ref;
  std::uint64_t total = 0, messages = 0, collectives = 0;  ///< ns in MPI, in its point-to-point and collective calls
  std::uint64_t sends = 0, sent = 0, receives = 0, received = 0;
  MpiWaitTimes waited{};          ///< by its own calls
  std::uint64_t caused = 0;       ///< of the others, by coming late
  std::vector<MpiCallRow> calls;  ///< by time
};

/// Calls at one place that waited for calls at another.
struct MpiWaitRow {
  MpiWait kind = MpiWait::late_sender;
  RegionRef region = undefined_ref, cause = undefined_ref;
  std::string name, cause_name, file, cause_file;
  std::uint32_t line = 0, cause_line = 0;
  std::uint64_t ns = 0, count = 0, longest = 0, longest_at = 0;  ///< longest_at: when that one began
  std::uint32_t longest_rank = 0, longest_cause = 0;             ///< the ranks of the longest one
  std::uint32_t most_rank = 0, most_cause = 0;                   ///< who waited longest in all, who caused most
  std::uint64_t most_ns = 0, most_cause_ns = 0;
};

/// Who sent how much to whom: cell (from, to) is at from * cells + to, and is of `ranks_per_cell` neighbours.
struct MpiMatrix {
  std::uint32_t ranks_per_cell = 1, cells = 0;
  std::vector<std::uint64_t> messages, bytes;
};

struct MpiReport {
  std::uint32_t ranks = 0;   ///< of the job; 0: no MPI
  std::uint32_t worlds = 0;  ///< several: the jobs of a script, whose ranks follow each other
  std::uint64_t messages = 0, bytes = 0, matched = 0, unmatched = 0, reversed = 0;
  std::uint64_t clock_uncertainty = 0;        ///< ns, how far a time may be off between hosts; 0: one clock
  std::uint64_t given_up = 0, most_open = 0;  ///< of unmatched: more messages than most_open were under way
  std::uint64_t collectives = 0, incomplete_collectives = 0;  ///< operations, whatever the number of ranks
  std::uint64_t out_of_step = 0;      ///< communicators and windows whose ranks did different operations at a time
  std::uint64_t never_completed = 0;  ///< requests that went on at MPI's end
  /// Messages that nobody received, and the first of them.
  std::uint64_t never_received = 0;
  RegionRef never_received_by = undefined_ref;  ///< the call that sent it
  std::uint32_t never_received_from = 0, never_received_to = 0;
  /// Calls that communicate by threads other than the one that began MPI, and the first of them.
  std::uint64_t other_calls = 0;
  LocationRef other_thread = undefined_ref;
  RegionRef other_region = undefined_ref;
  MpiWaitTimes waited{};
  std::vector<std::string> labels;    ///< by rank, as tables call it: "3", "0 of world 2"
  std::vector<MpiRankRow> rank_rows;  ///< without those that a part of the trace leaves out
  std::vector<MpiCallRow> calls;      ///< by time
  std::vector<MpiWaitRow> waits;      ///< by time
  MpiMatrix matrix;
  /// "rank 3"
  std::string rank_text(std::uint32_t rank) const {
    return "rank " + (rank < labels.size() ? labels[rank] : std::to_string(rank));
  }
};

/// Operations that are complete. ns: in the calls that made them.
struct IoTotals {
  std::uint64_t opened = 0, reads = 0, writes = 0, flushes = 0, bytes_read = 0, bytes_written = 0;
  std::uint64_t ns = 0, longest = 0;
};

struct IoFileRow {
  std::uint32_t file = 0;
  std::string name;
  IoTotals all;
  std::uint32_t processes = 0;     ///< that opened it
  std::uint32_t most_process = 0;  ///< location group of who needed most time
  std::uint64_t most_ns = 0;
};

struct IoProcessRow {
  std::uint32_t process = 0, files = 0;  ///< process: a location group
  IoTotals all;
};

struct IoReport {
  std::vector<IoFileRow> files;  ///< by time
  std::vector<IoProcessRow> processes;
};

struct TransferTotals {
  std::uint64_t count = 0, bytes = 0, ns = 0;
  void add(std::uint64_t of_bytes, std::uint64_t of_ns) { ++count, bytes += of_bytes, ns += of_ns; }
  double bytes_per_second() const { return ns == 0 ? 0 : static_cast<double>(bytes) * 1e9 / static_cast<double>(ns); }
};

/// What the driver did so that host and devices can use the same memory.
struct UnifiedMemory {
  TransferTotals to_device, from_device;  ///< pages that it moved
  std::uint64_t device_page_faults = 0, host_page_faults = 0;
  bool is_used() const {
    return to_device.count != 0 || from_device.count != 0 || device_page_faults != 0 || host_page_faults != 0;
  }
};

struct DeviceRow {
  std::string name, provider;
  std::uint32_t process = undefined_ref;  ///< that uses it: its location group
  std::uint64_t streams = 0, kernels = 0, kernel_ns = 0;
  DeviceTimes time{};                          ///< of which `busy` and `idle` are sums
  std::uint64_t busy = 0, idle = 0, span = 0;  ///< idle: within the span from the first to the last operation
  std::uint64_t overlap_host = 0;              ///< busy while a thread of its process worked
  std::uint64_t overlap_transfer = 0;          ///< a kernel ran while data were copied
  std::uint64_t most_kernels = 0;              ///< at once
  /// How many kernels ran at once on average, while one did at least.
  double mean_kernels() const {
    const std::uint64_t wall = time.at(DevicePlace::kernel) + time.at(DevicePlace::kernel_and_copy);
    return wall == 0 ? 0 : static_cast<double>(kernel_ns) / static_cast<double>(wall);
  }
  TransferTotals to_device, from_device;  ///< without unified memory's
  TransferTotals pageable;                ///< of these: from and to memory of the host that is known not to be pinned
  UnifiedMemory unified;
  DeviceMemory memory, pools_in_use, pools_reserved;
  std::vector<StreamRow> by_stream;  ///< by the time that they are busy
  std::uint64_t without_record = 0;  ///< kernels and copies of which the provider has none: the host's intervals
  std::vector<KernelRow> kernels_by_name;
};

/// What makes an operation on data needless.
enum class DataPattern : std::uint8_t {
  duplicate_transfer,   ///< the device has this content already
  round_trip,           ///< the content came from the device, and the host did not change it
  returned_unchanged,   ///< the device did not change what it was sent
  repeated_allocation,  ///< of a variable that had memory on the device before
  unused_allocation,    ///< no kernel ran while it was there
  unused_transfer,      ///< no kernel ran before it was overwritten or freed
  // What need not take its time, though it is needed:
  serial_transfer,  ///< could have gone on behind the kernel before
  small_transfers,  ///< many between two kernels
  short_kernels,    ///< that take less time than their launch
  few_teams,        ///< fewer blocks than the device has multiprocessors
  turns,            ///< the host works while the device waits, and the other way round
};
/// "duplicate-transfer", ...: stable.
const char* name_of(DataPattern pattern) noexcept;

struct DataMovementRow {
  DataPattern pattern{};
  RegionRef region = undefined_ref;  ///< of the operation on the host
  std::vector<RegionRef> also;       ///< threads wait there too: the submit of a construct, the construct of a copy
  RegionRef other = undefined_ref;   ///< of the longest one: what sent or fetched it before, or the kernel before
  std::string name, other_name;
  std::uint64_t count = 0, bytes = 0;
  std::uint64_t ns = 0;  ///< on the host's thread, from the operation's begin to its end; or what of it could be won
  std::uint64_t longest = 0, longest_at = 0;
};

/// What keeps the program from being faster, in seconds that could be won.
struct Finding {
  std::string id;                    ///< stable
  std::string text;                  ///< what was seen, with its numbers
  std::string advice;                ///< what fits to try
  std::string sure;                  ///< "high", "medium", "low"
  std::string name, function, file;  ///< of the construct, "" none
  std::string place;                 ///< where it is, where that is not the construct itself
  std::uint32_t line = 0;
  std::uint64_t lost = 0;          ///< ns of all threads: the sum of its cells
  std::vector<std::size_t> cells;  ///< of the account: indices into its details
  std::uint64_t win = 0;           ///< ns of the run's time: what is lost, among the threads that are beside it
  std::uint64_t at = 0;            ///< where it is seen best, on the trace's clock; 0 none
};

struct Note {
  std::string id, text;
};

struct Verdict {
  /// "ok", or why no advice is given: "killed", "incomplete", "part", "too short", "oversubscribed", "perturbed",
  /// "no events".
  std::string state = "ok";
  std::vector<Note> notes;
  std::vector<Finding> findings;  ///< by `win`
  std::string summary;            ///< one sentence
};

struct Hint {
  std::string id, text;  ///< id is stable, the text is for people
  double value = 0;      ///< the number that supports it
};

struct Report {
  std::string archive, program, creator;
  std::uint64_t begin_realtime = 0;  ///< ns since the epoch; 0: unknown
  std::uint64_t begin = 0;           ///< time of the first event
  std::uint64_t wall = 0, events = 0, irregular = 0;
  std::uint64_t threads = 0, streams = 0;
  std::map<std::string, std::uint64_t> event_counts;
  std::map<std::string, std::uint64_t> untranslated;  ///< of kinds that it does not show, by OTF2's names
  std::map<std::string, std::uint64_t> callbacks;
  std::map<std::string, std::uint64_t> tool;  ///< ns that tracing took: start, drain, wait, convert
  std::vector<Property> properties;
  std::string part;         ///< "from 1 s to 2 s, threads 0-3"; "" the whole trace
  std::string filter;       ///< what was left out, when it ran or since: "EXCLUDE MPI_*; PHASE solve"
  bool has_openmp = false;  ///< there are regions of it
  /// Where the part ends, on the events' clock; all ones: its end was not chosen.
  std::uint64_t part_end = ~std::uint64_t{0};
  /// Of a part: the share of the whole run's time in which threads that could run had no processor.
  double delayed_in_whole = 0;
  std::vector<RegionRow> regions;
  std::vector<ThreadRow> thread_rows;
  std::vector<ParallelRow> parallels;
  TaskReport tasks;
  std::vector<LockRow> locks;     ///< by waiting time, at most Locks::most_rows
  std::uint64_t other_locks = 0;  ///< how many more there are
  LockTotals of_other_locks;
  std::map<RegionRef, LockTotals> locks_at;  ///< by the region of the acquisition: how often, and how long it was held
  std::vector<DeviceRow> devices;
  std::vector<DataMovementRow> data_movement;  ///< what could be done without, by time
  TransferTotals data_operations;              ///< all of the host's operations on devices' data
  bool has_transfer_content = false;           ///< contents were compared (TRACER_TRANSFER_CONTENT)
  std::vector<PhaseRow> phases;                ///< by total time
  std::vector<ProcessRow> processes;
  Balance process_balance;  ///< over the processes, of their threads' work
  MpiReport mpi;
  IoReport io;
  SampleReport samples;  ///< empty() where none were recorded
  std::vector<Hint> hints;
  RunFacts facts;
  Account account;
  Verdict verdict;
};

}  // namespace tracer::report
