// SPDX-License-Identifier: BSD-3-Clause
// What a forked child does with its parent's session: leave it alone, and make its own when it uses OpenMP.
#include "tracer/session/fork.hpp"

#include <pthread.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <new>

#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/loader_gate.hpp"
#include "tracer/base/log.hpp"
#include "tracer/session/session_shared.hpp"

namespace tracer {
namespace {

constexpr std::uint64_t first_records = 4;

/// The child's only thread touches these until it makes a session, or another thread.
constinit Session* inherited = nullptr;
constinit std::atomic<bool> undecided{false};
constinit std::mutex decision;  ///< one thread makes the session, the others wait for it
constinit ForkLock fork_lock{decision};
constinit std::atomic<bool> first_channel_taken{false};  ///< by whichever of its threads records first
constinit std::uint64_t inherited_counter = 0;
alignas(64) constinit unsigned char first_memory[sizeof(Channel)]{};
Record first_slots[first_records];
constinit std::atomic<std::uint64_t> first_head{0}, first_tail{0};

/// What runtimes record of a child that does not use them, and a few words of a child that goes on with another
/// program.
bool may_be_all(RecordKind kind) noexcept {
  return kind == RecordKind::thread_begin || kind == RecordKind::initial_task || kind == RecordKind::thread_end ||
         (kind >= RecordKind::range_push && kind <= RecordKind::range_counter);
}

}  // namespace

// fork() in a process with a drainer, in steps:
//   1. before: the consumer is held (nobody writes the trace), then free list, modules, spool and journal; then nobody
//      looks at the loader.
//   2. parent: all are released; it does not notice.
//   3. child: only the forking thread exists. The locks are let go by the thread that took them; the parent's session
//      is forgotten but not destroyed; its descriptors are closed; its rings stay mapped and are not written again.
void Session::hold() noexcept {
  shared_->consumer->hold();
  shared_->free_mutex.lock();
  shared_->counter_mutex.lock();
  shared_->modules.mutex().lock();
  shared_->spool.mutex().lock();
  shared_->trace_mutex.lock();
  shared_->journal.mutex().lock();
}

void Session::resume() noexcept {
  shared_->journal.mutex().unlock();
  shared_->trace_mutex.unlock();
  shared_->spool.mutex().unlock();
  shared_->modules.mutex().unlock();
  shared_->counter_mutex.unlock();
  shared_->free_mutex.unlock();
  shared_->consumer->release();
}

RecordingState Session::forget() noexcept {
  const RecordingState before = state();
  shared_->journal.close();
  shared_->trace.close();
  shared_->spool.leave_to_parent();
  shared_->consumer->leave_to_parent();
  shared_->place = OwnDirectory{};
  state_.store(RecordingState::finished);
  current_.store(nullptr);
  return before;
}

Session* Session::start_again(bool has_first_thread) const noexcept {
  try {
    Config config = shared_->config;
    config.complaints.clear();
    Session* const session = start(shared_->run, config, shared_->make_consumer);
    if (!session) return nullptr;
    if (has_first_thread) session->shared_->next_id.store(1);
    session->shared_->next_string.store(shared_->next_string.load());
    session->journal().repeat(shared_->journal.kept());
    if (auto* job = begun_in_child_.load(std::memory_order_acquire)) job(*session);
    return session;
  } catch (...) {
    log_error("forked child not traced: out of memory");
    return nullptr;
  }
}

void Forks::before() noexcept {
  fork_lock.take();
  if (Session* session = Session::current()) session->hold();
  LoaderGate::hold();  // who may not look waits for the modules
  hold_log();
}

void Forks::in_parent() noexcept {
  release_log();
  LoaderGate::resume();
  if (Session* session = Session::current()) session->resume();
  fork_lock.give_back();
}

void Forks::in_child() noexcept {
  const KeepErrno keep;
  release_log();
  LoaderGate::resume_in_child();
  if (Session* session = Session::current()) leave_to_parent(*session);
  if (undecided) leave_first_records();
  fork_lock.give_back();
}

/// What stops a parent (a limit, a full ring, a failed write) is its own trace's: the child begins one.
void Forks::leave_to_parent(Session& session) noexcept {
  session.resume();
  inherited = &session;
  const RecordingState before = session.forget();
  undecided = before == RecordingState::recording || before == RecordingState::stopped;
  if (!undecided) detail::set_channel(nullptr);
}

/// The parent's: it may be such a child itself, of which a runtime has recorded something.
void Forks::leave_first_records() noexcept {
  // Ids that live on (the initial task's) are small; those of a long past need not be avoided.
  constexpr std::uint64_t most_inherited = 1024;
  if (detail::channel != nullptr) inherited_counter = std::min(detail::channel->counter(), most_inherited);
  first_channel_taken.store(false);
  detail::set_channel(nullptr);
}

bool Forks::is_undecided() noexcept {
  return undecided;
}

Channel* Forks::first_channel() noexcept {
  if (first_channel_taken.exchange(true)) return nullptr;
  first_head.store(0);
  first_tail.store(0);
  return new (first_memory) Channel(first_slots, first_head, first_tail, inherited_counter);
}

Session* Forks::make_session() noexcept {
  const std::lock_guard lock(decision);
  if (!undecided.load()) return Session::current();
  Session* const session = inherited->start_again(first_channel_taken.load());
  undecided.store(false);
  return session;
}

void Forks::leave_first_channel() noexcept {
  Channel* const from = detail::channel;
  if (from == nullptr || from->has_session()) return;
  const std::uint64_t held = std::min(first_head.load(), first_records);
  detail::set_channel(nullptr);
  make_session();
  Channel* const to = detail::make_channel(0);
  if (to == nullptr) return;
  to->continue_from(*from);
  for (std::uint64_t i = 0; i < held; ++i) to->emit(first_slots[i]);
}

void Forks::emit_first(const Record& record, const Record* more) noexcept {
  if (detail::channel != nullptr && !detail::channel->has_session() && more == nullptr && may_be_all(record.kind)) {
    if (const std::uint64_t held = first_head.load(); held < first_records) {
      first_slots[held] = record;
      return first_head.store(held + 1);
    }
  }
  leave_first_channel();
  Channel* const to = detail::channel;
  if (to == nullptr) return;
  more ? to->emit(record, *more) : to->emit(record);
}

void Forks::make_session_of_words() noexcept {
  if (!first_channel_taken.load()) return;
  const std::uint64_t held = std::min(first_head.load(), first_records);
  const auto is_spoken = [](const Record& r) { return r.kind >= RecordKind::range_push; };
  if (std::any_of(first_slots, first_slots + held, is_spoken)) leave_first_channel();
}

void Session::prepare_for_forks() noexcept {
  static const int registered = ::pthread_atfork(Forks::before, Forks::in_parent, Forks::in_child);
  static_cast<void>(registered);
}

}  // namespace tracer
