// SPDX-License-Identifier: BSD-3-Clause
// Facts from the kernel about the traced process and its threads: when it began, on how many processors it may run, how
// much processor time was used, how it ended. Names are those of the archive's properties, without
// "TRACER::RUN::"; in the journal they begin with "RUN::".
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tracer/time.hpp"

namespace tracer {

using Facts = std::map<std::string, std::string>;

/// PROCESS_START_NS (CLOCK_MONOTONIC, with the kernel's own resolution START_RESOLUTION_NS), PROCESSOR_AT_START_NS,
/// DELAY_AT_START_NS, PROCESSORS_USABLE, PROCESSORS_ONLINE, PROCESSOR_QUOTA of the control group, LOAD_AT_START,
/// THREADS_AT_START, and ENV::NAME of each variable for the OpenMP runtime.
Facts facts_at_start();

/// USER_NS, SYSTEM_NS, PREEMPTED (involuntary switches), MAX_RESIDENT_KIB, PAGE_FAULTS, STOLEN_BY_TIME, STOLEN_NS (what
/// a virtual machine's host has taken from all processors together since facts_at_start()), ASLEEP_NS where the machine
/// slept since then, and EXIT_STATUS when exit() was called.
Facts facts_of_now();
/// For how long they stand for now in a process that began so long ago: a hundredth of that, 10 s at most.
Nanoseconds facts_hold_for(Nanoseconds running) noexcept;

struct ThreadTime {
  Nanoseconds processor = 0;  ///< 0 unknown
  Nanoseconds delay = 0;      ///< able to run without a processor
};
/// Of a thread of this process, by the kernel's id; of the calling one with 0. Three system calls: not for handlers.
ThreadTime thread_time(std::uint64_t os_thread_id) noexcept;

/// From now on exit() leaves its argument for facts_of_now(), before it calls what was registered earlier: a few times
/// per process, where something that ends the tool may have been.
void remember_exit_status() noexcept;

/// When the process began, on CLOCK_MONOTONIC, out of the text of /proc/PID/stat; 0 if it is not there.
Nanoseconds process_start(const std::string& stat, std::uint64_t ticks_per_second, Nanoseconds boot_time,
                          Nanoseconds monotonic);

/// What the host of a virtual machine has taken from its processors together since it was started, out of the text of
/// /proc/stat; 0 if it is not there, and on machines without a host.
Nanoseconds stolen_time(const std::string& stat, std::uint64_t ticks_per_second);

/// How long the machine slept between two times at each of which CLOCK_BOOTTIME was that much ahead of CLOCK_MONOTONIC.
/// 0: it did not; clocks that are read one after the other differ by some microseconds.
Nanoseconds asleep_between(std::int64_t before, std::int64_t after) noexcept;

/// The tightest limit, in processors, that the control groups of `cgroup` (the text of /proc/PID/cgroup) set below
/// `root` (/sys/fs/cgroup); 0: none.
double processor_quota(const std::string& cgroup, const std::string& root);

}  // namespace tracer
