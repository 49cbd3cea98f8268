// SPDX-License-Identifier: BSD-3-Clause
// Numbers as bytes, and back; the reading side believes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tracer {

/// Seven bits a byte, the lowest first.
inline void put_number(std::string& out, std::uint64_t value) {
  for (; value >= 128; value >>= 7) out.push_back(static_cast<char>(value | 128));
  out.push_back(static_cast<char>(value));
}
/// Eight bytes, the lowest first.
inline void put_word(std::string& out, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

/// A number with a sign, or a difference modulo 2^64: the lowest bit has the sign, so that small ones are short.
constexpr std::uint64_t folded(std::uint64_t difference) noexcept {
  return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::uint64_t unfolded(std::uint64_t number) noexcept {
  return number >> 1 ^ ((number & 1) != 0 ? ~std::uint64_t{0} : 0);
}

/// After the first thing that is not there everything reads as 0, and ok() is false.
class BytesIn {
 public:
  explicit BytesIn(std::string_view bytes) noexcept : bytes_{bytes} {}
  std::uint64_t number() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= std::uint64_t{byte & 127u} << shift;
      if (byte < 128) return value;
    }
    ok_ = false;
    return 0;
  }
  /// One that fits.
  std::uint32_t number32() noexcept {
    const std::uint64_t value = number();
    if (value > 0xffffffffu) ok_ = false;
    return ok_ ? static_cast<std::uint32_t>(value) : 0;
  }
  std::uint64_t word() noexcept {
    if (bytes_.size() < 8) ok_ = false;
    if (!ok_) return 0;
    std::uint64_t value = 0;
    for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes_[static_cast<std::size_t>(i)]);
    bytes_.remove_prefix(8);
    return value;
  }
  /// Of things that take at least a byte each: no more than there can be.
  std::size_t count() noexcept {
    const std::uint64_t value = number();
    if (value > bytes_.size()) ok_ = false;
    return ok_ ? static_cast<std::size_t>(value) : 0;
  }
  /// What stands there is wrong.
  void refuse() noexcept { ok_ = false; }
  std::size_t left() const noexcept { return bytes_.size(); }
  bool ok() const noexcept { return ok_; }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace tracer
