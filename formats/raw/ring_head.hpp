// SPDX-License-Identifier: BSD-3-Clause
// The page in front of a ring's slots, as another process than the ring's reads it.
#pragma once

#include <cstdint>

#include "formats/raw/layout.hpp"
#include "tracer/ids.hpp"
#include "tracer/record.hpp"
#include "tracer/time.hpp"

namespace tracer::raw {

struct RingHead {
  std::uint64_t at = 0;                      ///< of the page, in the file
  std::uint64_t reserved = 0, capacity = 0;  ///< records
  ChannelId channel = no_channel;
  std::uint32_t os_thread_id = 0;
  Ticks begin = 0;
  std::uint64_t since = 0;  ///< positions before it are elsewhere, or gone
  std::uint64_t head = 0, tail = 0;

  /// Of slot 0 in the file.
  std::uint64_t slots() const noexcept { return at + spool_page; }
  /// Of the next ring's page.
  std::uint64_t next() const noexcept { return slots() + reserved * sizeof(Record); }
  bool has_channel() const noexcept { return channel != no_channel; }
  /// It has a channel, and each position a slot of this ring.
  bool is_credible() const noexcept;
};

/// False at the end of the rings.
bool read_ring_head(int fd, std::uint64_t at, RingHead& head) noexcept;

}  // namespace tracer::raw
