// SPDX-License-Identifier: BSD-3-Clause
// Counters of a journal that say why records are missing; in an archive TRACER::COUNTER::<NAME>, as STOPPED_SIZE_LIMIT.
// Each is written as soon as it is known: of a killed run they are all there is. In a job's archive they are sums.
#pragma once

namespace tracer::loss_counters {

inline constexpr const char* threads = "lost.threads";         ///< threads for whose rings there was no memory
inline constexpr const char* counts = "lost.counts";           ///< additions to other counters: there was no memory
inline constexpr const char* private_rings = "rings.private";  ///< threads whose records die with the process
inline constexpr const char* rings_gone = "rings.gone";        ///< 1 where a killed process' rings are not there
inline constexpr const char* device_records = "device.records_not_written";  ///< no room; only at the end
inline constexpr const char* device_buffers = "device.records_lost";         ///< records for which no buffer had room
inline constexpr const char* damage = "raw.damaged_places";                  ///< of the raw trace; by its reader
inline constexpr const char* other_runtimes = "ompt.runtimes_not_recorded";  ///< OpenMP runtimes beside the recorded
inline constexpr const char* sampled_uncounted = "samples.threads_without_counters";  ///< lack some counters, or all
// 1 in a process that stopped recording before its end.
inline constexpr const char* stopped_size_limit = "stopped.size_limit";       ///< TRACER_SIZE_LIMIT
inline constexpr const char* stopped_full_ring = "stopped.full_ring";         ///< TRACER_ON_FULL=stop
inline constexpr const char* stopped_failed_write = "stopped.failed_write";   ///< disk full, and other errors
inline constexpr const char* attach_records = "ATTACH_RECORDS_BEYOND_LIMIT";  ///< that `tracer attach` had no room for

/// What a session notes while it records.
inline constexpr const char* of_a_session[] = {
    threads, counts, private_rings, stopped_size_limit, stopped_full_ring, stopped_failed_write};

/// No loss: how often the recording clock and CLOCK_MONOTONIC parted (the machine slept), by which times are wrong.
inline constexpr const char* clock_jumps = "clock.jumps";

/// What these say holds for a part of the trace, too.
inline constexpr const char* kept_in_parts[] = {
    threads,        counts,         private_rings,     rings_gone,         device_records,    device_buffers,
    damage,         other_runtimes, sampled_uncounted, stopped_size_limit, stopped_full_ring, stopped_failed_write,
    attach_records, clock_jumps};

/// What a killed process lost for these reasons nobody has counted.
inline constexpr const char* uncounted_when_killed[] = {private_rings, rings_gone, stopped_size_limit,
                                                        stopped_full_ring, stopped_failed_write};

}  // namespace tracer::loss_counters
