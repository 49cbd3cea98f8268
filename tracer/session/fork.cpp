// SPDX-License-Identifier: BSD-3-Clause
// What a forked child does with its parent's session: leave it alone, and make its own when it uses OpenMP.
#include "tracer/session/fork.hpp"

#include <pthread.h>
#include <unistd.h>
#include <algorithm>
#include <new>

#include "tracer/base/log.hpp"
#include "tracer/session/session_shared.hpp"

namespace tracer {
namespace {

constexpr std::uint64_t first_records = 4;

/// The child's only thread touches these until it makes a session.
constinit Session* inherited = nullptr;
constinit std::atomic<bool> undecided{false};
constinit std::mutex decision;  ///< one thread makes the session, the others wait for it
constinit bool first_channel_taken = false;
constinit std::uint64_t inherited_counter = 0;
alignas(64) constinit unsigned char first_memory[sizeof(Channel)]{};
Record first_slots[first_records];
constinit std::atomic<std::uint64_t> first_head{0}, first_tail{0};

}  // namespace

// fork() in a process with a drainer, in steps:
//   1. before: the consumer is held (nobody writes the trace), then journal, spool, modules and free list.
//   2. parent: all let go; it never knows.
//   3. child: only the forking thread exists. The locks are let go by the thread that took them; the parent's session
//      is forgotten but not destroyed; its descriptors are closed; its rings stay mapped and are not written again.
void Forks::before() noexcept {
  decision.lock();
  Session* session = Session::current();
  if (!session) return;
  auto& shared = *session->shared_;
  shared.consumer->hold();
  shared.free_mutex.lock();
  shared.counter_mutex.lock();
  shared.modules.mutex().lock();
  shared.spool.mutex().lock();
  shared.trace_mutex.lock();
  shared.journal.mutex().lock();
}

void Forks::in_parent() noexcept {
  decision.unlock();
  Session* session = Session::current();
  if (!session) return;
  auto& shared = *session->shared_;
  shared.journal.mutex().unlock();
  shared.trace_mutex.unlock();
  shared.spool.mutex().unlock();
  shared.modules.mutex().unlock();
  shared.counter_mutex.unlock();
  shared.free_mutex.unlock();
  shared.consumer->release();
}

void Forks::in_child() noexcept {
  const KeepErrno keep;
  Session* session = Session::current();
  in_parent();
  if (!session) return;
  const RecordingState state = session->state();
  session->shared_->journal.close();
  session->shared_->trace.close();
  session->state_.store(RecordingState::finished);
  Session::current_.store(nullptr);
  inherited = session;
  undecided = state == RecordingState::recording;
  first_channel_taken = false;
  // Ids that live on (the initial task's) are small; those of a long past need not be avoided.
  constexpr std::uint64_t most_inherited = 1024;
  inherited_counter = detail::channel ? std::min(detail::channel->counter_, most_inherited) : 0;
  detail::set_channel(nullptr);
}

bool Forks::is_undecided() noexcept {
  return undecided;
}

Channel* Forks::first_channel() noexcept {
  if (first_channel_taken) return nullptr;
  first_channel_taken = true;
  auto* channel = new (first_memory) Channel;
  first_head.store(0);
  first_tail.store(0);
  channel->counter_ = inherited_counter;
  channel->ring_.attach(first_slots, first_records, first_head, first_tail);
  channel->ring_.allow(first_records);
  return channel;
}

Session* Forks::make_session() noexcept {
  const std::lock_guard lock(decision);
  if (!undecided.load()) return Session::current();
  Session* session = nullptr;
  try {
    const auto& shared = *inherited->shared_;
    Config config = shared.config;
    config.complaints.clear();
    session = Session::start(shared.run, config, shared.make_consumer);
    if (session) {
      if (first_channel_taken) session->shared_->next_id.store(1);  // 0 is in that thread's ids
      session->shared_->next_string.store(shared.next_string.load());
      session->journal().repeat(shared.journal.kept());
    }
  } catch (...) {
    log_error("a forked child is not traced: no memory");
  }
  undecided.store(false);
  return session;
}

void Forks::emit_first(Channel& from, const Record& record, const Record* more) noexcept {
  const std::uint64_t held = from.ring_.head();
  const std::uint64_t counter = from.counter_;
  detail::set_channel(nullptr);
  make_session();
  Channel* to = detail::make_channel(0);
  if (!to) return;
  to->counter_ = counter;
  to->thread_type_.store(from.thread_type_.load());
  for (std::uint64_t i = 0; i < held; ++i) to->emit(first_slots[i]);
  more ? to->emit(record, *more) : to->emit(record);
}

void Forks::settle() noexcept {
  if (!first_channel_taken || detail::channel == nullptr || detail::channel->session_ != nullptr) return;
  const std::uint64_t held = detail::channel->ring_.head();
  const auto is_spoken = [](const Record& r) { return r.kind >= RecordKind::range_push; };
  if (!std::any_of(first_slots, first_slots + std::min(held, first_records), is_spoken)) return;
  detail::set_channel(nullptr);
  make_session();
  Channel* to = detail::make_channel(0);
  for (std::uint64_t i = 0; to != nullptr && i < held; ++i) to->emit(first_slots[i]);
}

void Session::prepare_for_forks() noexcept {
  static const int registered = ::pthread_atfork(Forks::before, Forks::in_parent, Forks::in_child);
  static_cast<void>(registered);
}

}  // namespace tracer
