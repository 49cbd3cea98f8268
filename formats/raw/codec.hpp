// SPDX-License-Identifier: BSD-3-Clause
// The compact form of records: what differs from the last record of the same kind and endpoint.
//
//   byte 0   kind | endpoint << 6
//   byte 1   bit 0 sub, 1 a, 2 b, 3 c differ from the prediction; bits 4-6 bytes of the time difference (7: eight)
//   time     that many bytes: to the record before; of `more`: to the last `more`, as a signed difference folded
//   sub a b c, those that differ: the difference as a signed number, folded (zigzag), in groups of seven bits
//
// The prediction starts from zeros in each segment, so that each is decoded alone. A record of a barrier
// takes 3 to 5 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tracer/record.hpp"
#include "tracer/repeats.hpp"

namespace tracer::raw {

/// What the encoder remembers.
struct Prediction {
  struct Fields {
    std::uint64_t sub_a = 0, b = 0, c = 0;  ///< sub below a, as they lie in a record's second word
  };
  std::array<Fields, 256> last{};
  Ticks time = 0;
  std::uint64_t more_time = 0;
};

/// Encodes `records` behind `out`, which has most_record_bytes for each. Returns the new end.
std::byte* encode(std::span<const Record> records, Prediction& prediction, std::byte* out) noexcept;

/// Decodes piece by piece, so that what is decoded stays in the cache until it is used.
class Decoder {
 public:
  Decoder() = default;
  /// `bytes` must outlive the decoder; `first` is the time of the first record.
  Decoder(std::span<const std::byte> bytes, Ticks first) noexcept;

  struct Taken {
    std::size_t consumed = 0;  ///< fewer than `most` when the bytes end or are no records, or `out` is full
    std::size_t written = 0;
  };
  /// Decodes at most `most` records into `out`, which has room for `room`. With `repeats` some are only counted
  /// (RecordReader::next_new).
  Taken take(Record* out, std::size_t room, std::size_t most, Repeats* repeats = nullptr) noexcept;
  /// Whether the next record is a `more`.
  bool more_follows() const noexcept {
    return at_ != end_ && (static_cast<unsigned>(*at_) & 63) == static_cast<unsigned>(RecordKind::more);
  }
  bool at_end() const noexcept { return at_ == end_; }
  /// A record of a kind that is none was among those taken.
  bool has_unknown() const noexcept { return unknown_; }

 private:
  template <bool skim>
  Taken run(Record* out, std::size_t room, std::size_t most, Repeats* repeats) noexcept;

  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  /// What the last record had: the eight bytes behind its time (kind, endpoint, sub, a), b and c.
  struct Last {
    std::uint64_t head = 0, b = 0, c = 0;
  };
  std::array<Last, 256> last_{};  ///< by the first byte of a record
  Ticks time_ = 0;
  std::uint64_t more_time_ = 0;
  bool unknown_ = false;
};

/// Decodes exactly `count` records out of `bytes`; false when the bytes are not that.
bool decode(std::span<const std::byte> bytes, std::size_t count, Ticks first, std::vector<Record>& out);

}  // namespace tracer::raw
