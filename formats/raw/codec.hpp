// SPDX-License-Identifier: BSD-3-Clause
// The compact form of records: what differs from the last record of the same kind and endpoint, and runs of records
// that repeat those before them. A single record:
//
//   byte 0   kind | endpoint << 6
//   byte 1   bit 0 sub, 1 a, 2 b, 3 c differ from the prediction; bits 4-6 bytes of the time difference (7: eight);
//            bit 7: it is no record but a run
//   time     that many bytes: to the record before; of `more`: to the last `more`, as a signed difference folded
//   sub a b c, those that differ: the difference as a signed number, folded (zigzag), in groups of seven bits
//
// A run (format 2), each of whose records is like the one so many records before it but for the time (runs.hpp):
//
//   byte 0   its period: how many records before
//   byte 1   bit 7 set; bit 0: and what differs between the two periods before it goes on to differ by as much
//   bytes 2, 3  number of records
//   times    of each record: the difference to the record before below 252; else 252 to 255, and 2, 3, 4 or 8 bytes
//
// Everything starts from zeros in each segment, so that each is decoded alone. A record of a loop takes 1 byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "formats/raw/runs.hpp"
#include "tracer/record.hpp"
#include "tracer/repeats.hpp"

namespace tracer::raw {

inline constexpr unsigned run_bit = 0x80, steps_bit = 1;  ///< of a run's second byte
inline constexpr std::size_t run_token_bytes = 4;
inline constexpr unsigned two_bytes_follow = 252, eight_bytes_follow = 255;
inline constexpr std::ptrdiff_t most_run_time_bytes = 9;

/// A time of a run; most_run_time_bytes can be read from `at` on.
[[gnu::always_inline]] inline std::uint64_t take_run_time(const std::byte*& at) noexcept {
  const auto first = static_cast<unsigned>(*at++);
  if (first < two_bytes_follow) [[likely]]
    return first;
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  const unsigned bytes = first == eight_bytes_follow ? 8 : first - two_bytes_follow + 2;
  at += bytes;
  return bytes == 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

/// Decodes piece by piece, so that what is decoded stays in the cache until it is used.
class Decoder {
 public:
  Decoder() = default;
  /// `bytes` must outlive the decoder; `first` is the time of the first record.
  Decoder(std::span<const std::byte> bytes, Ticks first) noexcept { restart(bytes, first); }
  /// The same for another segment.
  void restart(std::span<const std::byte> bytes, Ticks first) noexcept;

  struct Taken {
    std::size_t consumed = 0;  ///< fewer than `most` when the bytes end or are no records, or `out` is full
    std::size_t written = 0;
  };
  /// Decodes at most `most` records into `out`, which has room for `room`. With `repeats` some are only counted
  /// (RecordReader::next_new).
  Taken take(Record* out, std::size_t room, std::size_t most, Repeats* repeats = nullptr) noexcept;
  /// Whether the next record is a `more`.
  bool more_follows() const noexcept {
    return left_of_run_ == 0 && end_ - at_ > 1 && (static_cast<unsigned>(at_[1]) & run_bit) == 0 &&
           (static_cast<unsigned>(*at_) & 63) == static_cast<unsigned>(RecordKind::more);
  }
  bool at_end() const noexcept { return at_ == end_ && left_of_run_ == 0; }
  /// A record of a kind that is none was among those taken.
  bool has_unknown() const noexcept { return unknown_; }

 private:
  template <bool skim>
  Taken singles(Record* out, std::size_t room, std::size_t most, Repeats* repeats) noexcept;
  bool begin_run() noexcept;
  void end_run() noexcept;
  Taken run(Record* out, std::size_t most) noexcept;
  template <bool has_steps>
  std::size_t run_records(Record* out, std::size_t most) noexcept;
  Taken skim_run(Record* out, std::size_t room, std::size_t most, Repeats& repeats) noexcept;
  Taken skip_run(std::size_t most, Repeats& repeats) noexcept;
  bool only_repeats(const Repeats& repeats) const noexcept;
  template <class Each>
  std::size_t each_time(std::size_t most, const Each& each) noexcept;

  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  std::array<Words, 256> last_;  ///< what the last record had, by the first byte of a record
  Ticks time_ = 0;
  std::uint64_t more_time_ = 0;
  bool unknown_ = false;
  History history_;
  Pattern pattern_;
  std::uint32_t run_ = 0, left_of_run_ = 0;  ///< records of the run, and those of them that are not decoded yet
};

/// Decodes exactly `count` records out of `bytes`; false when the bytes are not that.
bool decode(std::span<const std::byte> bytes, std::size_t count, Ticks first, std::vector<Record>& out);

}  // namespace tracer::raw
