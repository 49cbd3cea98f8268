// SPDX-License-Identifier: BSD-3-Clause
// The channels of a session: how a thread gets one, how it is emptied, and how the next thread gets it.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

#include "tracer/base/clock.hpp"
#include "tracer/base/text.hpp"
#include "tracer/record_table.hpp"
#include "tracer/session/fork.hpp"
#include "tracer/session/run_facts.hpp"
#include "tracer/session/session_shared.hpp"

namespace tracer {
namespace {

constexpr std::uint64_t smallest_ring = 16 << 10;
/// Threads that ended and wait for the drainer, before somebody is bothered.
constexpr std::uint32_t many_closed = 4;

constinit thread_local bool thread_is_over __attribute__((tls_model("initial-exec"))) = false;
constinit thread_local bool making __attribute__((tls_model("initial-exec"))) = false;
constinit thread_local int destructor_rounds __attribute__((tls_model("initial-exec"))) = 0;

pthread_key_t exit_key() noexcept;

/// Runs at the thread's end; the runtime's own destructor may still record after it, so it asks for later rounds.
void at_thread_exit(void* value) {
  if (++destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
    ::pthread_setspecific(exit_key(), value);
    return;
  }
  auto* channel = static_cast<Channel*>(value);
  const bool is_mine = detail::channel == channel;
  detail::set_channel(nullptr);
  thread_is_over = true;
  Session* session = Session::current();
  if (!is_mine || !session) return;
  if (session->thread_observer()) session->thread_observer()->thread_ended(channel->id());
  session->close_channel(*channel);
}

pthread_key_t exit_key() noexcept {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    ::pthread_key_create(&made, at_thread_exit);
    return made;
  }();
  return key;
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

}  // namespace

Channel* detail::make_channel() noexcept {
  return make_channel(any_channel);
}

Channel* detail::make_channel(ChannelId id) noexcept {
  if (thread_is_over || making) return nullptr;
  const KeepErrno keep;
  making = true;
  Channel* mine = nullptr;
  if (Forks::is_undecided()) mine = Forks::first_channel();
  if (!mine) {
    if (Forks::is_undecided()) Forks::make_session();
    Session* session = Session::current();
    if (session && session->recording()) mine = session->open_channel(id);
    if (mine) ::pthread_setspecific(exit_key(), mine);
    if (mine && session->thread_observer()) session->thread_observer()->thread_began(mine->id());
  }
  detail::set_channel(mine);
  making = false;
  return mine;
}

std::size_t Session::channel_count() const noexcept {
  return shared_->channel_count.load(std::memory_order_acquire);
}
Channel& Session::channel(std::size_t index) noexcept {
  return *shared_->channels[index];
}

bool Session::has_another_initial_thread() noexcept {
  constexpr std::uint32_t initial = 1;  // ompt_thread_initial
  const auto mine = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  for (std::size_t i = 0; i < channel_count(); ++i) {
    const Channel& other = channel(i);
    const auto* header = other.slot_.header;
    if (header->channel.load(std::memory_order_acquire) == raw::no_channel || other.closed_.load()) continue;
    if (other.thread_type_.load() == initial && header->process_thread != mine) return true;
  }
  return false;
}

Channel* Session::take_free_channel() noexcept {
  const auto take = [this]() -> Channel* {
    const std::lock_guard lock(shared_->free_mutex);
    if (shared_->free.empty()) return nullptr;
    Channel* channel = shared_->free.back();
    shared_->free.pop_back();
    return channel;
  };
  if (Channel* channel = take()) return channel;
  if (shared_->closed.load() < many_closed) return nullptr;
  consumer().drain(false);
  return take();
}

Channel* Session::make_new_channel() noexcept {
  const std::uint64_t bytes = reserve_ring(shared_->reserved_bytes, shared_->config);
  if (bytes == 0) return nullptr;
  try {
    auto channel = std::make_unique<Channel>();
    if (shared_->spool.add(bytes / sizeof(Record), channel->slot_)) {
      channel->session_ = this;
      // Once and before anybody can see it: the thread that ends the session makes every channel's producer look
      // around, also one that is just being opened, for the first time or for its next thread.
      channel->ring_.attach(channel->slot_.records, channel->slot_.reserved, channel->slot_.header->head,
                            channel->slot_.header->tail);
      const std::lock_guard lock(shared_->free_mutex);
      shared_->channels.push_back(channel.get());
      shared_->channel_count.fetch_add(1, std::memory_order_release);
      return channel.release();
    }
  } catch (...) {
  }
  shared_->reserved_bytes.fetch_sub(bytes);
  return nullptr;
}

Channel* Session::open_channel(ChannelId id) noexcept {
  Channel* channel = take_free_channel();
  if (!channel) channel = make_new_channel();
  if (id == any_channel) id = channel ? shared_->next_id.fetch_add(1) : raw::most_channels;
  if (!channel || id >= raw::most_channels) {
    note_unrecorded_thread();
    thread_is_over = true;
    return nullptr;
  }
  if (!channel->slot_.survives) note_private_ring();
  auto* header = channel->slot_.header;
  channel->id_ = id;
  channel->counter_ = 0;
  channel->untold_ = 0;
  channel->looks_left_ = 0;
  channel->written_ = 0;
  channel->closed_.store(false);
  channel->wait_ticks_.store(0);
  channel->lost_.store(0);
  for (auto& count : channel->lost_kinds_) count.store(0, std::memory_order_relaxed);
  channel->identify(0, -1, -1);
  channel->end_.store(0);
  channel->processor_ns_.store(0);
  channel->delay_ns_.store(0);
  header->process_thread = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  header->begin = now();
  header->flags = shared_->config.on_full == FullPolicy::newest ? 1 : 0;
  header->head.store(0, std::memory_order_relaxed);
  header->tail.store(0, std::memory_order_relaxed);
  header->capacity.store(channel->slot_.reserved, std::memory_order_relaxed);
  channel->ring_.resize(channel->slot_.reserved);
  header->channel.store(id, std::memory_order_release);
  channel->allow(channel->usable_room());
  return channel;
}

// Both are written at once: a run that is killed shall not seem to have lost nothing.
void Session::note_unrecorded_thread() noexcept {
  const std::uint64_t count = shared_->threads_not_recorded.fetch_add(1) + 1;
  if (count == 1) message("a thread is not recorded: all of TRACER_MEMORY is in use by other threads' rings");
  try {
    shared_->journal.counter("lost.threads", count);
  } catch (...) {
  }
}

void Session::note_private_ring() noexcept {
  const std::uint64_t count = shared_->private_rings.fetch_add(1) + 1;
  if (!shared_->private_rings_said.exchange(true)) {
    message(
        "the rings' place (shared memory, or TRACER_SPOOL) is full: rings are in the process's own memory, and a "
        "crash will lose what they hold (tracer recover --list: what killed runs have left there)");
  }
  try {
    shared_->journal.counter("rings.private", count);
  } catch (...) {
  }
}

void Session::list_for_drain(Channel& channel) noexcept {
  if (channel.is_listed_.exchange(true)) return;
  Channel* first = shared_->to_drain.load(std::memory_order_relaxed);
  do {
    channel.next_to_drain_ = first;
  } while (!shared_->to_drain.compare_exchange_weak(first, &channel));
}

Channel* Session::take_listed() noexcept {
  return shared_->to_drain.exchange(nullptr);
}

void Session::close_channel(Channel& channel) noexcept {
  const ThreadTime time = thread_time(0);
  channel.processor_ns_.store(time.processor, std::memory_order_relaxed);
  channel.delay_ns_.store(time.delay, std::memory_order_relaxed);
  channel.end_.store(now(), std::memory_order_relaxed);
  channel.closed_.store(true, std::memory_order_release);
  list_for_drain(channel);
  if (shared_->closed.fetch_add(1) + 1 >= many_closed) consumer().wake();
}

void Session::write_channel_end(Channel& channel) noexcept {
  const auto* header = channel.slot_.header;
  if (header->channel.load(std::memory_order_acquire) == raw::no_channel) return;
  try {
    ChannelInfo info;
    info.id = channel.id_;
    info.os_thread_id = header->process_thread;
    info.thread_type = channel.thread_type_.load(std::memory_order_relaxed);
    info.processor = channel.processor_.load(std::memory_order_relaxed);
    info.place = channel.place_.load(std::memory_order_relaxed);
    info.begin = header->begin;
    info.end = channel.end_.load(std::memory_order_relaxed);
    info.processor_ns = channel.processor_ns_.load(std::memory_order_relaxed);
    info.delay_ns = channel.delay_ns_.load(std::memory_order_relaxed);
    if (info.end == 0) {
      const ThreadTime time = thread_time(header->process_thread);
      info.processor_ns = time.processor;
      info.delay_ns = time.delay;
    }
    const std::uint64_t head = header->head.load(std::memory_order_acquire);
    const std::uint64_t unwritten = head - header->tail.load(std::memory_order_relaxed);
    const bool is_flight = header->flags != 0;
    info.records = head;
    info.wait_ticks = channel.wait_ticks_.load();
    info.lost = channel.lost_.load();
    if (info.lost > 0 && !is_flight && unwritten == 0) {
      Record lost{};
      lost.kind = RecordKind::lost;
      lost.time = now();
      lost.b = info.lost;
      lost.c = channel.first_untold_.load(std::memory_order_relaxed);
      const std::lock_guard lock(shared_->trace_mutex);
      if (shared_->trace.append(channel.id_, head, std::span(&lost, 1), {}) == 0) ++info.records;
    }
    info.lost += is_flight ? header->tail.load(std::memory_order_relaxed) : unwritten;
    for (std::size_t kind = 0; kind < channel.lost_kinds_.size(); ++kind) {
      const auto count_of = channel.lost_kinds_[kind].load(std::memory_order_relaxed);
      if (count_of == 0) continue;
      count("lost." + std::to_string(channel.id_) + "." + std::string{name_of(static_cast<RecordKind>(kind))},
            count_of);
    }
    shared_->journal.channel(info);
  } catch (...) {
  }
}

void Session::recycle(Channel& channel) noexcept {
  write_channel_end(channel);
  channel.slot_.header->channel.store(raw::no_channel, std::memory_order_release);
  channel.closed_.store(false, std::memory_order_relaxed);
  shared_->closed.fetch_sub(1);
  try {
    const std::lock_guard lock(shared_->free_mutex);
    shared_->free.push_back(&channel);
  } catch (...) {
  }
}

}  // namespace tracer
