// SPDX-License-Identifier: BSD-3-Clause
// See spool_reader.hpp.
#include "formats/raw/spool_reader.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "formats/raw/ring_head.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/error.hpp"

namespace tracer::raw {
namespace {

void add_ring(const RingHead& ring, SpoolFile& spool) {
  if (!ring.has_channel()) return;
  if (!ring.is_credible() || ring.head < ring.tail || ring.head - ring.tail > ring.capacity) {
    ++spool.skipped;
    return;
  }
  spool.rings.push_back(
      {ring.channel, ring.os_thread_id, ring.begin, ring.slots(), ring.capacity, ring.tail, ring.head});
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
  RingHead ring;
  for (std::uint64_t at = spool_page; at + spool_page <= file.size && read_ring_head(spool.fd.get(), at, ring);
       at = ring.next())
    add_ring(ring, spool);
  return spool;
}

}  // namespace tracer::raw
