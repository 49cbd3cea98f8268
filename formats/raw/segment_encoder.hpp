// SPDX-License-Identifier: BSD-3-Clause
// Makes the bytes of a segment of records. Whoever empties rings has one of its own, so that only the write itself is
// made by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/raw/encoder.hpp"
#include "formats/raw/layout.hpp"

namespace tracer::raw {

class SegmentEncoder {
 public:
  SegmentEncoder() = default;
  ~SegmentEncoder();
  SegmentEncoder(const SegmentEncoder&) = delete;
  SegmentEncoder& operator=(const SegmentEncoder&) = delete;

  /// Memory for the longest segment, of which only what is written is used. By mmap(): a thread of the program may call
  /// it. False: there is none.
  bool prepare() noexcept;

  /// Called for each part of the records just before they are read.
  using BeforeReading = void (*)(std::span<const Record>) noexcept;
  /// The records `first` and then `second`, at most most_segment_records together, which begin at `position` of their
  /// channel. Behind prepare().
  void encode(ChannelId channel, std::uint64_t position, std::span<const Record> first, std::span<const Record> second,
              BeforeReading before_reading = nullptr) noexcept;

  // The segment, until the next is encoded.
  const SegmentHeader& header() const noexcept { return header_; }  ///< without magic, sequence and check
  std::span<const std::byte> payload() const noexcept { return {bytes_, header_.payload_bytes}; }

 private:
  SegmentHeader header_{};
  std::byte* bytes_ = nullptr;
  Encoder* encoder_ = nullptr;  ///< in front of them: too large for the stack of a thread of the program
};

}  // namespace tracer::raw
