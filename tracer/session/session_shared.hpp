// SPDX-License-Identifier: BSD-3-Clause
// What a session keeps; apart from session.hpp so that handlers do not compile TBB.
#pragma once

#include <array>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#include <tbb/concurrent_unordered_map.h>

#include "formats/raw/writer.hpp"
#include "tracer/base/files/file_lock.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/program_names.hpp"
#include "tracer/session/channel_list.hpp"
#include "tracer/session/lasting_allocator.hpp"
#include "tracer/session/modules.hpp"
#include "tracer/session/session.hpp"

namespace tracer {

struct Session::Shared {
  using Strings = tbb::concurrent_unordered_map<std::string, std::uint32_t, std::hash<std::string>, std::equal_to<>,
                                                LastingAllocator<std::pair<const std::string, std::uint32_t>>>;

  Config config;
  RunInfo run;
  std::filesystem::path directory, raw_directory;
  OwnDirectory place;  ///< the directory
  ConsumerFactory make_consumer = nullptr;
  Consumer* consumer = nullptr;
  raw::JournalWriter journal;
  RecorderLock journal_lock;
  Spool spool;

  ChannelList channels;
  std::mutex free_mutex;    ///< of the next, and of those who add channels
  Channel* free = nullptr;  ///< empty rings of ended threads, Channel::enter_free()
  std::atomic<std::uint32_t> closed{0};
  std::atomic<Channel*> to_drain{nullptr};  ///< a list through next_to_drain_: hundreds of threads need no search
  std::atomic<std::uint32_t> next_id{0};
  std::atomic<std::uint64_t> reserved_bytes{0};
  std::atomic<int> why_no_ring{0};  ///< of the first thread without one, as Session::make_new_channel() says it
  std::atomic<bool> no_ring_reported{false};
  std::atomic<std::uint32_t> bound_threads{0};  ///< whose processors are recorded
  std::atomic<bool> private_rings_reported{false};

  std::mutex trace_mutex;
  raw::TraceWriter trace;
  std::uint64_t copies_bytes = 0;  ///< of the trace: what a flight recorder has written of threads
  std::atomic<int> write_error{0};
  std::atomic<std::uint64_t> samples_bytes{0};
  std::atomic<bool> copy_has_failed{false};  ///< the last one of a flight recorder's ring
  std::atomic<bool> flush_signal_is_gone{false};

  Strings strings;
  std::atomic<std::uint32_t> next_string{1};
  ProgramNames names;
  std::mutex counter_mutex;
  std::map<std::string, std::uint64_t, std::less<>> counters;
  /// How much of each of loss_counters::of_a_session. Needs no memory, which may be what is missing.
  std::array<std::atomic<std::uint64_t>, std::size(loss_counters::of_a_session)> losses{};
  ModuleTracker modules;
  ClockSync first_sync;
  std::atomic<Nanoseconds> facts_due{0};
  std::uint64_t process_id = 0;
  std::mutex finish_mutex;
};

}  // namespace tracer
