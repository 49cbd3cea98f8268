// SPDX-License-Identifier: BSD-3-Clause
// The compact form of records, both ways.
#include "formats/raw/codec.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

namespace tracer::raw {
namespace {

constexpr std::uint64_t unfold(std::uint64_t folded) noexcept {
  return (folded >> 1) ^ (0 - (folded & 1));
}

static_assert(offsetof(Record, kind) == 8 && offsetof(Record, endpoint) == 9 && offsetof(Record, sub) == 10 &&
              offsetof(Record, a) == 12 && offsetof(Record, b) == 16 && offsetof(Record, c) == 24);
constexpr unsigned endpoint_bit = 8, sub_bit = 16, a_bit = 32;  // in a record's second word

/// A record that has this many bytes before it is decoded without looking for the end: 2, 8 and four numbers.
constexpr std::ptrdiff_t longest_input = 2 + 8 + 4 * 10;

constexpr std::array<std::uint64_t, 8> time_masks = [] {
  std::array<std::uint64_t, 8> masks{};
  for (unsigned code = 0; code < 7; ++code) masks[code] = (std::uint64_t{1} << (8 * code)) - 1;
  masks[7] = ~std::uint64_t{0};
  return masks;
}();

/// At most ten bytes; false when there is no end to it. A byte's flag is added and taken off again with the next.
inline bool varint(const std::byte*& at, std::uint64_t& value) noexcept {
  const auto byte = [&](unsigned n) { return static_cast<std::uint64_t>(at[n]); };
  value = byte(0);
  if (value < 0x80) [[likely]]
    return at += 1, true;
  value += (byte(1) << 7) - 0x80;
  if (byte(1) < 0x80) return at += 2, true;
  value += (byte(2) << 14) - (std::uint64_t{0x80} << 7);
  if (byte(2) < 0x80) return at += 3, true;
  for (unsigned n = 3; n < 10; ++n) {
    value += (byte(n) << 7 * n) - (std::uint64_t{0x80} << 7 * (n - 1));
    if (byte(n) < 0x80) return at += n + 1, true;
  }
  return false;
}

/// Adds the difference that stands there to the field of `bits` at `shift` in `word`.
template <unsigned shift, unsigned bits>
inline bool field(const std::byte*& at, std::uint64_t& word) noexcept {
  constexpr std::uint64_t mask = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << shift;
  std::uint64_t folded = 0;
  if (!varint(at, folded)) return false;
  word = (word & ~mask) | (((word >> shift) + unfold(folded)) << shift & mask);
  return true;
}

/// Word by word: a wider copy would wait for stores of single fields.
inline void put(Record& to, Ticks time, std::uint64_t head, std::uint64_t b, std::uint64_t c) noexcept {
  to.time = time;
  std::memcpy(reinterpret_cast<std::byte*>(&to) + offsetof(Record, kind), &head, sizeof head);
  to.b = b;
  to.c = c;
}

constexpr bool is_known(unsigned kind) noexcept {
  return kind != 0 && kind < static_cast<unsigned>(RecordKind::count_);
}

/// Whether a record is only counted. One that is not: what the scan needs of it is put into `head`.
[[gnu::always_inline]] inline bool skims(Repeats& repeats, unsigned tag, bool is_new, std::uint64_t difference,
                                         std::uint64_t& head) noexcept {
  if (repeats.skip[tag]) {
    if (!is_new && !repeats.expects_team) {
      ++repeats.skipped[tag];
      return true;
    }
    repeats.skip[tag] = false;
  }
  if ((tag & 63) == static_cast<unsigned>(RecordKind::mutex_released)) {
    constexpr std::uint64_t longest = 0xffffffffu;
    head = (head & ~(longest << a_bit)) | std::min(difference, longest) << a_bit;
  }
  repeats.expects_team =
      repeats.expects_team_behind(static_cast<RecordKind>(tag & 63), static_cast<Endpoint>(tag >> 6));
  return false;
}

}  // namespace

void Decoder::restart(std::span<const std::byte> bytes, Ticks first) noexcept {
  at_ = bytes.data();
  end_ = at_ + bytes.size();
  time_ = first;
  more_time_ = 0;
  unknown_ = false;
  for (unsigned tag = 0; tag < last_.size(); ++tag)
    last_[tag] = {(tag & 63) | std::uint64_t{tag >> 6} << endpoint_bit, 0, 0};
  history_.clear();
  run_ = left_of_run_ = 0;
}

Decoder::Taken Decoder::take(Record* out, std::size_t room, std::size_t most, Repeats* repeats) noexcept {
  Taken taken;
  for (;;) {
    Record* const to = out + taken.written;
    const std::size_t more = most - taken.consumed, left = room - taken.written;
    if (more == 0 || left == 0) return taken;
    Taken now;
    if (left_of_run_ == 0 && !begin_run()) {
      now = repeats ? singles<true>(to, left, more, repeats) : singles<false>(to, left, more, nullptr);
    } else {
      now = repeats ? skim_run(to, left, more, *repeats) : run(to, std::min(left, more));
      if (left_of_run_ == 0) end_run();
    }
    taken.consumed += now.consumed;
    taken.written += now.written;
    if (now.consumed == 0) return taken;  // the bytes end, or are no records
  }
}

/// Until a run begins.
template <bool skim>
Decoder::Taken Decoder::singles(Record* out, std::size_t room, std::size_t most, Repeats* repeats) noexcept {
  Taken taken;
  const std::byte* at = at_;
  Ticks time = time_;
  Ticks latest = 0;
  bool unknown = unknown_;
  std::size_t pushed = history_.count();
  for (; taken.consumed < most && taken.written < room; ++taken.consumed) {
    // Near the end the bytes are copied to where there is room to read too far.
    std::array<std::byte, longest_input> copy;
    const std::byte* in = at;
    const std::ptrdiff_t left = end_ - at;
    if (left < longest_input) [[unlikely]] {
      copy = {};
      std::memcpy(copy.data(), at, static_cast<std::size_t>(left));
      in = copy.data();
    }
    const std::byte* const begin = in;
    const auto tag = static_cast<unsigned>(in[0]), mask = static_cast<unsigned>(in[1]);
    std::uint64_t difference = 0;
    std::memcpy(&difference, in + 2, 8);
    Words& last = last_[tag];
    std::uint64_t head = last.head, b = last.b, c = last.c;
    // With a branch on the length of this record, the processor predicts early where the next record begins.
    if (mask == 0x10) {
      difference &= 0xff;
      in += 3;
    } else if (mask == 0x20) {
      difference &= 0xffff;
      in += 4;
    } else {
      const unsigned code = (mask >> 4) & 7;
      difference &= time_masks[code];
      in += 2 + code + (code == 7 ? 1 : 0);
      if ((mask & run_bit) || ((mask & 1) && !field<sub_bit, 16>(in, head)) ||
          ((mask & 2) && !field<a_bit, 32>(in, head)) || ((mask & 4) && !field<0, 64>(in, b)) ||
          ((mask & 8) && !field<0, 64>(in, c))) {
        break;
      }
      last.head = head;
      last.b = b;
      last.c = c;
    }
    if (in - begin > left) [[unlikely]]
      break;
    at += in - begin;
    history_.put(pushed++, {head, b, c});
    if ((tag & 63) == static_cast<unsigned>(RecordKind::more)) [[unlikely]] {
      more_time_ += unfold(difference);
      put(out[taken.written++], more_time_, head, b, c);
      continue;
    }
    time += difference;
    if constexpr (skim) {
      if (skims(*repeats, tag, (mask & 9) != 0, difference, head)) {
        latest = time > latest ? time : latest;
        continue;
      }
    }
    unknown |= !is_known(tag & 63);
    put(out[taken.written++], time, head, b, c);
  }
  at_ = at;
  time_ = time;
  unknown_ = unknown;
  history_.set_count(pushed);
  if constexpr (skim) repeats->latest = std::max(repeats->latest, latest);
  return taken;
}

/// Whether the bytes go on with a run that can be: then it is open.
bool Decoder::begin_run() noexcept {
  std::uint32_t token = 0;
  if (end_ - at_ < static_cast<std::ptrdiff_t>(run_token_bytes)) return false;
  std::memcpy(&token, at_, run_token_bytes);
  const unsigned flags = token >> 8 & 0xff;
  if ((flags & ~steps_bit) != run_bit || token >> 16 == 0) return false;
  if (!history_.start(pattern_, token & 0xff, (flags & steps_bit) != 0)) return false;
  run_ = left_of_run_ = token >> 16;
  at_ += run_token_bytes;
  return true;
}

void Decoder::end_run() noexcept {
  history_.push(pattern_, run_);
  for (std::uint32_t i = run_ - std::min<std::uint32_t>(run_, pattern_.period); i < run_; ++i) {
    const Words words = pattern_.record(i, run_);
    last_[tag_of(words)] = words;
  }
}

/// Calls each(difference) for at most so many times of the run. Returns how many there were: fewer where the bytes end.
template <class Each>
std::size_t Decoder::each_time(std::size_t most, const Each& each) noexcept {
  most = std::min<std::size_t>(most, left_of_run_);
  std::size_t done = 0;
  while (done < most && at_ != end_) {
    const std::ptrdiff_t left = end_ - at_;
    const std::size_t safe = std::min(most - done, static_cast<std::size_t>(left / most_run_time_bytes));
    const std::byte* in = at_;
    for (std::size_t i = 0; i < safe; ++i) each(take_run_time(in));
    at_ = in;
    done += safe;
    if (safe != 0) continue;
    std::array<std::byte, most_run_time_bytes> copy{};
    std::memcpy(copy.data(), at_, static_cast<std::size_t>(left));
    in = copy.data();
    const std::uint64_t difference = take_run_time(in);
    if (in - copy.data() > left) break;
    at_ += in - copy.data();
    each(difference);
    ++done;
  }
  left_of_run_ -= static_cast<std::uint32_t>(done);
  return done;
}

template <bool has_steps>
std::size_t Decoder::run_records(Record* out, std::size_t most) noexcept {
  Words* const first = pattern_.at.data();
  Words* const last = first + pattern_.period;
  Words* next = first + pattern_.next;
  Ticks time = time_;
  const std::size_t count = each_time(most, [&](std::uint64_t difference) {
    time += difference;
    put(*out++, time, next->head, next->b, next->c);
    if constexpr (has_steps) *next = next->plus(pattern_.step[static_cast<std::size_t>(next - first)]);
    next = next + 1 == last ? first : next + 1;
  });
  pattern_.next = static_cast<unsigned>(next - first);
  time_ = time;
  return count;
}

Decoder::Taken Decoder::run(Record* out, std::size_t most) noexcept {
  const std::size_t count = pattern_.has_steps ? run_records<true>(out, most) : run_records<false>(out, most);
  return {count, count};
}

/// Whether all records of the run are to be skipped.
bool Decoder::only_repeats(const Repeats& repeats) const noexcept {
  constexpr std::uint64_t sub = std::uint64_t{0xffff} << sub_bit;
  if (repeats.expects_team) return false;
  for (unsigned i = 0; i < pattern_.period; ++i) {
    const Words& words = pattern_.at[i];
    const Words& last = last_[tag_of(words)];
    if (!repeats.skip[tag_of(words)] || words.c != last.c || ((words.head ^ last.head) & sub) != 0) return false;
    if (pattern_.has_steps && (pattern_.step[i].c != 0 || (pattern_.step[i].head & sub) != 0)) return false;
  }
  return true;
}

Decoder::Taken Decoder::skip_run(std::size_t most, Repeats& repeats) noexcept {
  Ticks time = time_, latest = repeats.latest;
  const std::size_t count = each_time(most, [&](std::uint64_t difference) {
    time += difference;
    latest = time > latest ? time : latest;
  });
  time_ = time;
  repeats.latest = latest;
  for (unsigned i = 0; i < pattern_.period; ++i) {
    const unsigned place = (pattern_.next + i) % pattern_.period;
    const std::size_t times = count > i ? (count - i - 1) / pattern_.period + 1 : 0;
    repeats.skipped[tag_of(pattern_.at[place])] += times;
    if (pattern_.has_steps) pattern_.at[place] = pattern_.at[place].plus(pattern_.step[place].times(times));
  }
  pattern_.next = static_cast<unsigned>((pattern_.next + count) % pattern_.period);
  return {count, 0};
}

Decoder::Taken Decoder::skim_run(Record* out, std::size_t room, std::size_t most, Repeats& repeats) noexcept {
  if (only_repeats(repeats)) return skip_run(most, repeats);
  constexpr std::uint64_t sub = std::uint64_t{0xffff} << sub_bit;
  Record* const begin = out;
  const std::size_t count = each_time(std::min(room, most), [&](std::uint64_t difference) {
    time_ += difference;
    Words& next = pattern_.at[pattern_.next];
    Words words = next;
    if (pattern_.has_steps) next = next.plus(pattern_.step[pattern_.next]);
    pattern_.next = pattern_.next + 1 == pattern_.period ? 0 : pattern_.next + 1;
    const std::uint8_t tag = tag_of(words);
    Words& last = last_[tag];
    const bool is_new = words.c != last.c || ((words.head ^ last.head) & sub) != 0;
    last = words;
    if (skims(repeats, tag, is_new, difference, words.head)) {
      repeats.latest = std::max(repeats.latest, time_);
      return;
    }
    put(*out++, time_, words.head, words.b, words.c);
  });
  return {count, static_cast<std::size_t>(out - begin)};
}

bool decode(std::span<const std::byte> bytes, std::size_t count, Ticks first, std::vector<Record>& out) {
  if (count > bytes.size()) return false;
  const auto decoder = std::make_unique<Decoder>(bytes, first);
  const std::size_t before = out.size();
  out.resize(before + count);
  if (decoder->take(out.data() + before, count, count).consumed != count) {
    out.resize(before);
    return false;
  }
  return decoder->at_end();
}

}  // namespace tracer::raw
