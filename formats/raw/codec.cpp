// SPDX-License-Identifier: BSD-3-Clause
// The compact form of records, both ways.
#include "formats/raw/codec.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace tracer::raw {
namespace {

constexpr std::uint64_t fold(std::uint64_t difference) noexcept {
  return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr std::uint64_t unfold(std::uint64_t folded) noexcept {
  return (folded >> 1) ^ (0 - (folded & 1));
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

}  // namespace

std::byte* encode(std::span<const Record> records, Prediction& prediction, std::byte* out) noexcept {
  Ticks before = prediction.time;
  for (const Record& record : records) {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const std::byte*>(&record) + offsetof(Record, kind), sizeof word);
    const auto tag = static_cast<std::uint8_t>(word | (word >> endpoint_bit) << 6);
    Prediction::Fields& last = prediction.last[tag];
    std::uint64_t difference = record.time - before;
    // Most records are like the last of their kind but for the time, which is near: three bytes, written as four.
    const std::uint64_t other = ((word >> sub_bit) ^ last.sub_a) | (record.b ^ last.b) | (record.c ^ last.c);
    if (other == 0 && difference - 1 < 0xff && record.kind != RecordKind::more) [[likely]] {
      const auto bytes = static_cast<std::uint32_t>(tag | 0x1000u | difference << 16);
      std::memcpy(out, &bytes, sizeof bytes);
      out += 3;
      before = record.time;
      continue;
    }
    if (record.kind == RecordKind::more) [[unlikely]] {
      difference = fold(record.time - prediction.more_time);
      prediction.more_time = record.time;
    } else {
      before = record.time;
    }
    unsigned time_code = 0;
    std::byte* at = put_time(out + 2, difference, time_code);
    unsigned mask = time_code << 4;
    if (const std::uint64_t sub_a = word >> sub_bit; sub_a != last.sub_a) {
      if (const auto sub = sub_a & 0xffff, last_sub = last.sub_a & 0xffff; sub != last_sub) {
        at = put_varint(at, fold(sub - last_sub));
        mask |= 1;
      }
      if (const auto a = sub_a >> (a_bit - sub_bit), last_a = last.sub_a >> (a_bit - sub_bit); a != last_a) {
        at = put_varint(at, fold(a - last_a));
        mask |= 2;
      }
      last.sub_a = sub_a;
    }
    if (record.b != last.b) {
      at = put_varint(at, fold(record.b - last.b));
      last.b = record.b;
      mask |= 4;
    }
    if (record.c != last.c) {
      at = put_varint(at, fold(record.c - last.c));
      last.c = record.c;
      mask |= 8;
    }
    const auto head = static_cast<std::uint16_t>(tag | mask << 8);
    std::memcpy(out, &head, sizeof head);
    out = at;
  }
  prediction.time = before;
  return out;
}

Decoder::Decoder(std::span<const std::byte> bytes, Ticks first) noexcept
    : at_(bytes.data()), end_(at_ + bytes.size()), time_(first) {
  for (unsigned tag = 0; tag < last_.size(); ++tag)
    last_[tag].head = (tag & 63) | std::uint64_t{tag >> 6} << endpoint_bit;
}

Decoder::Taken Decoder::take(Record* out, std::size_t room, std::size_t most, Repeats* repeats) noexcept {
  return repeats ? run<true>(out, room, most, repeats) : run<false>(out, room, most, nullptr);
}

template <bool skim>
Decoder::Taken Decoder::run(Record* out, std::size_t room, std::size_t most, Repeats* repeats) noexcept {
  Taken taken;
  const std::byte* at = at_;
  Ticks time = time_;
  Ticks latest = 0;
  bool unknown = unknown_;
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
    Last& last = last_[tag];
    std::uint64_t head = last.head, b = last.b, c = last.c;
    // Where the next record begins is known early when it is a branch that says how long this one is.
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
      if ((mask & 0x80) || ((mask & 1) && !field<sub_bit, 16>(in, head)) ||
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
    if ((tag & 63) == static_cast<unsigned>(RecordKind::more)) [[unlikely]] {
      more_time_ += unfold(difference);
      put(out[taken.written++], more_time_, head, b, c);
      continue;
    }
    time += difference;
    if constexpr (skim) {
      if (repeats->skip[tag]) {
        if ((mask & 9) == 0 && !repeats->expects_team) {
          ++repeats->skipped[tag];
          latest = time > latest ? time : latest;
          continue;
        }
        repeats->skip[tag] = false;
      }
      if ((tag & 63) == static_cast<unsigned>(RecordKind::mutex_released)) {
        constexpr std::uint64_t longest = 0xffffffffu;
        head = (head & ~(longest << a_bit)) | std::min(difference, longest) << a_bit;
      }
      repeats->expects_team =
          repeats->expects_team_behind(static_cast<RecordKind>(tag & 63), static_cast<Endpoint>(tag >> 6));
    }
    unknown |= !is_known(tag & 63);
    put(out[taken.written++], time, head, b, c);
  }
  at_ = at;
  time_ = time;
  unknown_ = unknown;
  if constexpr (skim) repeats->latest = std::max(repeats->latest, latest);
  return taken;
}

bool decode(std::span<const std::byte> bytes, std::size_t count, Ticks first, std::vector<Record>& out) {
  if (count > bytes.size() / 2) return false;
  Decoder decoder(bytes, first);
  const std::size_t before = out.size();
  out.resize(before + count);
  if (decoder.take(out.data() + before, count, count).consumed != count) {
    out.resize(before);
    return false;
  }
  return decoder.at_end();
}

}  // namespace tracer::raw
