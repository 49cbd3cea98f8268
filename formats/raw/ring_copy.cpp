// SPDX-License-Identifier: BSD-3-Clause
// See ring_copy.hpp.
#include "formats/raw/ring_copy.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/raw/ring_head.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/write_signals.hpp"
#include "tracer/error.hpp"
#include "tracer/record.hpp"

namespace tracer::raw {
namespace {

/// From one file to the same offsets of another. What was never written stays so.
class OffsetCopy {
 public:
  OffsetCopy(int from, int to) : from_(from), to_(to), buffer_(std::size_t{1} << 20) {}

  void copy(std::uint64_t offset, std::uint64_t bytes) {
    for (const std::uint64_t end = offset + bytes; (offset = data_from(from_, offset, end)) < end;) {
      const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), end - offset));
      if (!read_at(from_, buffer_.data(), size, offset)) throw Error("the rings cannot be read");
      if (::lseek(to_, static_cast<off_t>(offset), SEEK_SET) < 0 ||
          !write_whole(to_, std::string_view{buffer_.data(), size}))
        throw Error(system_message("cannot copy the rings", errno));
      offset += size;
    }
  }

 private:
  int from_, to_;
  std::vector<char> buffer_;
};

/// Of the ring's state: what it has published and not released.
LeftRing published(const RingHead& ring) noexcept {
  const std::uint64_t oldest = ring.head - std::min(ring.head, ring.capacity);
  const std::uint64_t from = std::clamp(ring.tail, oldest, ring.head);
  return {ring.channel, ring.os_thread_id, ring.begin, ring.slots(), ring.capacity, from, ring.head};
}

void copy_slots(const LeftRing& ring, OffsetCopy& to) {
  for (std::uint64_t position = ring.from; position < ring.to;) {
    const std::uint64_t slot = position & (ring.capacity - 1);
    const std::uint64_t count = std::min(ring.to - position, ring.capacity - slot);
    to.copy(ring.offset + slot * sizeof(Record), count * sizeof(Record));
    position += count;
  }
}

}  // namespace

// A slot is written again only after the tail has passed it, and the number of slots changes only when the tail has
// passed all: what the tail has not passed by the end of the copy is whole.
void copy_rings(SpoolFile& spool, const std::filesystem::path& directory) {
  const WithoutWriteSignals guard;
  UniqueFd file = make_file_without_name(directory.c_str(), "tracer-rings");
  if (!file) throw Error(system_message("cannot copy the rings", errno));
  const int fd = spool.fd.get();
  OffsetCopy copy{fd, file.get()};
  std::vector<LeftRing> rings;
  RingHead before, after;
  for (std::uint64_t at = spool_page; read_ring_head(fd, at, before); at = before.next()) {
    if (!before.is_credible()) continue;
    LeftRing ring = published(before);
    copy_slots(ring, copy);
    const bool is_same =
        read_ring_head(fd, at, after) && after.channel == before.channel && after.capacity == before.capacity;
    ring.from = is_same ? std::clamp(after.tail, ring.from, ring.to) : ring.to;
    rings.push_back(ring);
  }
  spool.fd = std::move(file);
  spool.rings = std::move(rings);
}

}  // namespace tracer::raw
