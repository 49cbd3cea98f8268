// SPDX-License-Identifier: BSD-3-Clause
// See encoder.hpp.
#include "formats/raw/encoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "formats/raw/codec.hpp"

namespace tracer::raw {
namespace {

constexpr std::uint64_t fold(std::uint64_t difference) noexcept {
  return (difference << 1) ^ (0 - (difference >> 63));
}

constexpr unsigned sub_bit = 16, a_bit = 32;  // in a record's second word

constexpr std::uint64_t sub_of(const Words& words) noexcept {
  return words.head >> sub_bit & 0xffff;
}

std::byte* put_varint(std::byte* out, std::uint64_t value) noexcept {
  while (value >= 0x80) {
    *out++ = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<std::byte>(value);
  return out;
}

/// Branches: there is no fast instruction for a number's width that all x86-64 processors have, and differences of time
/// have mostly one byte.
[[gnu::always_inline]] inline std::byte* put_time(std::byte* out, std::uint64_t value, unsigned& bytes_code) noexcept {
  std::memcpy(out, &value, 8);
  if (value - 1 < 0xff) [[likely]] {
    bytes_code = 1;
    return out + 1;
  }
  if (value - 1 < 0xffff) {
    bytes_code = 2;
    return out + 2;
  }
  const auto bytes = (static_cast<unsigned>(std::bit_width(value)) + 7) / 8;
  bytes_code = bytes < 7 ? bytes : 7;
  return out + (bytes < 7 ? bytes : 8);
}

void put_run_token(std::byte* to, unsigned period, std::uint32_t records, bool has_steps) noexcept {
  const std::uint32_t token = period | (run_bit | (has_steps ? steps_bit : 0)) << 8 | records << 16;
  std::memcpy(to, &token, run_token_bytes);
}

[[gnu::always_inline]] inline std::byte* put_run_time(std::byte* out, std::uint64_t value) noexcept {
  if (value < two_bytes_follow) [[likely]] {
    *out = static_cast<std::byte>(value);
    return out + 1;
  }
  const unsigned bytes = value <= 0xffff ? 2 : value <= 0xffffff ? 3 : value <= 0xffffffff ? 4 : 8;
  *out = static_cast<std::byte>(bytes == 8 ? eight_bytes_follow : two_bytes_follow + bytes - 2);
  std::memcpy(out + 1, &value, 8);
  return out + 1 + bytes;
}

constexpr bool is_more(const Words& words) noexcept {
  return (words.head & 0xff) == static_cast<std::uint64_t>(RecordKind::more);
}

/// Bits of kind and endpoint for which a record's first byte has no room.
constexpr std::uint64_t beyond_tag = 0xfcc0;
Words tagged_words(const Record& record) noexcept {
  Words words = words_without_time(record);
  words.head &= ~beyond_tag;
  return words;
}

constexpr std::uint32_t shortest_run = 3;
/// Single records in which repetitions are looked for, at first and again after a rest; that many records do without,
/// and each time twice as many, until a run was worth it. Looking takes longer than writing a record.
constexpr std::uint32_t first_search = 256, next_search = 128, most_rest = 4096;
constexpr std::uint32_t good_run = 64, cost_of_bad_run = 32;

}  // namespace

void Encoder::begin(Ticks first, std::byte* out) noexcept {
  out_ = out;
  before_ = first;
  more_time_ = 0;
  number_ = rest_left_ = streak_ = 0;
  search_left_ = rest_ == first_rest ? first_search : next_search;
  in_run_ = false;
  expected_ = 0;
  last_.fill({});
  by_code_.fill(0);
  by_all_.fill(0);
  history_.clear();
}

std::byte* Encoder::end() noexcept {
  if (in_run_) end_run();
  return out_;
}

std::size_t Encoder::place_of_code(const Words& words) noexcept {
  return ((words.c ^ tag_of(words)) * 0x9e3779b97f4a7c15u) >> 56;
}
std::size_t Encoder::place_of_all(const Words& words) noexcept {
  return (((words.c ^ tag_of(words)) + std::rotl(words.b, 23)) * 0x9e3779b97f4a7c15u) >> 56;
}

[[gnu::always_inline]] inline void Encoder::note(const Words& words, std::uint32_t number) noexcept {
  Last& last = last_[tag_of(words)];
  last.words.head = words.head;
  last.words.b = words.b;
  last.words.c = words.c;
  last.number = number;
}

inline void Encoder::note_places(const Words& words, std::uint32_t number) noexcept {
  by_code_[place_of_code(words)] = number;
  by_all_[place_of_all(words)] = number;
}

/// What each record changes, in registers.
struct Encoder::Place {
  std::byte* out;
  Ticks before;
  std::uint32_t number;
  std::size_t pushed;
};

inline Encoder::Place Encoder::place() const noexcept {
  return {out_, before_, number_, history_.count()};
}
inline void Encoder::go_on(const Place& place) noexcept {
  out_ = place.out;
  before_ = place.before;
  number_ = place.number;
  history_.set_count(place.pushed);
}

[[gnu::always_inline]] inline void Encoder::single(Place& place, const Words& words, Ticks time) noexcept {
  const std::uint8_t tag = tag_of(words);
  const Words& last = last_[tag].words;
  std::uint64_t difference = time - place.before;
  if (is_more(words)) [[unlikely]] {
    difference = fold(time - more_time_);
    more_time_ = time;
  } else {
    place.before = time;
  }
  unsigned mask = 0;
  std::byte* at = put_time(place.out + 2, difference, mask);
  mask <<= 4;
  if (const std::uint64_t by = words.head ^ last.head; by >> sub_bit != 0) {
    if ((by >> sub_bit & 0xffff) != 0) {
      at = put_varint(at, fold(sub_of(words) - sub_of(last)));
      mask |= 1;
    }
    if (by >> a_bit != 0) {
      at = put_varint(at, fold((words.head >> a_bit) - (last.head >> a_bit)));
      mask |= 2;
    }
  }
  if (words.b != last.b) {
    at = put_varint(at, fold(words.b - last.b));
    mask |= 4;
  }
  if (words.c != last.c) {
    at = put_varint(at, fold(words.c - last.c));
    mask |= 8;
  }
  const auto head = static_cast<std::uint16_t>(tag | mask << 8);
  std::memcpy(place.out, &head, sizeof head);
  place.out = at;
  history_.put(place.pushed++, words);
  note(words, ++place.number);
}

/// Records among which no repetitions are looked for.
void Encoder::rest(const Record* at, std::size_t count) noexcept {
  Place now = place();
  for (std::size_t i = 0; i < count; ++i) single(now, tagged_words(at[i]), at[i].time);
  go_on(now);
}

void Encoder::add(std::span<const Record> records) noexcept {
  const Record* at = records.data();
  const Record* const end = at + records.size();
  while (at != end) {
    if (in_run_) {
      at = pattern_.has_steps ? run<true>(at, end) : run<false>(at, end);
      if (at == end) return;
      end_run();
    }
    if (rest_left_ != 0) {
      const std::size_t count = std::min<std::size_t>(rest_left_, static_cast<std::size_t>(end - at));
      rest(at, count);
      at += count;
      rest_left_ -= static_cast<std::uint32_t>(count);
      if (rest_left_ == 0) search_left_ = next_search;
      continue;
    }
    const Words words = tagged_words(*at);
    if (begins_run(words.head, words.b, words.c)) continue;
    Place now = place();
    single(now, words, at->time);
    go_on(now);
    note_places(words, number_);
    ++at;
  }
}

/// Whether a run begins with this record, which is then still to be written: so many before it were as far behind what
/// they repeat, more of a long period, which takes longer to begin and to end.
bool Encoder::begins_run(std::uint64_t head, std::uint64_t b, std::uint64_t c) noexcept {
  const Words words{head, b, c};
  if (search_left_ == 0) {
    rest_left_ = rest_;
    rest_ = std::min(2 * rest_, most_rest);
    streak_ = 0;
    return false;
  }
  --search_left_;
  if (streak_ != 0 && continues(expected_, words)) {
    constexpr std::uint32_t part = 8;
    if (streak_ < 1 + expected_ / part) {
      ++streak_;
      return false;
    }
    streak_ = 0;
    return starts(expected_, words, true) || starts(expected_, words, false);
  }
  expected_ = is_more(words) ? 0 : period_of(words);
  streak_ = expected_ != 0 ? 1 : 0;
  return false;
}

bool Encoder::continues(unsigned period, const Words& words) const noexcept {
  return history_.continues(period, words, false) || history_.continues(period, words, true);
}

/// How far back is what this record repeats; 0: nowhere.
unsigned Encoder::period_of(const Words& words) const noexcept {
  std::uint32_t tried = 0;
  for (const std::uint32_t candidate :
       {last_[tag_of(words)].number, by_code_[place_of_code(words)], by_all_[place_of_all(words)]}) {
    if (candidate == tried) continue;  // also where there is none
    tried = candidate;
    const unsigned distance = number_ + 1 - candidate;
    if (continues(distance, words)) return distance;
  }
  return 0;
}

bool Encoder::starts(unsigned period, const Words& words, bool with_steps) noexcept {
  if (!history_.continues(period, words, with_steps)) return false;
  if (!history_.start(pattern_, period, with_steps)) return false;
  if (with_steps)
    pattern_.has_steps = !std::all_of(pattern_.step.begin(), pattern_.step.begin() + period,
                                      [](const Words& step) { return step.is_zero(); });
  in_run_ = true;
  run_ = 0;
  before_run_ = before_;
  run_begin_ = out_;
  out_ += run_token_bytes;
  return true;
}

/// Up to the first record that does not continue the run.
template <bool has_steps>
const Record* Encoder::run(const Record* at, const Record* end) noexcept {
  Words* const first = pattern_.at.data();
  Words* const last = first + pattern_.period;
  Words* expected = first + pattern_.next;
  const Record* const begin = at;
  std::byte* out = out_;
  Ticks before = before_;
  for (; at != end; ++at) {
    const Words words = words_without_time(*at);
    if (((words.head ^ expected->head) | (words.b ^ expected->b) | (words.c ^ expected->c)) != 0) break;
    if constexpr (has_steps) *expected = words.plus(pattern_.step[static_cast<std::size_t>(expected - first)]);
    out = put_run_time(out, at->time - before);
    before = at->time;
    expected = expected + 1 == last ? first : expected + 1;
  }
  pattern_.next = static_cast<unsigned>(expected - first);
  run_ += static_cast<std::uint32_t>(at - begin);
  out_ = out;
  before_ = before;
  return at;
}

/// Short ones become single records again.
void Encoder::end_run() noexcept {
  in_run_ = false;
  if (run_ >= good_run) {
    search_left_ = first_search;
    rest_ = first_rest;
  } else {
    search_left_ -= std::min(search_left_, cost_of_bad_run);
  }
  if (run_ >= shortest_run) {
    put_run_token(run_begin_, pattern_.period, run_, pattern_.has_steps);
    history_.push(pattern_, run_);
    number_ += run_;
    const std::uint32_t latest = std::min<std::uint32_t>(run_, pattern_.period);
    for (std::uint32_t i = latest; i > 0; --i) {
      const Words words = pattern_.record(run_ - i, run_);
      note(words, number_ + 1 - i);
      note_places(words, number_ + 1 - i);
    }
    return;
  }
  std::array<Ticks, shortest_run> times{};
  const std::byte* at = run_begin_ + run_token_bytes;
  before_ = before_run_;
  for (std::uint32_t i = 0; i < run_; ++i) times[i] = take_run_time(at);
  out_ = run_begin_;
  Place now = place();
  for (std::uint32_t i = 0; i < run_; ++i) single(now, pattern_.record(i, run_), now.before + times[i]);
  go_on(now);
}

}  // namespace tracer::raw
