// SPDX-License-Identifier: BSD-3-Clause
// See ring_head.hpp.
#include "formats/raw/ring_head.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

#include "tracer/base/files/file.hpp"

namespace tracer::raw {
namespace {

constexpr std::uint64_t most_reserved_records = (std::uint64_t{1} << 30) / sizeof(Record);

}  // namespace

bool RingHead::is_credible() const noexcept {
  return channel < most_channels && std::has_single_bit(capacity) && capacity <= reserved;
}

bool read_ring_head(int fd, std::uint64_t at, RingHead& head) noexcept {
  char page[sizeof(SlotHeader)];
  if (!read_at(fd, page, sizeof page, at)) return false;
  const auto get = [&page](auto& value, std::size_t offset) { std::memcpy(&value, page + offset, sizeof value); };
  std::uint32_t magic = 0;
  get(magic, offsetof(SlotHeader, magic));
  get(head.reserved, offsetof(SlotHeader, reserved_capacity));
  if (magic != slot_magic || head.reserved == 0 || head.reserved > most_reserved_records) return false;
  head.at = at;
  get(head.capacity, offsetof(SlotHeader, capacity));
  get(head.channel, offsetof(SlotHeader, channel));
  get(head.os_thread_id, offsetof(SlotHeader, process_thread));
  get(head.begin, offsetof(SlotHeader, begin));
  get(head.since, offsetof(SlotHeader, since));
  get(head.head, offsetof(SlotHeader, head));
  get(head.tail, offsetof(SlotHeader, tail));
  return true;
}

}  // namespace tracer::raw
