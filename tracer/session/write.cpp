// SPDX-License-Identifier: BSD-3-Clause
// From the rings to the raw trace: the consumer's side of a session.
#include <algorithm>
#include <cerrno>

#include "tracer/base/file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/ring/ring.hpp"
#include "tracer/session/session_shared.hpp"

namespace tracer {

void Session::failed_to_write(int error) noexcept {
  if (error == 0) return;
  shared_->write_error = error;
  try {
    stop_recording(system_message(
        "recording stops: the trace in " + shared_->raw_directory.string() + " cannot be written", error));
  } catch (...) {
    stop_recording("recording stops: the trace cannot be written");
  }
}

void Session::device_records(std::span<const DeviceRecord> records) noexcept {
  const KeepErrno keep;
  int error = 0;
  try {
    const std::lock_guard lock(shared_->trace_mutex);
    if (state() == RecordingState::finished) return;
    error = shared_->trace.append(records);
  } catch (...) {
    error = ENOMEM;
  }
  failed_to_write(error);
}

RingReader<std::uint64_t, Record> Session::reader_of(Channel& channel) noexcept {
  auto& header = *channel.slot_.header;
  return {channel.slot_.records, header.capacity, header.head, header.tail};
}

/// One segment. False when the trace takes no more.
bool Session::append(Channel& channel, std::uint64_t from, std::uint64_t to) noexcept {
  const auto part = reader_of(channel).part(from, to);
  int error = 0;
  bool is_full = false;
  try {
    const std::lock_guard lock(shared_->trace_mutex);
    const std::uint64_t limit = shared_->config.size_limit;
    is_full = limit != 0 && shared_->trace.size() >= limit;
    if (!is_full) error = shared_->trace.append(channel.id_, from, part.first, part.second, claim<Record>);
  } catch (...) {
    error = ENOMEM;
  }
  if (is_full) stop_recording("recording stops: TRACER_SIZE_LIMIT is reached");
  failed_to_write(error);
  return !is_full && error == 0;
}

// A channel that asks again while it is being drained is found in the next round: it is off the list before its ring
// is looked at. Where channels are few all are emptied when one asks: the next then waits less where processors are
// busy.
std::size_t Session::drain(bool everything) noexcept {
  constexpr std::size_t few = 64;
  std::size_t records = 0;
  if (state() == RecordingState::finished) return records;
  for (Channel* listed = shared_->to_drain.exchange(nullptr); listed;) {
    Channel& channel = *listed;
    listed = channel.next_to_drain_;
    channel.is_listed_.exchange(false);  // sees what was done before it was set
    records += drain(channel, everything);
  }
  if (!everything && channel_count() > few) return records;
  for (std::size_t i = 0; i < channel_count(); ++i) records += drain(channel(i), everything);
  return records;
}

std::size_t Session::drain(Channel& channel, bool everything) noexcept {
  auto* header = channel.slot_.header;
  if (header->channel.load(std::memory_order_acquire) == raw::no_channel) return 0;
  const bool closed = channel.closed_.load(std::memory_order_acquire);
  if (header->flags != 0 && !closed && !everything) return 0;
  auto ring = reader_of(channel);
  const std::uint64_t begin = ring.begin(), head = ring.end();
  if (header->flags != 0) {
    drain_newest(channel);
    if (closed) recycle(channel);
    return 0;
  }
  std::uint64_t from = begin;
  while (from < head) {
    std::uint64_t to = std::min(head, from + raw::most_segment_records);
    if (to < head && ring.at(to).kind == RecordKind::more) --to;  // a pair stays together
    if (!append(channel, from, to)) return from - begin;
    ring.release(to);
    from = to;
    // A producer announces that it waits, then looks at the tail; here the tail is written, then the announcement read.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (channel.waiting_.load(std::memory_order_relaxed) != 0) {
      channel.room_.fetch_add(1, std::memory_order_release);
      futex_wake_all(channel.room_);
    }
  }
  if (closed) recycle(channel);
  return from - begin;
}

/// A flight recorder's ring is copied while its producer may be overwriting it: what the tail has passed meanwhile is
/// dropped from the copy.
void Session::drain_newest(Channel& channel) noexcept {
  try {
    const auto ring = reader_of(channel);
    const std::uint64_t head = ring.end(), from = std::max(ring.oldest(), channel.written_);
    if (from >= head) return;
    const auto part = ring.part(from, head);
    auto& copy = shared_->scratch;
    copy.assign(part.first.begin(), part.first.end());
    copy.insert(copy.end(), part.second.begin(), part.second.end());
    std::uint64_t begin = std::max(from, ring.oldest_copied());
    while (begin < head && copy[begin - from].kind == RecordKind::more) ++begin;
    while (begin < head) {
      std::uint64_t to = std::min(head, begin + raw::most_segment_records);
      if (to < head && copy[to - from].kind == RecordKind::more) --to;
      const std::span<const Record> records(copy.data() + (begin - from), to - begin);
      int error = 0;
      {
        const std::lock_guard lock(shared_->trace_mutex);
        error = shared_->trace.append(channel.id_, begin, records, {});
      }
      if (error) return failed_to_write(error);
      begin = to;
    }
    channel.written_ = head;
    shared_->scratch.clear();
    shared_->scratch.shrink_to_fit();
  } catch (...) {
    failed_to_write(ENOMEM);
  }
}

}  // namespace tracer
