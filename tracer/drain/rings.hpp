// SPDX-License-Identifier: BSD-3-Clause
// From the rings to the raw trace: the consumer's side of a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/raw/segment_encoder.hpp"
#include "tracer/record.hpp"
#include "tracer/session/session.hpp"

namespace tracer {

/// One caller at a time.
class Rings {
 public:
  explicit Rings(Session& session) noexcept : session_(session) {}

  /// Takes the memory that emptying needs: later there may be none. Of use, not needed, before empty().
  void prepare() noexcept { encoder_.prepare(); }
  /// Writes what the channels have published that requested it, or all. Returns the number of records.
  std::size_t empty(bool everything) noexcept;
  /// The channel's own thread, whatever others do. True: its ring was emptied.
  static bool empty_own(Session& session, Channel& channel) noexcept;

 private:
  std::size_t empty(Channel& channel, bool everything) noexcept;
  bool take(Channel& channel, bool everything) noexcept;
  void write_newest(Channel& channel) noexcept;
  template <class Source>
  void write_newest(Channel& channel, const Source& source, std::uint64_t from, std::uint64_t head) noexcept;

  Session& session_;
  raw::SegmentEncoder encoder_;
  std::vector<Record> copy_;  ///< of a flight recorder's ring
};

}  // namespace tracer
