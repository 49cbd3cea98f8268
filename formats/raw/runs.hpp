// SPDX-License-Identifier: BSD-3-Clause
// What records repeat: the latest ones of a segment without their times, and the pattern that continues them. Encoder
// and decoder have the same of each record, so that a run of records is written as its period, its length and their
// times.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracer/record.hpp"

namespace tracer::raw {

/// A record without its time, as it lies in memory: kind, endpoint, sub and a; b; c.
struct Words {
  std::uint64_t head = 0, b = 0, c = 0;
  bool operator==(const Words&) const = default;

  Words plus(const Words& step) const noexcept { return {head + step.head, b + step.b, c + step.c}; }
  Words minus(const Words& other) const noexcept { return {head - other.head, b - other.b, c - other.c}; }
  Words times(std::uint64_t count) const noexcept { return {head * count, b * count, c * count}; }
  bool is_zero() const noexcept { return (head | b | c) == 0; }
};

inline Words words_without_time(const Record& record) noexcept {
  Words words{0, record.b, record.c};
  std::memcpy(&words.head, reinterpret_cast<const std::byte*>(&record) + offsetof(Record, kind), sizeof words.head);
  return words;
}

/// By a record's first byte in the compact form: kind | endpoint << 6.
constexpr std::uint8_t tag_of(const Words& words) noexcept {
  return static_cast<std::uint8_t>(words.head | (words.head >> 8) << 6);
}

inline constexpr unsigned most_period = 255;
/// Of patterns with steps, which need two periods before them.
inline constexpr unsigned most_stepped_period = 128;

/// The records of a period, in order: the next of each, and by how much it changes from one period to the next.
struct Pattern {
  std::array<Words, most_period> at;
  std::array<Words, most_stepped_period> step;
  unsigned period = 0;
  unsigned next = 0;  ///< index of the run's next record
  bool has_steps = false;

  /// Of a run of `count` records, of which the last is number `count - 1`: record `index`.
  Words record(std::size_t index, std::size_t count) const noexcept {
    const auto place = static_cast<unsigned>(index % period);
    if (!has_steps) return at[place];
    const std::uint64_t later = 1 + (count - 1 - index) / period;
    return at[place].minus(step[place].times(later));
  }
};

class History {
 public:
  void clear() noexcept { count_ = 0; }
  void push(const Words& words) noexcept { put(count_++, words); }
  /// How many were pushed. A loop may count itself: put() each, set_count() at its end.
  std::size_t count() const noexcept { return count_; }
  void put(std::size_t number, const Words& words) noexcept {
    Words& to = words_[number % kept];
    to.head = words.head;
    to.b = words.b;
    to.c = words.c;
  }
  void set_count(std::size_t count) noexcept { count_ = count; }

  std::size_t held() const noexcept { return std::min<std::size_t>(count_, kept); }
  /// The latest is 1.
  const Words& back(std::size_t n) const noexcept { return words_[(count_ - n) % kept]; }

  /// Whether so many records are held as a pattern of that period needs; with steps two periods.
  bool has_period(std::size_t period, bool with_steps) const noexcept {
    if (period == 0 || period > (with_steps ? most_stepped_period : most_period)) return false;
    return (with_steps ? 2 * period : period) <= held();
  }
  /// Whether `words` is what comes next in such a pattern; false where there is none.
  bool continues(std::size_t period, const Words& words, bool with_steps) const noexcept {
    if (!has_period(period, with_steps)) return false;
    const Words& last = back(period);
    return (with_steps ? last.plus(last.minus(back(2 * period))) : last) == words;
  }

  /// The pattern that continues the latest records. False: there is none, as they are too few, or some have no time or
  /// change their kind.
  bool start(Pattern& pattern, std::size_t period, bool with_steps) const noexcept {
    constexpr std::uint64_t kind = 0xff, kind_and_endpoint = 0xffff;
    if (!has_period(period, with_steps)) return false;
    pattern.period = static_cast<unsigned>(period);
    pattern.next = 0;
    pattern.has_steps = with_steps;
    for (std::size_t i = 0; i < period; ++i) {
      const Words& last = back(period - i);
      if ((last.head & kind) == static_cast<std::uint64_t>(RecordKind::more)) return false;
      pattern.at[i] = last;
      if (!with_steps) continue;
      pattern.step[i] = last.minus(back(2 * period - i));
      if ((pattern.step[i].head & kind_and_endpoint) != 0) return false;
      pattern.at[i] = last.plus(pattern.step[i]);
    }
    return true;
  }

  /// Behind a run of `count` records. What is more than two periods back is forgotten.
  void push(const Pattern& pattern, std::size_t count) noexcept {
    const std::size_t most = std::min<std::size_t>(2 * std::size_t{pattern.period}, kept);
    if (count > most) clear();
    for (std::size_t i = count - std::min(count, most); i < count; ++i) push(pattern.record(i, count));
  }

 private:
  static constexpr std::size_t kept = 256;
  std::array<Words, kept> words_;
  std::size_t count_ = 0;
};

}  // namespace tracer::raw
