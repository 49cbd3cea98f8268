// SPDX-License-Identifier: BSD-3-Clause
// See process_life.hpp.
#include "tracer/convert/process_life.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <optional>

#include "formats/raw/journal.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/property_names.hpp"

namespace tracer {
namespace {

/// A recording process reads the clock every second: one that did not for so long was another program by then.
constexpr Nanoseconds longest_silence = 5'000'000'000;
/// Between two readings of when one process began: the kernel's tick, and clocks that are read one after the other.
constexpr Nanoseconds start_differs = 20'000'000;
/// At most, between two looks at which program a process is.
constexpr Nanoseconds between_looks = 1'000'000'000;

bool share_number(const RecordedProgram& a, const RecordedProgram& b) {
  return a.process_id == b.process_id && a.host == b.host && a.boot == b.boot;
}

bool is_seen_by(const RecordedProgram& one, const SeenProcesses& seen) {
  return one.host == seen.host && one.boot == seen.boot;
}

/// Of two that share a number. It may have been given again.
bool are_one_process(const RecordedProgram& a, const RecordedProgram& b) {
  if (a.process_start == 0 || b.process_start == 0) return true;
  return std::max(a.process_start, b.process_start) - std::min(a.process_start, b.process_start) <= start_differs;
}

/// The next one of its number; nullptr: none is known. Two that record at one time do not follow each other.
const RecordedProgram* program_after(const RecordedProgram& one, const std::vector<RecordedProgram>& all) {
  const RecordedProgram* next = nullptr;
  for (const RecordedProgram& other : all)
    if (share_number(one, other) && other.begin > one.begin && other.begin >= one.last &&
        (next == nullptr || other.begin < next->begin))
      next = &other;
  return next;
}

/// When its process was seen for the last time as the program before it; 0: as no other.
Nanoseconds start_of_program(const RecordedProgram& one, const std::vector<RecordedProgram>& all,
                             const SeenProcesses& seen) {
  Nanoseconds start = 0;
  for (const RecordedProgram& other : all)
    if (share_number(one, other) && are_one_process(one, other) && other.begin < one.begin && other.last <= one.begin)
      start = std::max(start, other.last);
  if (!is_seen_by(one, seen)) return start;
  for (const ProgramChange& change : seen.changes)
    if (change.process_id == one.process_id && change.monotonic_ns <= one.begin)
      start = std::max<Nanoseconds>(start, change.monotonic_ns);
  return start;
}

/// Whether its process was seen as another program before it ended so: that program's end it is then. A file that was
/// renamed looks like another program, and the one that recorded goes on.
bool has_become_another(const RecordedProgram& one, const ProcessEnd& end, const SeenProcesses& seen) {
  return std::any_of(seen.changes.begin(), seen.changes.end(), [&](const ProgramChange& change) {
    return change.process_id == one.process_id && change.monotonic_ns > one.begin &&
           one.last <= change.monotonic_ns + between_looks && change.monotonic_ns < end.monotonic_ns;
  });
}

/// The first end of its number behind its begin; nullptr: none was seen.
const ProcessEnd* end_of(const RecordedProgram& one, const SeenProcesses& seen) {
  if (!is_seen_by(one, seen)) return nullptr;
  const ProcessEnd* first = nullptr;
  for (const ProcessEnd& end : seen.ends)
    if (end.process_id == one.process_id && end.monotonic_ns >= one.begin &&
        (first == nullptr || end.monotonic_ns < first->monotonic_ns))
      first = &end;
  return first;
}

void add_end(const RecordedProgram& one, const ProcessEnd& end, std::map<std::string, std::string>& facts) {
  using namespace properties;
  const bool is_untold = end.signal == 0 && !one.has_ended;
  if (!is_untold || end.monotonic_ns <= one.last + longest_silence)
    facts[run_fact(run_process_end)] = std::to_string(end.monotonic_ns);
  if (end.signal != 0) {
    facts[run_fact(run_ended)] = "signal";
    facts[run_fact(run_signal)] = std::to_string(end.signal);
  } else {
    facts[run_fact(run_exit_status)] = std::to_string(end.exit_status);
  }
  if (is_untold) facts[run_fact(run_ended)] = "without telling";  // _exit, exec
}

}  // namespace

SeenProcesses processes_of_this_host() {
  SeenProcesses seen;
  utsname system{};
  if (::uname(&system) == 0) seen.host = system.nodename;
  seen.boot = read_small_file("/proc/sys/kernel/random/boot_id");
  return seen;
}

RecordedProgram recorded_program(const raw::JournalFile& file) {
  RecordedProgram one;
  const Journal& journal = file.journal;
  one.process_id = journal.run.process_id;
  one.host = journal.run.host;
  one.boot = file.boot;
  const auto start = journal.facts.find(properties::fact(properties::run_process_start));
  if (start != journal.facts.end()) one.process_start = parse_number(start->second).value_or(0);
  if (!journal.clock.empty()) {
    one.begin = journal.clock.front().monotonic;
    one.last = journal.clock.back().monotonic;
  }
  one.has_ended = journal.ending != Ending::unknown;
  return one;
}

std::map<std::string, std::string> facts_of_life(const RecordedProgram& one, const std::vector<RecordedProgram>& all,
                                                 const SeenProcesses& seen) {
  std::map<std::string, std::string> facts;
  if (const Nanoseconds start = start_of_program(one, all, seen); start > one.process_start)
    facts[properties::run_fact(properties::run_program_start)] = std::to_string(start);
  const RecordedProgram* const next = program_after(one, all);
  const ProcessEnd* const end = end_of(one, seen);
  const bool is_own_end = next == nullptr || (end != nullptr && end->monotonic_ns < next->begin);
  const bool is_exec = is_own_end ? end != nullptr && has_become_another(one, *end, seen) : are_one_process(one, *next);
  if (is_exec) {  // the process' end is another program's
    if (!one.has_ended) facts[properties::run_fact(properties::run_ended)] = "without telling";
  } else if (is_own_end && end != nullptr) {
    add_end(one, *end, facts);
  }
  return facts;
}

}  // namespace tracer
