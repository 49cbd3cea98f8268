// SPDX-License-Identifier: BSD-3-Clause
// The facts of the run, read back from the archive's properties (TRACER::RUN::...).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/property_names.hpp"

namespace tracer::report {

/// An OpenMP runtime that the process used.
struct RuntimeUse {
  std::string library;
  std::uint64_t threads = 0;  ///< that worked for it
};

struct RunFacts {
  bool known = false;            ///< the archive has them; other tools' have none
  std::uint64_t start = 0;       ///< of the process, or as this program, on the events' clock; 0 unknown
  std::uint64_t end = 0;         ///< 0 unknown
  std::uint64_t resolution = 0;  ///< of `start`, in ns
  std::string ended;  ///< "return", "exit", "signal", "without telling", "running", "unknown", "": not recorded
  int signal = 0, exit_status = -1;
  std::uint64_t inside =
      0;  ///< threads that the last records leave inside constructs, where the end is not in the trace
  bool runtime_ended = false;  ///< before the process: OpenMP behind that is not recorded
  std::string mpi_abort;       ///< the error code with which it called MPI_Abort; "" it did not
  double processors = 0;       ///< that the process may use: affinity and the control group's quota; 0 unknown
  std::uint64_t processors_online = 0;
  std::string processor_list;      ///< that the process may use by its affinity, as "0-3,8"; "" unknown
  std::uint64_t processor_ns = 0;  ///< user and system time of the process
  std::uint64_t system_ns = 0;     ///< of it in the kernel
  std::uint64_t page_faults = 0;
  std::uint64_t stolen_ns = 0;  ///< that a virtual machine's host took from all its processors meanwhile
  std::uint64_t asleep_ns = 0;  ///< of the machine meanwhile
  std::string host, machine, processor, load;
  std::vector<RuntimeUse> runtimes;                ///< copies of libgomp, and the one that calls tools; []: unknown
  std::map<std::string, std::string> environment;  ///< for the OpenMP runtime, but for what starts the tool
  /// Killed, crashed, or ended without a record of it: the trace has a part of the run.
  bool killed() const { return ended == "signal" || ended == "unknown" || !mpi_abort.empty(); }
  bool is_running() const { return ended == "running"; }  ///< when the archive was made
  /// What came behind the last record is unknown: it was killed, or ended by _exit in the middle of something, as
  /// programs do that watch themselves for hangs.
  bool is_cut() const { return killed() || (ended == "without telling" && inside != 0); }
  /// Nobody knows what its threads did between the last record and its end.
  bool is_end_unknown() const { return is_cut() || runtime_ended; }
};
/// Of an archive of one process, or of one process of a job.
RunFacts run_facts(const std::vector<Property>& properties);
inline RunFacts run_facts(const Definitions& definitions) {
  return run_facts(definitions.properties);
}

/// Whether it is what the tool counted by that name, as counter_of() takes it.
bool is_counter(const Property& property, std::string_view name, std::string_view family = properties::counter);

/// What the tool counted by that name, as archives spell it ("TOOL_START_NS") or as the tool ("tool.start_ns"). 0:
/// nothing.
std::uint64_t counter_of(const Definitions& definitions, std::string_view name,
                         std::string_view family = properties::counter);

bool is_libgomp(const RuntimeUse& use);

/// Whether threads are set never to sleep while they wait, and do not.
bool waits_actively(const RunFacts& facts);

/// Whether threads sleep as soon as they wait, however they are set: with more of them than processors libgomp spins
/// for microseconds. False where the processors or the runtime are unknown.
bool sleeps_at_once(const RunFacts& facts);

/// Of one location: TRACER::PROCESSOR_NS, TRACER::DELAY_NS and TRACER::PROCESSORS.
struct ThreadFacts {
  bool known = false;
  std::uint64_t processor = 0, delay = 0;
  std::string processors;  ///< that it is bound to, as "0-3,8"; "" to none of its own
};
ThreadFacts thread_facts(const Location& location);

/// The value of that property of the archive, or of the first process that has it; "" none has.
std::string fact_of_run(const Definitions& definitions, std::string_view name);

/// Whether the program made the thread, or it is the process' first: a runtime's worker is not.
bool is_initial_thread(const Location& location);

/// In an archive of ours: whether no OpenMP runtime has begun the thread or had it in a team, so that the program made
/// it for itself.
bool never_met_openmp(const Location& location);

/// "killed by signal 9 (Killed)", "ended with exit status 3", ...; "": unknown.
std::string ending_text(const RunFacts& facts);

}  // namespace tracer::report
