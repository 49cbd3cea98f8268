// SPDX-License-Identifier: BSD-3-Clause
// See live_rings.hpp.
#include "formats/raw/live_rings.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "formats/raw/segment_index.hpp"
#include "tracer/base/files/file.hpp"

namespace tracer::raw {
namespace {

constexpr std::uint64_t most_capacity = (std::uint64_t{1} << 30) / sizeof(Record);

template <class T>
T field(const char* page, std::size_t offset) {
  T value;
  std::memcpy(&value, page + offset, sizeof value);
  return value;
}

}  // namespace

LiveRings::LiveRings(const std::filesystem::path& spool) : file_{open_spool(spool)} {}

bool LiveRings::read_head(std::uint64_t at, Head& head) const {
  char page[sizeof(SlotHeader)];
  if (!read_at(file_.fd.get(), page, sizeof page, at)) return false;
  const auto reserved = field<std::uint64_t>(page, offsetof(SlotHeader, reserved_capacity));
  if (field<std::uint32_t>(page, offsetof(SlotHeader, magic)) != slot_magic || reserved == 0 ||
      reserved > most_capacity)
    return false;
  head.at = at;
  head.next = at + spool_page + reserved * sizeof(Record);
  head.capacity = field<std::uint64_t>(page, offsetof(SlotHeader, capacity));
  head.channel = field<std::uint32_t>(page, offsetof(SlotHeader, channel));
  head.os_thread_id = field<std::uint32_t>(page, offsetof(SlotHeader, process_thread));
  head.begin = field<Ticks>(page, offsetof(SlotHeader, begin));
  head.head = field<std::uint64_t>(page, offsetof(SlotHeader, head));
  head.tail = field<std::uint64_t>(page, offsetof(SlotHeader, tail));
  head.used = head.channel != no_channel && std::has_single_bit(head.capacity) && head.capacity <= reserved;
  return true;
}

/// What the consumer has taken still lies there until the producer comes round. The producer writes position p when
/// the head it publishes is p, and over the slot of p - capacity: what is that old by then is not believed.
void LiveRings::read_records(std::uint64_t slots, const Head& head, std::size_t most, std::uint64_t from,
                             RingView& view) const {
  const std::uint64_t kept = std::min<std::uint64_t>({head.head, head.capacity - 1, most});
  view.first = std::max(head.head - kept, std::min(from, head.head));
  const std::uint64_t count = head.head - view.first;
  view.records.resize(count);
  const std::uint64_t begin = view.first & (head.capacity - 1);
  const std::uint64_t until_end = std::min(count, head.capacity - begin);
  const int fd = file_.fd.get();
  const bool good =
      count == 0 || (read_at(fd, view.records.data(), until_end * sizeof(Record), slots + begin * sizeof(Record)) &&
                     (until_end == count ||
                      read_at(fd, view.records.data() + until_end, (count - until_end) * sizeof(Record), slots)));
  Head now;
  if (!good || !read_head(head.at, now) || now.channel != head.channel || now.capacity != head.capacity) {
    view.records.clear();
    view.first = head.head;
    return;
  }
  const std::uint64_t oldest = now.head + 2 > head.capacity ? now.head + 2 - head.capacity : 0;
  const std::uint64_t gone = std::min<std::uint64_t>(oldest > view.first ? oldest - view.first : 0, count);
  view.records.erase(view.records.begin(), view.records.begin() + static_cast<std::ptrdiff_t>(gone));
  view.first += gone;
}

}  // namespace tracer::raw
