// SPDX-License-Identifier: BSD-3-Clause
// The compact form of records, both ways.
#include "formats/raw/codec.hpp"

#include <bit>
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

std::byte* put_time(std::byte* out, std::uint64_t value, unsigned& bytes_code) noexcept {
  const auto bytes = (static_cast<unsigned>(std::bit_width(value)) + 7) / 8;
  bytes_code = bytes < 7 ? bytes : 7;
  std::memcpy(out, &value, 8);
  return out + (bytes < 7 ? bytes : 8);
}

std::byte* encode_one(const Record& record, Prediction& prediction, std::byte* out) noexcept {
  const auto tag =
      static_cast<std::uint8_t>(static_cast<unsigned>(record.kind) | (static_cast<unsigned>(record.endpoint) << 6));
  auto& last = prediction.last[tag];
  unsigned time_code = 0;
  std::byte* at = out + 2;
  if (record.kind == RecordKind::more) [[unlikely]] {
    at = put_time(at, fold(record.time - prediction.more_time), time_code);
    prediction.more_time = record.time;
  } else {
    at = put_time(at, record.time - prediction.time, time_code);
    prediction.time = record.time;
  }
  unsigned mask = time_code << 4;
  if (record.sub != last.sub) {
    at = put_varint(at, fold(std::uint64_t{record.sub} - last.sub));
    last.sub = record.sub;
    mask |= 1;
  }
  if (record.a != last.a) {
    at = put_varint(at, fold(std::uint64_t{record.a} - last.a));
    last.a = record.a;
    mask |= 2;
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
  out[0] = static_cast<std::byte>(tag);
  out[1] = static_cast<std::byte>(mask);
  return at;
}

/// Reads bytes that may be anything; stays at the end once something does not fit.
class Input {
 public:
  Input(const std::byte* begin, const std::byte* end) noexcept : at_(begin), end_(end) {}

  bool has(std::size_t count) const noexcept { return static_cast<std::size_t>(end_ - at_) >= count; }
  const std::byte* at() const noexcept { return at_; }
  unsigned byte() noexcept { return static_cast<unsigned>(*at_++); }

  bool time(unsigned code, std::uint64_t& value) noexcept {
    const unsigned bytes = code < 7 ? code : 8;
    if (has(8)) [[likely]] {  // one load of eight; what does not belong to the number is cut off
      std::memcpy(&value, at_, 8);
      value &= code < 7 ? (std::uint64_t{1} << (8 * code)) - 1 : ~std::uint64_t{0};
    } else {
      if (!has(bytes)) return false;
      value = 0;
      std::memcpy(&value, at_, bytes);
    }
    at_ += bytes;
    return true;
  }

  bool varint(std::uint64_t& value) noexcept {
    value = 0;
    for (unsigned shift = 0; shift < 70 && at_ != end_; shift += 7) {
      const auto bits = static_cast<std::uint64_t>(*at_++);
      value |= (bits & 0x7f) << shift;
      if (bits < 0x80) return true;
    }
    return false;
  }

  template <typename T>
  bool field(bool present, T& last) noexcept {
    std::uint64_t folded = 0;
    if (!present) return true;
    if (!varint(folded)) return false;
    last = static_cast<T>(last + unfold(folded));
    return true;
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
};

bool decode_one(Input& input, Prediction& prediction, Record& record) noexcept {
  if (!input.has(2)) return false;
  const unsigned tag = input.byte(), mask = input.byte();
  std::uint64_t difference = 0;
  if ((mask & 0x80) || !input.time((mask >> 4) & 7, difference)) return false;
  auto& last = prediction.last[tag];
  if (!input.field(mask & 1, last.sub) || !input.field(mask & 2, last.a) || !input.field(mask & 4, last.b) ||
      !input.field(mask & 8, last.c)) {
    return false;
  }
  record.kind = static_cast<RecordKind>(tag & 63);
  record.endpoint = static_cast<Endpoint>(tag >> 6);
  record.sub = last.sub;
  record.a = last.a;
  record.b = last.b;
  record.c = last.c;
  if (record.kind == RecordKind::more) {
    record.time = prediction.more_time += unfold(difference);
  } else {
    record.time = prediction.time += difference;
  }
  return true;
}

}  // namespace

std::byte* encode(std::span<const Record> records, Prediction& prediction, std::byte* out) noexcept {
  for (const auto& record : records) out = encode_one(record, prediction, out);
  return out;
}

std::size_t Decoder::take(Record* out, std::size_t count) noexcept {
  Input input(at_, end_);
  std::size_t done = 0;
  while (done < count && decode_one(input, prediction_, out[done])) ++done;
  at_ = input.at();
  return done;
}

bool decode(std::span<const std::byte> bytes, std::size_t count, Ticks first, std::vector<Record>& out) {
  if (count > bytes.size() / 2) return false;
  Decoder decoder(bytes, first);
  const std::size_t before = out.size();
  out.resize(before + count);
  if (decoder.take(out.data() + before, count) != count) {
    out.resize(before);
    return false;
  }
  return decoder.at_end();
}

}  // namespace tracer::raw
