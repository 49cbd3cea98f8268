// SPDX-License-Identifier: BSD-3-Clause
// What an OpenMP process is doing at one instant, as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracer/ompd/call_stacks.hpp"

namespace tracer::ompd {

class RuntimeAccess;
class Target;

struct NamedText {
  std::string name, value;
};

/// A parallel region as one thread is in it. Equal `team` numbers mean the same team.
struct RegionView {
  std::size_t team = 0;
  std::int64_t team_size = -1;      ///< -1 unknown
  std::int64_t thread_number = -1;  ///< of this thread, or of its ancestor, in the team
  bool member = false;              ///< it is the thread itself that is in the team
  std::int64_t level = -1, active_level = -1;
  std::optional<Position> function;  ///< the outlined body; needs OMP_DEBUG=enabled
};

struct TaskView {
  std::size_t team = 0;  ///< of the region it belongs to; 0 unknown
  std::optional<bool> implicit, final;
  std::optional<Position> function;                               ///< needs OMP_DEBUG=enabled
  std::optional<std::pair<std::uint64_t, std::uint64_t>> frames;  ///< exit, enter; needs OMP_DEBUG=enabled
  std::optional<std::int64_t> tool_data;                          ///< what an OMPT tool put there
};

/// What a thread is busy with, in the order of preference: what its call stack shows, its OMPD state.
enum class Activity : std::uint8_t {
  unknown,
  working,
  barrier,
  implicit_barrier,
  lock,
  nest_lock,
  critical,
  ordered,
  atomic,
  taskwait,
  taskgroup,
  target,
  runtime,  ///< overhead
  idle,     ///< a worker without a team
  no_openmp,
};

struct ThreadView {
  std::uint64_t os_thread = 0;
  std::int64_t number = -1;  ///< the runtime's global thread number, -1: not an OpenMP thread
  Activity activity = Activity::unknown;
  std::optional<std::int64_t> state{};  ///< ompt_state_t; none without OMP_DEBUG=enabled
  std::string state_name{};
  std::uint64_t wait_id = 0;
  std::uint64_t lock = 0;              ///< the runtime's lock object that it waits for, 0 unknown
  std::int64_t owner = -1;             ///< global number of the thread that holds `lock`, -1 unknown
  std::vector<Position> stack{};       ///< innermost first
  std::optional<Position> position{};  ///< the innermost frame in the program's own code
  std::vector<RegionView> regions{};   ///< innermost first
  std::vector<TaskView> tasks{};       ///< the current one first, then who created it
  std::vector<NamedText> icvs{};
};

struct Snapshot {
  std::uint64_t process_id = 0;
  std::string program, core;  ///< core: path, "" of a live process
  int signal = 0;             ///< that ended the process, of a core file
  std::string runtime, runtime_version, plugin, plugin_version;
  std::int64_t api_version = 0, openmp_version = 0;
  bool tracks_states = false;
  std::uint64_t stopped_microseconds = 0;  ///< how long a live process stood still
  std::vector<ThreadView> threads;
  std::vector<NamedText> icvs;  ///< of the address space
  std::vector<std::string> control_variables;
  bool only_stacks = false;           ///< made without OMPD
  std::vector<std::string> notes;     ///< what could not be found out, and why
  std::vector<std::string> findings;  ///< waits in words (waits.hpp)
};

/// Reads everything from OMPD. `stacks` may be null. The target must stay stopped meanwhile; positions are
/// left as addresses, for `resolve`.
Snapshot collect(const RuntimeAccess& session, const CallStacks* stacks);
/// Without OMPD: the call stacks alone, for a runtime that does not have it (stripped, GCC's).
Snapshot collect_stacks(const Target& target, const CallStacks& stacks);
/// Functions and source lines, and what the stacks show of each thread; needs the target no more.
void resolve(Snapshot& snapshot, const CallStacks* stacks);

/// "waits at an explicit barrier", ...
const char* words(Activity activity) noexcept;
/// A state of ompt_state_t in words, "" for an unknown one.
std::string state_words(std::int64_t state);
/// "lines.c:12 (work)", or the address.
std::string text_of(const Position& position);

}  // namespace tracer::ompd
