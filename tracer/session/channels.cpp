// SPDX-License-Identifier: BSD-3-Clause
// The channels of a session: how a thread gets one, how it is emptied, and how the next thread gets it.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>

#include "tracer/base/clock.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/base/text.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/property_names.hpp"
#include "tracer/record_table.hpp"
#include "tracer/session/fork.hpp"
#include "tracer/session/run_facts.hpp"
#include "tracer/session/session_shared.hpp"
#include "tracer/undisturbed.hpp"

namespace tracer {
namespace {

constexpr std::uint64_t smallest_ring = 16 << 10;
/// Threads that ended and wait for the drainer, before somebody is bothered.
constexpr std::uint32_t many_closed = 4;

struct ThisThread {
  /// The session that had no ring left for the thread. A later one, or that of a forked child, may have.
  const Session* without_ring = nullptr;
  int destructor_rounds = 0;
  bool making = false;
  bool is_over = false;
};
constinit thread_local ThisThread this_thread __attribute__((tls_model("initial-exec")));

void at_end_of_this_thread(void* channel) noexcept;

/// Runs at the thread's end; the runtime's own destructor may still record after it, so it requests later rounds.
void at_thread_exit(void* value) {
  if (++this_thread.destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
    at_end_of_this_thread(value);
    return;
  }
  const Undisturbed undisturbed;
  auto* channel = static_cast<Channel*>(value);
  const bool is_mine = detail::channel == channel;
  if (is_mine && !channel->has_session()) {  // the small ring of a forked child
    Forks::make_session_of_words();
    channel = detail::channel;
  }
  detail::set_channel(nullptr);
  this_thread.is_over = true;
  Session* session = Session::current();
  if (!is_mine || !session || channel == nullptr || !channel->has_session()) return;
  if (session->thread_observer()) session->thread_observer()->thread_ended(channel->id());
  session->close_channel(*channel);
}

/// Where the program has taken all keys the thread's ring ends with the run.
void at_end_of_this_thread(void* channel) noexcept {
  struct ExitKey {
    pthread_key_t key{};
    bool is_there = ::pthread_key_create(&key, at_thread_exit) == 0;
  };
  static const ExitKey own;
  if (own.is_there) ::pthread_setspecific(own.key, channel);
}

/// A ring's size, by what is left of the memory: the first threads get large ones, the last part is kept for crowds.
std::uint64_t ring_bytes(const Config& config, std::uint64_t remaining) noexcept {
  const bool is_last = remaining <= config.memory / (config.on_full == FullPolicy::newest ? 64 : 4);
  std::uint64_t wanted = 0;
  if (is_last) {
    wanted = remaining / 1024;
  } else if (config.on_full != FullPolicy::newest) {
    wanted = remaining / 128;  // half as large for each half of the memory, which is some hundred threads
  } else if (remaining <= config.memory / 4) {
    wanted = remaining / 16;
  } else {
    const auto processors = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    wanted = std::min({config.memory / processors, remaining / 2, std::uint64_t{1} << 30});
  }
  if (config.on_full != FullPolicy::newest) wanted = std::min(wanted, config.ring_size);
  // A ring is written at once: a large one would be the first and last thread's in a small trace.
  if (config.size_limit != 0) wanted = std::min(wanted, config.size_limit / 8);
  return floor_power_of_two(std::max(wanted, smallest_ring));
}

/// Takes a ring's bytes out of the budget before the ring is made: a team's threads come all at once, and would
/// otherwise all size theirs by the same remainder. 0 when nothing is left.
std::uint64_t reserve_ring(std::atomic<std::uint64_t>& reserved, const Config& config) noexcept {
  std::uint64_t used = reserved.load();
  for (;;) {
    const std::uint64_t remaining = config.memory - std::min(used, config.memory);
    if (remaining < smallest_ring) return 0;
    const std::uint64_t bytes = ring_bytes(config, remaining);
    if (reserved.compare_exchange_weak(used, used + bytes)) return bytes;
  }
}

/// Why a thread has no ring, where it is no error of the system.
constexpr int no_number_left = -1, no_memory_left = 0;

std::string text_of(int why) {
  if (why == no_number_left)
    return "the trace has as many threads as it can have, " + std::to_string(raw::most_channels);
  if (why == no_memory_left) return "all of TRACER_MEMORY is in use by other threads' rings";
  return system_message("there is no memory for its ring", why) +
         "; see the limits of the process (ulimit -v, ulimit -l)";
}

}  // namespace

Channel* detail::make_channel() noexcept {
  return make_channel(any_channel);
}

Channel* detail::make_channel(ChannelId id) noexcept {
  if (this_thread.is_over || this_thread.making) return nullptr;
  if (!Forks::is_undecided()) {  // nobody listens any more: two system calls less
    Session* const session = Session::current();
    if (session == nullptr || session == this_thread.without_ring || !session->recording()) return nullptr;
  }
  const KeepErrno keep;
  const Undisturbed undisturbed;
  this_thread.making = true;
  Channel* mine = nullptr;
  if (Forks::is_undecided()) mine = Forks::first_channel();
  if (mine) {
    at_end_of_this_thread(mine);
  } else {
    if (Forks::is_undecided()) Forks::make_session();
    Session* session = Session::current();
    if (session && session->recording()) mine = session->open_channel(id);
    if (mine) at_end_of_this_thread(mine);
    if (mine && session->thread_observer()) session->thread_observer()->thread_began(mine->id());
  }
  detail::set_channel(mine);
  this_thread.making = false;
  return mine;
}

void leave_this_thread_out() noexcept {
  this_thread.is_over = true;
}

std::size_t Session::channel_count() const noexcept {
  return shared_->channels.size();
}
Channel& Session::channel(std::size_t index) noexcept {
  return shared_->channels[index];
}

bool Session::has_another_initial_thread() noexcept {
  const auto mine = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  for (std::size_t i = 0; i < channel_count(); ++i)
    if (channel(i).has_initial_thread(mine)) return true;
  return false;
}

Channel* Session::take_free_channel() noexcept {
  const auto take = [this]() -> Channel* {
    const std::lock_guard lock(shared_->free_mutex);
    Channel* const channel = shared_->free;
    if (channel != nullptr) channel->leave_free(shared_->free);
    return channel;
  };
  if (Channel* channel = take()) return channel;
  if (shared_->closed.load() < many_closed) return nullptr;
  consumer().drain(false);
  return take();
}

/// nullptr, with `why`: that nothing is left of TRACER_MEMORY, or the error of the system, which has no memory for the
/// smallest ring either.
Channel* Session::make_new_channel(int& why) noexcept {
  why = no_memory_left;
  std::uint64_t bytes = reserve_ring(shared_->reserved_bytes, shared_->config);
  if (bytes == 0) return nullptr;
  why = ENOMEM;
  try {
    auto* const channel = new (lasting_memory(sizeof(Channel))) Channel;
    {
      const std::lock_guard lock(shared_->free_mutex);
      shared_->channels.take_place();
    }
    for (;;) {
      if (channel->make_ring(*this, shared_->spool, bytes / sizeof(Record))) {
        const std::lock_guard lock(shared_->free_mutex);
        shared_->channels.add(*channel);
        return channel;
      }
      why = errno;
      if (bytes <= smallest_ring) break;
      bytes /= 2;
      shared_->reserved_bytes.fetch_sub(bytes);
    }
    const std::lock_guard lock(shared_->free_mutex);
    shared_->channels.give_place_back();
  } catch (...) {
  }
  shared_->reserved_bytes.fetch_sub(bytes);
  return nullptr;
}

Channel* Session::open_channel(ChannelId id) noexcept {
  Channel* channel = take_free_channel();
  int why = no_number_left;
  if (!channel) channel = make_new_channel(why);
  if (id == any_channel) id = channel ? shared_->next_id.fetch_add(1) : raw::most_channels;
  if (!channel || id >= raw::most_channels) {
    note_unrecorded_thread(channel != nullptr ? no_number_left : why);
    this_thread.without_ring = this;
    return nullptr;
  }
  if (!channel->survives() && !shared_->spool.is_gone()) note_private_ring(*channel);  // gone: this is the end
  channel->open(id, shared_->config.on_full == FullPolicy::newest);
  return channel;
}

void Session::note_unrecorded_thread(int why) noexcept {
  if (note_loss(loss_counters::threads) > 1) return;
  shared_->why_no_ring = why;
  report_unrecorded_threads();
}

/// Once. Where there was no memory for a message either, it is written at the end.
void Session::report_unrecorded_threads() noexcept {
  if (loss(loss_counters::threads) == 0 || shared_->no_ring_reported) return;
  try {
    const std::string line = "a thread is not recorded: " + text_of(shared_->why_no_ring);
    if (!shared_->no_ring_reported.exchange(true)) message(line);
  } catch (...) {
  }
}

void Session::note_private_ring(const Channel& channel) noexcept {
  note_loss(loss_counters::private_rings);
  if (shared_->private_rings_reported.exchange(true)) return;
  const int error = channel.ring_error();
  try {
    const std::string place = shared_->spool.directory().string();
    message((error == ENOSPC ? "there is no room for more rings in " + place +
                                   " (`tracer recover --list` shows what killed runs left)"
                             : system_message("cannot make a ring in " + place, error)) +
            ": rings are kept in the process's own memory, and a crash would lose their events");
  } catch (...) {
  }
}

void Session::list_for_drain(Channel& channel) noexcept {
  channel.enter_list(shared_->to_drain);
}

Channel* Session::take_listed() noexcept {
  return shared_->to_drain.exchange(nullptr);
}

void Session::close_channel(Channel& channel) noexcept {
  channel.close();
  list_for_drain(channel);
  if (shared_->closed.fetch_add(1) + 1 >= many_closed) consumer().wake();
}

/// Those that a thread is bound to. Of programs that make threads without end the first
/// ones show how.
void Session::write_processors(const Channel& channel, std::uint64_t thread) {
  constexpr std::uint32_t most = 4096;
  ProcessorMask now;
  const ProcessorMask* const known = channel.processors();
  if (known == nullptr && !read_processors(thread, now)) return;
  const std::string list = list_of(known != nullptr ? *known : now);
  if (list.empty() || list == noted_processors() || shared_->bound_threads.fetch_add(1) >= most) return;
  shared_->journal.fact(thread_processors_name(thread, channel.id()), list);
}

void Session::write_channel_end(Channel& channel) noexcept {
  if (!channel.has_thread()) return;
  try {
    ChannelInfo info = channel.info();
    const std::uint64_t taken = channel.reader().begin(), unwritten = info.records - taken;
    if (info.lost > 0 && !channel.keeps_newest() && unwritten == 0) {
      Record lost{};
      lost.kind = RecordKind::lost;
      lost.time = now();
      lost.b = info.lost;
      lost.c = channel.first_unreported();
      const std::lock_guard lock(shared_->trace_mutex);
      if (shared_->trace.append(info.id, info.records, std::span(&lost, 1), {}) == 0) ++info.records;
    }
    info.lost += channel.keeps_newest() ? channel.overwritten(info.records) : unwritten;
    for (std::size_t i = 0; i < static_cast<std::size_t>(RecordKind::count_); ++i) {
      const auto kind = static_cast<RecordKind>(i);
      if (channel.lost(kind) == 0) continue;
      const std::string_view name = name_of(kind);
      char counter[64];  // whole: no memory for a text is no reason to leave the thread's entry out
      std::snprintf(counter, sizeof counter, "lost.%u.%.*s", info.id, static_cast<int>(name.size()), name.data());
      count(counter, channel.lost(kind));
    }
    shared_->journal.channel(info);
    write_processors(channel, info.os_thread_id);
  } catch (...) {
  }
}

void Session::recycle(Channel& channel) noexcept {
  write_channel_end(channel);
  channel.leave();
  shared_->closed.fetch_sub(1);
  const std::lock_guard lock(shared_->free_mutex);
  channel.enter_free(shared_->free);
}

}  // namespace tracer
