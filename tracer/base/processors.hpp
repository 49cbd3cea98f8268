// SPDX-License-Identifier: BSD-3-Clause
// The processors that the process may use, as they were before the OpenMP runtime bound its threads: a thread
// that a bound one creates inherits the one processor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tracer {

/// Of 8192 processors; glibc's cpu_set_t ends at 1024.
struct ProcessorMask {
  unsigned long words[128] = {};
};

/// Those that a thread of this process may use now, by the kernel's id; 0: the calling one. False: there is no such
/// thread. One system call.
bool read_processors(std::uint64_t os_thread_id, ProcessorMask& mask) noexcept;

/// How many there are in it.
unsigned count_of(const ProcessorMask& mask) noexcept;

/// As "0-3,8".
std::string list_of(const ProcessorMask& mask);

/// Notes the calling thread's processors, once, before the runtime binds it. libgomp binds the program's first thread
/// when it is loaded: what it knows of the processors is noted instead.
void remember_processors() noexcept;

/// How many were noted, or how many the calling thread may use when none were; at least 1.
unsigned usable_processors() noexcept;

/// Out of such a list. An empty one: it makes no sense.
ProcessorMask mask_of(std::string_view list) noexcept;

/// Those that were noted, as "0-3,8"; "" when none were, or libgomp knows only how many they are (OMP_PLACES={0}).
std::string noted_processors();

/// As a mask, as far as they are known. False: none were noted.
bool read_noted_processors(ProcessorMask& mask) noexcept;

/// Lets the calling thread, one of ours, run on these only. False: it may not, and nothing has changed.
bool run_on(const ProcessorMask& mask) noexcept;

/// Lets the calling thread, one of ours, run on all that were noted.
void run_on_usable_processors() noexcept;

}  // namespace tracer
