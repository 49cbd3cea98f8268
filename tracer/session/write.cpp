// SPDX-License-Identifier: BSD-3-Clause
// What a session writes into its raw trace while it records.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/log.hpp"
#include "tracer/base/text.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/session/session_shared.hpp"
#include "tracer/undisturbed.hpp"

namespace tracer {

/// How much was lost for the reason `counter`, one of loss_counters::of_a_session.
std::atomic<std::uint64_t>& Session::loss(std::string_view counter) noexcept {
  const auto* const found = std::ranges::find(loss_counters::of_a_session, counter);
  return shared_->losses[static_cast<std::size_t>(found - loss_counters::of_a_session)];
}

/// At once: a run that is killed shall not seem to have lost nothing. And at the end again: now there may be no room.
/// How many with this one.
std::uint64_t Session::note_loss(std::string_view counter) noexcept {
  const std::uint64_t count = ++loss(counter);
  write_loss(counter);
  return count;
}

void Session::write_loss(std::string_view counter) noexcept {
  if (const std::uint64_t count = loss(counter); count > 0) write_counter(counter, count);
}

void Session::write_counter(std::string_view counter, std::uint64_t value) noexcept {
  try {
    shared_->journal.counter(counter, value);
  } catch (...) {  // no memory for a name that is long
  }
}

void Session::count(std::string_view name, std::uint64_t amount) noexcept {
  const Undisturbed undisturbed;
  try {
    const std::lock_guard lock(shared_->counter_mutex);
    const auto known = shared_->counters.find(name);
    (known != shared_->counters.end() ? known->second : shared_->counters[std::string{name}]) += amount;
  } catch (...) {
    ++loss(loss_counters::counts);
  }
}

void Session::message(std::string_view line) noexcept {
  const Undisturbed undisturbed;
  log_warning(line);
  try {
    std::string named;
    try {
      named = with_names_of_descriptors(std::string{line});
    } catch (...) {  // no memory: as it is, for which the journal needs none where it is short
    }
    shared_->journal.message(named.empty() ? line : named);
  } catch (...) {
  }
}

void Session::message_of(std::initializer_list<std::string_view> parts) noexcept {
  char line[1024];
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.copy(line + size, sizeof line - size);
  message({line, size});
}

void Session::failed_to_write(int error) noexcept {
  if (error == 0) return;
  shared_->write_error = error;
  try {
    const std::string what = "recording stops: the trace in " + shared_->raw_directory.string() + " cannot be written";
    stop_recording(loss_counters::stopped_failed_write, system_message(what, error));
  } catch (...) {
    stop_recording(loss_counters::stopped_failed_write, "recording stops: the trace cannot be written");
  }
}

/// The caller has the lock of the trace.
bool Session::is_full() const noexcept {
  const std::uint64_t limit = shared_->config.size_limit;
  const std::uint64_t limited = shared_->trace.size() - shared_->copies_bytes;
  return limit != 0 && limited + shared_->samples_bytes.load(std::memory_order_relaxed) >= limit;
}

void Session::stop_at_limit() noexcept {
  stop_recording(loss_counters::stopped_size_limit, "recording stops: TRACER_SIZE_LIMIT is reached");
}

void Session::device_records(std::span<const DeviceRecord> records) noexcept {
  const KeepErrno keep;
  const Undisturbed undisturbed;
  int error = 0;
  bool no_room = false;
  try {
    const std::lock_guard lock(shared_->trace_mutex);
    if (state() == RecordingState::finished) return;
    no_room = is_full();
    if (!no_room) error = shared_->trace.append(records);
  } catch (...) {
    error = ENOMEM;
  }
  if (no_room) stop_at_limit();
  if (no_room || error != 0) count(loss_counters::device_records, records.size());
  failed_to_write(error);
}

void Session::note_samples(std::uint64_t bytes) noexcept {
  shared_->samples_bytes.store(bytes, std::memory_order_relaxed);
  if (shared_->config.size_limit == 0) return;
  bool no_room = false;
  try {
    const std::lock_guard lock(shared_->trace_mutex);
    no_room = recording() && is_full();
  } catch (...) {
  }
  if (no_room) stop_at_limit();
}

bool Session::write_segment(const raw::SegmentEncoder& segment) noexcept {
  int error = 0;
  bool no_room = false;
  try {
    const std::lock_guard lock(shared_->trace_mutex);
    if (state() == RecordingState::finished) return false;
    no_room = is_full();
    if (!no_room) error = shared_->trace.append(segment);
  } catch (...) {
    error = ENOMEM;
  }
  if (no_room) stop_at_limit();
  failed_to_write(error);
  return !no_room && error == 0;
}

bool Session::write_copy(const raw::SegmentEncoder& segment) noexcept {
  int error = 0;
  try {
    const std::lock_guard lock(shared_->trace_mutex);
    const std::uint64_t before = shared_->trace.size();
    error = shared_->trace.append(segment);
    shared_->copies_bytes += shared_->trace.size() - before;
  } catch (...) {
    error = ENOMEM;
  }
  if (error == 0)
    shared_->copy_has_failed = false;
  else
    failed_to_copy(error);
  return error == 0;
}

// What is not written stays in the ring, unless its thread has ended; there may be room at the next flush.
void Session::failed_to_copy(int error) noexcept {
  if (!recording()) return failed_to_write(error);
  count("flushes.not_written", 1);
  if (shared_->copy_has_failed.exchange(true)) return;
  try {
    message(
        system_message("the flight recorder cannot be written to " + shared_->raw_directory.string() + " now", error) +
        "; it goes on");
  } catch (...) {
  }
}

}  // namespace tracer
