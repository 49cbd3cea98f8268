// SPDX-License-Identifier: BSD-3-Clause
// See table_thread.hpp. What a table looks up in the source it must find as it is at that event: there the reader's
// thread waits for the other one, and passes the events on itself.
#include "tracer/index/table_thread.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "tracer/base/processors.hpp"
#include "tracer/signals_blocked.hpp"

namespace tracer::index {

TableThread::TableThread(const TableBuilders& tables, unsigned threads) : tables_{tables} {
  if (!tables_.empty() && (threads != 0 ? threads : usable_processors()) > 1) start();
}

/// Signals are for the caller's thread.
void TableThread::start() {
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread{[this] { work(); }};
    is_threaded_ = true;
  } catch (const std::system_error&) {
  }
}

TableThread::~TableThread() {
  if (!is_threaded_) return;
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void TableThread::work() {
  std::unique_lock lock{mutex_};
  while (true) {
    changed_.wait(lock, [this] { return is_busy_ || is_over_; });
    if (is_over_) return;
    lock.unlock();
    std::exception_ptr failure;
    try {
      pass_on(piece_);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    is_busy_ = false;
    changed_.notify_all();
  }
}

void TableThread::pass_on(const Piece& piece) {
  std::span<const Event> events = piece.events;
  std::span<const EventAttribute> attributes = piece.attributes;
  for (const Run& run : piece.runs) {
    for (const auto& table : tables_)
      table->events(run.location, events.first(run.events), attributes.first(run.attributes));
    events = events.subspan(run.events);
    attributes = attributes.subspan(run.attributes);
  }
}

void TableThread::hand_over(bool until_done) {
  if (!is_threaded_) return;
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return !is_busy_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (filled_.runs.empty()) return;
  std::swap(filled_, piece_);
  filled_.runs.clear();
  filled_.events.clear();
  filled_.attributes.clear();
  is_busy_ = true;
  changed_.notify_all();
  if (!until_done) return;
  changed_.wait(lock, [this] { return !is_busy_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void TableThread::events(LocationRef location, std::span<const Event> events,
                         std::span<const EventAttribute> attributes) {
  bool is_due = !is_threaded_;
  if (given_ >= due_) {
    hand_over(true);
    due_ = ~std::uint64_t{0};
    for (const auto& table : tables_) due_ = std::min(due_, table->due());
    if (given_ >= due_) {
      is_due = true;
      due_ = given_ + 1;
    }
  }
  given_ += events.size();
  if (is_due) {
    for (const auto& table : tables_) table->events(location, events, attributes);
    return;
  }
  filled_.runs.push_back({location, events.size(), attributes.size()});
  filled_.events.insert(filled_.events.end(), events.begin(), events.end());
  filled_.attributes.insert(filled_.attributes.end(), attributes.begin(), attributes.end());
  if (filled_.events.size() >= piece_events) hand_over(false);
}

}  // namespace tracer::index
