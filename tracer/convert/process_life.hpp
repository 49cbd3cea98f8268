// SPDX-License-Identifier: BSD-3-Clause
// When a process began and how it ended, as others know it: whoever waited for it, and the traces of the programs that
// it was before and after (exec).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tracer/time.hpp"

namespace tracer {

namespace raw {
struct JournalFile;
}

/// How a process ended, as somebody else saw it.
struct ProcessEnd {
  std::uint64_t process_id = 0;
  std::uint64_t monotonic_ns = 0;   ///< CLOCK_MONOTONIC
  int exit_status = 0, signal = 0;  ///< signal 0: it ended by itself
};

/// That a process has become another program, by exec.
struct ProgramChange {
  std::uint64_t process_id = 0;
  std::uint64_t monotonic_ns = 0;  ///< when it was seen for the last time as the one before
};

/// What was seen on one host: numbers of processes, and their clock, are another's on another.
struct SeenProcesses {
  std::string host, boot;  ///< as journals have them
  std::vector<ProcessEnd> ends;
  std::vector<ProgramChange> changes;
};
/// Of this host; nothing was seen yet.
SeenProcesses processes_of_this_host();

/// A program that has recorded, by the journal of its trace. A process that calls exec is several, one after the other.
struct RecordedProgram {
  std::uint64_t process_id = 0;
  std::string host, boot;
  Nanoseconds process_start = 0;    ///< by the kernel, to a tick; 0 unknown
  Nanoseconds begin = 0, last = 0;  ///< the first and the last time that the journal has
  bool has_ended = false;           ///< the journal has its end
};
RecordedProgram recorded_program(const raw::JournalFile& file);

/// Facts of the run that are not in its journal, or not as they are known now, by their names among the facts of the
/// process. `all`: the programs of the launch, which may contain `one`. Empty where nothing more is known.
std::map<std::string, std::string> facts_of_life(const RecordedProgram& one, const std::vector<RecordedProgram>& all,
                                                 const SeenProcesses& seen);

}  // namespace tracer
