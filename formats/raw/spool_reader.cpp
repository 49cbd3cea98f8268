// SPDX-License-Identifier: BSD-3-Clause
// Looks into the rings that a dead process left.
#include "formats/raw/spool_reader.hpp"

#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "formats/raw/segment_index.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/error.hpp"

namespace tracer::raw {
namespace {

constexpr std::uint64_t record_bytes = 32;
constexpr std::uint64_t most_capacity = (std::uint64_t{1} << 30) / record_bytes;

/// The header as plain numbers: the process that wrote it is dead.
struct PlainSlot {
  std::uint32_t magic, flags;
  std::uint64_t reserved, capacity;
  std::uint32_t channel, thread;
  Ticks begin;
  std::uint64_t head, tail;
};

PlainSlot plain(const std::vector<char>& page) {
  const char* at = page.data();
  PlainSlot slot{};
  const auto get = [&](auto& value, std::size_t offset) { std::memcpy(&value, at + offset, sizeof value); };
  get(slot.magic, offsetof(SlotHeader, magic));
  get(slot.flags, offsetof(SlotHeader, flags));
  get(slot.reserved, offsetof(SlotHeader, reserved_capacity));
  get(slot.capacity, offsetof(SlotHeader, capacity));
  get(slot.channel, offsetof(SlotHeader, channel));
  get(slot.thread, offsetof(SlotHeader, process_thread));
  get(slot.begin, offsetof(SlotHeader, begin));
  get(slot.head, offsetof(SlotHeader, head));
  get(slot.tail, offsetof(SlotHeader, tail));
  return slot;
}

bool is_credible_ring(const PlainSlot& slot) {
  return slot.channel < most_channels && std::has_single_bit(slot.capacity) && slot.capacity <= slot.reserved &&
         slot.head >= slot.tail && slot.head - slot.tail <= slot.capacity;
}

void add_ring(const PlainSlot& slot, std::uint64_t offset, SpoolFile& spool) {
  if (slot.channel == no_channel) return;
  if (!is_credible_ring(slot)) {
    ++spool.skipped;
    return;
  }
  spool.rings.push_back({slot.channel, slot.thread, slot.begin, offset, slot.capacity, slot.tail, slot.head});
}

}  // namespace

SpoolFile open_spool(const std::filesystem::path& directory) {
  const auto path = directory / "rings";
  SpoolFile spool;
  RegularFile file = open_to_read(path, Links::refuse);
  if (file.owner != ::geteuid()) throw Error("the rings in " + directory.string() + " are not a file of yours");
  spool.fd = std::move(file.fd);
  SpoolHeader header{};
  if (!read_at(spool.fd.get(), &header, sizeof header, 0) ||
      std::memcmp(header.magic, spool_magic, sizeof header.magic) != 0 || header.version != format_version) {
    throw Error("the rings in " + directory.string() + " are damaged or of another version");
  }
  spool.process_id = header.process_id;
  spool.run = header.run;
  spool.locked = header.locked == 1;
  const std::uint64_t size = file.size;
  std::vector<char> page(sizeof(SlotHeader));
  for (std::uint64_t at = spool_page; at + spool_page <= size;) {
    if (!read_at(spool.fd.get(), page.data(), page.size(), at)) break;
    const PlainSlot slot = plain(page);
    if (slot.magic != slot_magic || slot.reserved == 0 || slot.reserved > most_capacity) break;
    add_ring(slot, at + spool_page, spool);
    at += spool_page + slot.reserved * record_bytes;
  }
  return spool;
}

}  // namespace tracer::raw
