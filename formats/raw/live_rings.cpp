// SPDX-License-Identifier: BSD-3-Clause
// See live_rings.hpp.
#include "formats/raw/live_rings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tracer/base/files/file.hpp"

namespace tracer::raw {
namespace {

/// Records that a producer makes visible together: of one moment, in tracer/gomp/lane.hpp.
constexpr std::uint64_t most_at_once = 4;

}  // namespace

LiveRings::LiveRings(const std::filesystem::path& spool) : file_{open_spool(spool)} {}

/// What the consumer has taken still lies there until the producer comes round, or uses another number of slots. The
/// producer writes position p when the head it publishes is p, or a little less, and over the slot of p - capacity.
/// What is that old by then is not believed.
void LiveRings::read_records(const RingHead& head, std::size_t most, std::uint64_t from, RingView& view) const {
  const std::uint64_t kept = std::min<std::uint64_t>({head.head, head.capacity - 1, most});
  view.first = std::max(head.head - kept, std::min(std::max(from, head.since), head.head));
  const std::uint64_t count = head.head - view.first;
  view.records.resize(count);
  const std::uint64_t begin = view.first & (head.capacity - 1);
  const std::uint64_t until_end = std::min(count, head.capacity - begin);
  const int fd = file_.fd.get();
  const std::uint64_t slots = head.slots();
  const bool good =
      count == 0 || (read_at(fd, view.records.data(), until_end * sizeof(Record), slots + begin * sizeof(Record)) &&
                     (until_end == count ||
                      read_at(fd, view.records.data() + until_end, (count - until_end) * sizeof(Record), slots)));
  RingHead now;
  if (!good || !read_ring_head(fd, head.at, now) || now.channel != head.channel || now.capacity != head.capacity) {
    view.records.clear();
    view.first = head.head;
    return;
  }
  const std::uint64_t behind = now.head + most_at_once;
  const std::uint64_t oldest = std::max(now.since, behind - std::min(behind, head.capacity));
  const std::uint64_t gone = std::min<std::uint64_t>(oldest > view.first ? oldest - view.first : 0, count);
  view.records.erase(view.records.begin(), view.records.begin() + static_cast<std::ptrdiff_t>(gone));
  view.first += gone;
}

}  // namespace tracer::raw
