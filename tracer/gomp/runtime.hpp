// SPDX-License-Identifier: BSD-3-Clause
// The libgomps of the process: whose functions a caller's calls go to.
//
// The loader would take a caller's call to the first library in the program's scope that has the name, and where there
// is none to the caller's own libgomp: wheels bring copies, which no other object sees. So do we (scope.hpp).
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>

#include "tracer/gomp/abi.hpp"

namespace tracer::gomp {

enum class Entry : std::uint16_t {
#define TRACER_GOMP_M(name) name,
  TRACER_GOMP_ENTRIES
#undef TRACER_GOMP_M
      count_
};

extern const char* const entry_names[static_cast<std::size_t>(Entry::count_)];
/// Whether it is the name of an entry point.
bool is_listened_to(const char* name) noexcept;

/// The functions of one libgomp. What an older one lacks ends the program as the loader would.
struct Runtime {
#define TRACER_GOMP_M(name) decltype(&::name) name;
  TRACER_GOMP_ENTRIES
#undef TRACER_GOMP_M
  int (*omp_get_thread_num)();
  int (*omp_get_num_threads)();
  int (*omp_get_max_threads)();
  int (*omp_get_team_num)();
  int (*omp_get_num_teams)();
  int (*omp_get_default_device)();
  int (*omp_get_num_devices)();
  void (*omp_get_schedule)(int* kind, int* chunk);
  int (*omp_get_cancellation)();

  std::uintptr_t base;   ///< where it is loaded; 0: the first in the scope that the program began with, for each name
  bool has_old_locks;    ///< of the version OMP_1.0, before GCC 4.4
  bool speaks_ompt;      ///< it calls tools itself: what it does is recorded by them
  bool is_missing;       ///< there is none
  bool cancels;          ///< OMP_CANCELLATION: it may drop a task that it is asked to run
  char path[PATH_MAX];   ///< the file, as the loader has it
  std::uint32_t number;  ///< from 0
  const Runtime* next;   ///< that was found before
  mutable std::atomic<std::uint32_t> threads;  ///< that have used it
};

/// The last name of a path.
inline const char* file_of(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

inline bool is_libgomp(const char* path) noexcept {
  return std::strncmp(file_of(path), "libgomp", 7) == 0;
}

/// Loaded objects, as far as callers are concerned.
struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool contains(std::uintptr_t address) const noexcept { return address - begin < end - begin; }
};
struct Caller {
  static constexpr unsigned most_segments = 8;
  Range code;                     ///< of the segment that the address is in
  Range segments[most_segments];  ///< that can be read
  const Runtime* runtime = nullptr;
  bool is_named = false;  ///< name_unknown_functions()
  bool can_read(std::uintptr_t at, unsigned bytes) const noexcept {
    for (const Range& segment : segments)
      if (segment.contains(at) && segment.contains(at + bytes - 1)) return true;
    return false;
  }
};

/// Whose code the address is in, and its runtime: never nullptr. May allocate, and takes the loader's lock for a
/// moment.
Caller find_caller(std::uintptr_t address) noexcept;
/// In a forked child: the thread that was in find_caller() may not be there.
void forget_keepers() noexcept;
/// In a forked child: no thread of it has used a runtime yet.
void forget_threads() noexcept;

/// Another number whenever the program has closed a library: what is kept of callers is no longer sure. Also in forked
/// children. By large steps: it is part of the keys that sites are found by.
[[gnu::visibility("hidden")]] extern std::atomic<std::uint64_t> generation;
inline void next_generation() noexcept {
  generation.fetch_add(0xa2684a87bd05df2au);
}

/// Where the entry point was called: behind the call, or behind the jump where the compiler made one of it. `from`: the
/// return address; `function`: the outlined function that runs, where the return address is in this library.
const void* place_of_call(const void* from, const void* entry_point, const void* function,
                          const Caller& caller) noexcept;

}  // namespace tracer::gomp
