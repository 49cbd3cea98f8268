// SPDX-License-Identifier: BSD-3-Clause
// Numbers and strings out of OTF2's buffers, never beyond their end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tracer::otf2 {

/// Reading beyond the end makes it failed(): everything after is 0 or "", nothing is thrown, and the
/// caller checks once per record.
class ByteCursor {
 public:
  ByteCursor(const std::uint8_t* begin, const std::uint8_t* end, bool big_endian = false) noexcept
      : at_(begin), end_(end), big_endian_(big_endian) {}

  bool failed() const noexcept { return failed_; }
  const std::uint8_t* at() const noexcept { return at_; }
  std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  bool more() const noexcept { return at_ < end_; }
  bool big_endian() const noexcept { return big_endian_; }

  /// The byte behind a chunk header's mark: how numbers are stored from here on.
  void endianness() noexcept {
    const auto mark = u8();
    if (mark != 0x23 && mark != 0x42) fail();
    big_endian_ = mark == 0x23;
  }

  std::uint8_t u8() noexcept { return take(1) ? at_[-1] : std::uint8_t{0}; }
  std::uint16_t u16() noexcept { return static_cast<std::uint16_t>(full(2)); }
  std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(full(4)); }
  std::uint64_t u64() noexcept { return full(8); }

  /// A length byte and as many bytes of the number; 0xff is all ones.
  std::uint64_t compressed(unsigned width) noexcept {
    const unsigned size = u8();
    if (size == 0xff) return width == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * width)) - 1;
    if (size > width) return fail();
    return full(size);
  }

  std::string_view string() noexcept {
    const auto* zero = static_cast<const std::uint8_t*>(std::memchr(at_, 0, left()));
    if (zero == nullptr || failed_) {
      fail();
      return {};
    }
    const std::string_view text{reinterpret_cast<const char*>(at_), static_cast<std::size_t>(zero - at_)};
    at_ = zero + 1;
    return text;
  }

  /// The part of `bytes` from here, and steps over it.
  ByteCursor part(std::uint64_t bytes) noexcept {
    const auto* begin = at_;
    if (bytes > left() || !take(static_cast<std::size_t>(bytes))) {
      fail();
      return {end_, end_, big_endian_};
    }
    return {begin, at_, big_endian_};
  }

  /// The length in front of a record: one byte, or 0xff and eight.
  std::uint64_t record_length() noexcept {
    const auto small = u8();
    return small == 0xff ? u64() : small;
  }

  std::uint64_t fail() noexcept {
    failed_ = true;
    at_ = end_;
    return 0;
  }

 private:
  bool take(std::size_t bytes) noexcept {
    if (left() < bytes) {
      fail();
      return false;
    }
    at_ += bytes;
    return true;
  }
  std::uint64_t full(unsigned size) noexcept {
    if (!take(size)) return 0;
    std::uint64_t value = 0;
    const auto* from = at_ - size;
    if (std::endian::native == std::endian::little && !big_endian_ && end_ - from >= 8) {
      std::memcpy(&value, from, 8);
      return size == 8 ? value : value & ((std::uint64_t{1} << (8 * size)) - 1);
    }
    if (big_endian_) {
      for (unsigned i = 0; i < size; ++i) value = (value << 8) | from[i];
    } else {
      for (unsigned i = size; i > 0; --i) value = (value << 8) | from[i - 1];
    }
    return value;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool big_endian_;
  bool failed_ = false;
};

}  // namespace tracer::otf2
