// SPDX-License-Identifier: BSD-3-Clause
// Records to their compact form (codec.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/raw/runs.hpp"
#include "tracer/record.hpp"

namespace tracer::raw {

/// Of one segment at a time. Large: not for the stack of a thread of the program.
class Encoder {
 public:
  /// A segment begins: `first` is the time of its first record. Behind `out` are most_record_bytes for each record.
  void begin(Ticks first, std::byte* out) noexcept;
  void add(std::span<const Record> records) noexcept;
  /// The end of its bytes.
  std::byte* end() noexcept;

 private:
  /// By kind and endpoint: what the record before had, and its number in the segment.
  struct Last {
    Words words;
    std::uint32_t number = 0;
  };

  struct Place;

  Place place() const noexcept;
  void go_on(const Place& place) noexcept;
  void single(Place& place, const Words& words, Ticks time) noexcept;
  void rest(const Record* at, std::size_t count) noexcept;
  void note(const Words& words, std::uint32_t number) noexcept;
  void note_places(const Words& words, std::uint32_t number) noexcept;
  /// In words, which stay in registers.
  bool begins_run(std::uint64_t head, std::uint64_t b, std::uint64_t c) noexcept;
  bool continues(unsigned period, const Words& words) const noexcept;
  unsigned period_of(const Words& words) const noexcept;
  bool starts(unsigned period, const Words& words, bool with_steps) noexcept;
  template <bool has_steps>
  const Record* run(const Record* at, const Record* end) noexcept;
  void end_run() noexcept;

  static std::size_t place_of_code(const Words& words) noexcept;
  static std::size_t place_of_all(const Words& words) noexcept;

  std::byte* out_ = nullptr;
  Ticks before_ = 0;
  std::uint64_t more_time_ = 0;
  std::uint32_t number_ = 0;  ///< of the latest record, from 1
  std::array<Last, 256> last_;
  std::array<std::uint32_t, 256> by_code_, by_all_;  ///< numbers by hashes of tag and c, and of all
  History history_;
  // What the last records make one expect.
  unsigned expected_ = 0;     ///< period that they continue
  std::uint32_t streak_ = 0;  ///< so many of them
  static constexpr std::uint32_t first_rest = 256;
  std::uint32_t search_left_ = 0, rest_left_ = 0;
  std::uint32_t rest_ = first_rest;  ///< the next; stays from segment to segment
  // The run that is being written.
  bool in_run_ = false;
  Pattern pattern_;
  std::uint32_t run_ = 0;  ///< its records
  std::byte* run_begin_ = nullptr;
  Ticks before_run_ = 0;
};

}  // namespace tracer::raw
