// SPDX-License-Identifier: BSD-3-Clause
// See rings.hpp.
#include "tracer/drain/rings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <span>
#include <vector>

#include "tracer/ring/ring.hpp"

namespace tracer {
namespace {

/// Up to where it came: less than `head` when the trace takes no more.
std::uint64_t move(Session& session, Channel& channel, std::uint64_t from, std::uint64_t head,
                   raw::SegmentEncoder& encoder, raw::SegmentEncoder::BeforeReading before_reading) noexcept {
  auto ring = channel.reader();
  while (from < head) {
    std::uint64_t to = std::min(head, from + raw::most_segment_records);
    if (to < head && ring.at(to).kind == RecordKind::more) --to;  // a pair stays together
    const auto part = ring.part(from, to);
    encoder.encode(channel.id(), from, part.first, part.second, before_reading);
    if (!session.write_segment(encoder)) break;
    ring.release(to);
    from = to;
    channel.made_room();
  }
  return from;
}

/// Of a flight recorder's, as a RingReader shows it; what is before `whole` may have been written over.
struct CopyOfRing {
  std::span<const Record> records;
  std::uint64_t begin, whole;

  const Record& at(std::uint64_t position) const noexcept { return records[position - begin]; }
  RingPart<Record> part(std::uint64_t from, std::uint64_t to) const noexcept {
    return {records.subspan(from - begin, to - from), {}};
  }
  std::uint64_t oldest_copied() const noexcept { return whole; }
};

}  // namespace

// A channel with a new request while it is being emptied is found in the next round: it is off the list before its ring
// is looked at. Where channels are few a request of one empties all: the next then waits less where processors are
// busy.
std::size_t Rings::empty(bool everything) noexcept {
  constexpr std::size_t few = 64;
  std::size_t records = 0;
  if (session_.state() == RecordingState::finished) return records;
  if (!encoder_.prepare()) {
    session_.failed_to_write(ENOMEM);
    return records;
  }
  for (Channel* listed = session_.take_listed(); listed;) {
    Channel& channel = *listed;
    listed = channel.leave_list();
    records += empty(channel, everything);
  }
  if (!everything && session_.channel_count() > few) return records;
  for (std::size_t i = 0; i < session_.channel_count(); ++i) records += empty(session_.channel(i), everything);
  return records;
}

/// The channel's own thread may be emptying it, which is as good; who wants everything waits for that, unless it is
/// that very thread, in a handler of a fault.
bool Rings::take(Channel& channel, bool everything) noexcept {
  constexpr timespec moment{0, 20'000};
  while (!channel.take_ring()) {
    if (!everything || detail::channel == &channel) return false;
    ::nanosleep(&moment, nullptr);
  }
  return true;
}

std::size_t Rings::empty(Channel& channel, bool everything) noexcept {
  if (!channel.has_thread() || !take(channel, everything)) return 0;
  const bool closed = channel.is_closed();
  std::size_t records = 0;
  bool is_empty = true;
  if (channel.keeps_newest()) {
    if (closed || everything) write_newest(channel);
  } else {
    const std::uint64_t begin = channel.reader().begin(), head = channel.reader().end();
    const std::uint64_t written = move(session_, channel, begin, head, encoder_, claim<Record>);
    records = written - begin;
    is_empty = written == head;
  }
  channel.give_ring_back();
  if (closed && is_empty) session_.recycle(channel);
  return records;
}

// A thread that came to look before recording ended is waited for, or finds here that it has ended: what is in the
// trace does not grow behind the last look at the rings.
bool Rings::empty_own(Session& session, Channel& channel) noexcept {
  if (!channel.encoder().prepare() || !channel.take_ring()) return false;
  const std::uint64_t begin = channel.reader().begin(), head = channel.reader().end();
  const bool is_empty = session.recording() && move(session, channel, begin, head, channel.encoder(), nullptr) == head;
  channel.give_ring_back();
  return is_empty;
}

// A ring whose producer goes on is copied first, since that takes less time than encoding: what the tail has passed
// meanwhile is dropped from the copy. At the end of a thread or of the run nothing is copied: there may be no memory.
void Rings::write_newest(Channel& channel) noexcept {
  const bool goes_on = session_.recording() && !channel.is_closed();
  const auto ring = channel.reader();
  const std::uint64_t head = ring.end(), from = std::max(ring.oldest(), channel.written());
  if (from >= head) return;
  if (!goes_on) return write_newest(channel, ring, from, head);
  try {
    const auto part = ring.part(from, head);
    copy_.reserve(part.size());
    copy_.assign(part.first.begin(), part.first.end());
    copy_.insert(copy_.end(), part.second.begin(), part.second.end());
  } catch (...) {
    return session_.failed_to_copy(ENOMEM);
  }
  write_newest(channel, CopyOfRing{copy_, from, ring.oldest_copied()}, from, head);
  std::vector<Record>().swap(copy_);
}

/// The records of `source` from `from` up to `head`. A producer that found the run recording may still put one into a
/// ring: what it writes over is dropped.
template <class Source>
void Rings::write_newest(Channel& channel, const Source& source, std::uint64_t from, std::uint64_t head) noexcept {
  for (;;) {
    from = std::max(from, source.oldest_copied());
    while (from < head && source.at(from).kind == RecordKind::more) ++from;
    if (from >= head) return channel.set_written(head, head);
    std::uint64_t to = std::min(head, from + raw::most_segment_records);
    if (to < head && source.at(to).kind == RecordKind::more) --to;
    const auto part = source.part(from, to);
    encoder_.encode(channel.id(), from, part.first, part.second);
    if (source.oldest_copied() > from) continue;
    if (!session_.write_copy(encoder_)) return;
    channel.set_written(from, to);
    from = to;
  }
}

}  // namespace tracer
