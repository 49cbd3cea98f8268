// SPDX-License-Identifier: BSD-3-Clause
// The slow side of recording: a ring's memory, waiting, wake-ups, losses and the end.
#include "tracer/session/channel.hpp"

#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cstring>

#include "tracer/base/clock.hpp"
#include "tracer/base/text.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/session/fork.hpp"
#include "tracer/session/run_facts.hpp"
#include "tracer/session/session.hpp"
#include "tracer/undisturbed.hpp"

namespace tracer {

namespace {

/// Slots in use at first, of a ring that has so many: 128 KiB. Each slot takes 16 ns when it is used for the first
/// time, which few records of a short-lived thread would pay back.
constexpr std::uint64_t first_slots = 4 << 10;
/// A thread that has recorded so many times what its ring holds gets a larger one: each wake-up of the drainer costs
/// it.
constexpr std::uint64_t rounds_before_growth = 8;
/// At most where threads empty their rings themselves: 256 KiB, which stay in the second-level cache.
constexpr std::uint64_t own_slots = 8 << 10;

}  // namespace

constinit thread_local Channel* detail::channel __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local Channel* detail::counter_channel __attribute__((tls_model("initial-exec"))) = nullptr;

void detail::set_channel(Channel* mine) noexcept {
  channel = mine;
  counter_channel = clock_kind == counter_kind ? mine : nullptr;
}

Channel::Channel(std::span<Record> slots, std::atomic<std::uint64_t>& head, std::atomic<std::uint64_t>& tail,
                 std::uint64_t counter) noexcept
    : counter_(counter) {
  ring_.attach(slots.data(), slots.size(), head, tail);
  ring_.allow(0);  // each record is looked at
}

bool Channel::make_ring(Session& session, Spool& spool, std::uint64_t records) noexcept {
  if (!spool.add(records, slot_)) return false;
  session_ = &session;
  // Once and before anybody can see it: the thread that ends the session makes every channel's producer look
  // around, also one that is just being opened, for the first time or for its next thread.
  ring_.attach(slot_.records, slot_.reserved, slot_.header->head, slot_.header->tail);
  return true;
}

void Channel::open(ChannelId id, bool keeps_newest) noexcept {
  auto* header = slot_.header;
  id_ = id;
  counter_ = 0;
  unreported_ = 0;
  looks_left_ = 0;
  written_ = 0;
  overwritten_ = 0;
  closed_.store(false);
  wait_ticks_.store(0);
  lost_.store(0);
  for (auto& count : lost_kinds_) count.store(0, std::memory_order_relaxed);
  identify(0, -1, -1);
  end_.store(0);
  processor_ns_.store(0);
  delay_ns_.store(0);
  has_processors_.store(false);
  header->process_thread = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  header->begin = now();
  header->flags = keeps_newest ? 1 : 0;
  header->since.store(0, std::memory_order_relaxed);
  header->head.store(0, std::memory_order_relaxed);
  header->tail.store(0, std::memory_order_relaxed);
  empties_itself_ = false;
  const bool waits = session_->config().on_full == FullPolicy::wait;
  usual_slots_ = waits ? std::min(first_slots, slot_.reserved) : slot_.reserved;
  header->capacity.store(usual_slots_, std::memory_order_relaxed);
  ring_.resize(usual_slots_);
  header->channel.store(id, std::memory_order_release);
  allow(usable_room());
}

void Channel::close() noexcept {
  const ThreadTime time = thread_time(0);
  processor_ns_.store(time.processor, std::memory_order_relaxed);
  delay_ns_.store(time.delay, std::memory_order_relaxed);
  if (!has_processors_.load(std::memory_order_relaxed))
    has_processors_.store(read_processors(0, processors_), std::memory_order_release);
  end_.store(now(), std::memory_order_relaxed);
  closed_.store(true, std::memory_order_release);
}

void Channel::leave() noexcept {
  slot_.header->channel.store(raw::no_channel, std::memory_order_release);
  closed_.store(false, std::memory_order_relaxed);
}

bool Channel::enter_list(std::atomic<Channel*>& first) noexcept {
  if (is_listed_.exchange(true)) return false;
  Channel* next = first.load(std::memory_order_relaxed);
  do {
    next_to_drain_ = next;
  } while (!first.compare_exchange_weak(next, this));
  return true;
}

bool Channel::has_initial_thread(std::uint64_t other_than) const noexcept {
  constexpr std::uint32_t initial = 1;  // ompt_thread_initial
  return has_thread() && !is_closed() && thread_type_.load() == initial && slot_.header->process_thread != other_than;
}

ChannelInfo Channel::info() const noexcept {
  const auto* header = slot_.header;
  ChannelInfo info;
  info.id = id_;
  info.os_thread_id = header->process_thread;
  info.thread_type = thread_type_.load(std::memory_order_relaxed);
  info.processor = processor_.load(std::memory_order_relaxed);
  info.place = place_.load(std::memory_order_relaxed);
  info.begin = header->begin;
  info.end = end_.load(std::memory_order_relaxed);
  info.processor_ns = processor_ns_.load(std::memory_order_relaxed);
  info.delay_ns = delay_ns_.load(std::memory_order_relaxed);
  if (info.end == 0) {
    const ThreadTime time = thread_time(header->process_thread);
    info.processor_ns = time.processor;
    info.delay_ns = time.delay;
  }
  info.records = header->head.load(std::memory_order_acquire);
  info.wait_ticks = wait_ticks_.load();
  info.lost = lost_.load();
  return info;
}

void Channel::continue_from(const Channel& small) noexcept {
  counter_ = small.counter_;
  thread_type_.store(small.thread_type_.load());
}

void Channel::identify(std::uint32_t thread_type, std::int32_t processor, std::int32_t place) noexcept {
  thread_type_.store(thread_type, std::memory_order_relaxed);
  processor_.store(processor, std::memory_order_relaxed);
  place_.store(place, std::memory_order_relaxed);
}

void Channel::bind(std::int32_t processor, std::int32_t place) noexcept {
  if (!has_processors_.load(std::memory_order_relaxed))
    has_processors_.store(read_processors(0, processors_), std::memory_order_release);
  processor_.store(processor, std::memory_order_relaxed);
  place_.store(place, std::memory_order_relaxed);
}

void Channel::await_team() noexcept {
  constexpr unsigned most_looks = 32;
  if (!session_) return;
  looks_left_ = most_looks;
  ring_.allow(0);
}

/// What follows a record that was looked at. Also records that a thread makes before it is in a team count, so that the
/// looks end.
void Channel::look_for_team(const Record& record) noexcept {
  --looks_left_;
  if (record.kind != RecordKind::implicit_task) return;
  looks_left_ = 0;
  session_->joined(*this);
}

/// The producer has come to its limit. What may have happened, and what follows:
///   recording has ended            the record is counted, or nobody listens any more
///   the drainer is to be woken     half of the ring is full
///   memory is to be had            the first round through the ring: a page at a time costs more
///   the thread is new              its binding is set once it is in a team
///   the ring is full               wait, stop or overwrite, by policy
/// The record itself goes first, and records about it behind: times in a ring never decrease.
void Channel::emit_slowly(Ticks time, std::uint64_t head, std::uint64_t b, std::uint64_t c) noexcept {
  Record record;
  copy_slot(record, RecordWords{time, head, b, c});
  emit_slowly(record, nullptr);
}

void Channel::emit_slowly(const Record& record, const Record* more) noexcept {
  if (session_ != nullptr && !session_->recording()) return lose(record, more);
  const KeepErrno keep;
  const Undisturbed undisturbed;  // a handler's records come here, too, and may need what is held here
  if (!session_) return Forks::emit_first(record, more);
  const std::uint64_t count = more ? 2 : 1;
  const bool has_losses = unreported_ != 0;
  const Ticks waited_before = wait_ticks_.load(std::memory_order_relaxed);
  // Two more for a wait and a loss.
  if (!make_room(count + 2)) return lose(record, more);
  if (has_losses) record_losses(record.time);
  more ? ring_.put(record, *more) : ring_.put(record);
  if (const Ticks waited = wait_ticks_.load(std::memory_order_relaxed) - waited_before; waited > 0) {
    const Ticks end = now();
    Record wait{};
    wait.kind = RecordKind::ring_wait;
    wait.time = std::max(record.time, end - waited);
    wait.b = end;
    ring_.put(wait);
  }
  if (looks_left_ != 0) look_for_team(record);
  allow(looks_left_ != 0 ? 0 : usable_room());
}

/// Slots that can be written now: free, and with memory behind them, which the head reaches slot by slot.
std::uint64_t Channel::usable_room() noexcept {
  const std::uint64_t room = ring_.room();
  if (ring_.capacity() <= slot_.committed) return room;
  const std::uint64_t slot = ring_.head() & (ring_.capacity() - 1);
  return std::min(room, slot_.committed - std::min(slot, slot_.committed));
}

/// How many records bring the drainer in, or make the thread empty its ring itself.
std::uint64_t Channel::drain_mark() const noexcept {
  constexpr std::uint64_t spare = 8;  // what comes about a record
  return empties_itself_ ? ring_.capacity() - spare : ring_.capacity() / 2;
}

bool Channel::grows() const noexcept {
  return usual_slots_ < slot_.reserved && ring_.head() >= rounds_before_growth * usual_slots_;
}

void Channel::request_drain() noexcept {
  if (empty_ring(empties_itself_ || grows())) return;
  session_->list_for_drain(*this);
  session_->consumer().wake_from_producer(*this);
}

/// The thread empties its ring itself, and chooses then, as the ring is empty, how many slots it goes on with.
bool Channel::empty_ring(bool urgent) noexcept {
  Consumer& consumer = session_->consumer();
  if (session_->config().on_full != FullPolicy::wait || !consumer.drain_own(*this, urgent)) return false;
  if (grows()) usual_slots_ *= 2;
  empties_itself_ = consumer.is_crowded();
  use_slots(empties_itself_ ? std::min(own_slots, usual_slots_) : usual_slots_);
  return true;
}

/// While the ring is empty.
void Channel::use_slots(std::uint64_t records) noexcept {
  if (records == ring_.capacity()) return;
  slot_.header->since.store(ring_.head(), std::memory_order_relaxed);
  slot_.header->capacity.store(records, std::memory_order_release);
  ring_.resize(records);
}

/// Lets the producer run until the next thing to do: half a ring at most, so that the drainer is woken in time.
void Channel::allow(std::uint64_t room) noexcept {
  const std::uint64_t mark = drain_mark();
  const std::uint64_t used = ring_.used();
  if (used < mark) room = std::min(room, mark - used);
  ring_.allow(room);
  // Recording may have ended between the look at the state and allow(): look again.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!session_->recording()) ring_.allow(0);
}

bool Channel::make_room(std::uint64_t count) noexcept {
  const bool is_drained = session_->config().on_full != FullPolicy::newest;
  if (is_drained && session_->recording() && ring_.used() >= drain_mark()) request_drain();
  for (;;) {
    if (!session_->recording()) return false;
    const std::uint64_t head = ring_.head(), needed = (head & (ring_.capacity() - 1)) + count;
    if (ring_.room() >= count && ring_.capacity() > slot_.committed && needed > slot_.committed) {
      if (session_->spool().commit(slot_, std::min(needed, ring_.capacity()))) {
        allow(usable_room());
        return true;
      }
      // No memory for a larger ring: go round in what there is, once it is empty.
      if (session_->config().on_full == FullPolicy::newest) {
        ring_.overrun(head);
      } else if (!wait_for_room(ring_.capacity())) {
        return false;
      }
      const std::uint64_t smaller = floor_power_of_two(slot_.committed);
      use_slots(smaller);
      usual_slots_ = smaller;
      slot_.reserved = smaller;
      continue;
    }
    if (usable_room() >= count) return true;
    switch (session_->config().on_full) {
      case FullPolicy::newest:
        overwrite(count);
        break;
      case FullPolicy::stop:
        session_->stop_recording(loss_counters::stopped_full_ring,
                                 "a ring is full and TRACER_ON_FULL=stop: recording stops here");
        return false;
      case FullPolicy::wait:
        if (!wait_for_room(std::max(count, ring_.capacity() / 4))) return false;
    }
  }
}

/// The ring is full before the drainer has come, or there is none: the thread empties the ring itself, unless the
/// drainer is at it just now. False when recording ended meanwhile.
bool Channel::wait_for_room(std::uint64_t count) noexcept {
  const Ticks begin = now();
  constexpr unsigned milliseconds = 20;
  while (ring_.room() < count && session_->recording()) {
    if (!session_->consumer().has_thread()) {
      session_->list_for_drain(*this);
      session_->consumer().drain(false);
      continue;
    }
    if (empty_ring(true)) break;
    const std::uint32_t seen = room_.load(std::memory_order_acquire);
    waiting_.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // before the look at the tail: see made_room()
    if (ring_.room() < count) {
      session_->list_for_drain(*this);
      session_->consumer().wake_from_producer(*this);
      futex_wait(room_, seen, milliseconds);
    }
    waiting_.store(0, std::memory_order_relaxed);
  }
  wait_ticks_.fetch_add(now() - begin, std::memory_order_relaxed);
  return session_->recording();
}

/// Flight recorder: the oldest eighth makes room. The tail moves before the slots are written again, so that a reader
/// that finds the tail unchanged after its copy has a whole copy.
void Channel::overwrite(std::uint64_t count) noexcept {
  const std::uint64_t step = std::max(count, ring_.capacity() / 8);
  ring_.overrun(ring_.head() + step - ring_.capacity());
}

void Channel::lose(const Record& record, const Record* more) noexcept {
  if (!session_) return;
  if (session_->state() != RecordingState::stopped) {
    if (!session_->recording()) emit_in_later_run(record, more);
    return;
  }
  if (unreported_++ == 0) first_unreported_.store(record.time, std::memory_order_relaxed);
  lost_.fetch_add(more ? 2 : 1, std::memory_order_relaxed);
  lost_kinds_[static_cast<unsigned>(record.kind) & 63].fetch_add(1, std::memory_order_relaxed);
}

/// The run of this channel is over. Its thread may be the first to notice that another one has begun.
void Channel::emit_in_later_run(const Record& record, const Record* more) noexcept {
  if (detail::channel == this) detail::set_channel(nullptr);
  Channel* const later = this_channel();
  if (later == nullptr || later == this) return;
  more ? later->emit(record, *more) : later->emit(record);
}

void Channel::record_losses(Ticks time) noexcept {
  Record lost{};
  lost.kind = RecordKind::lost;
  lost.time = time;
  lost.b = unreported_;
  lost.c = first_unreported_.load(std::memory_order_relaxed);
  unreported_ = 0;
  ring_.put(lost);
}

}  // namespace tracer
