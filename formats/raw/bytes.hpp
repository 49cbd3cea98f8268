// SPDX-License-Identifier: BSD-3-Clause
// Numbers and strings to bytes and back; the reading side believes nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tracer::raw {

/// What is short needs no memory, which may be what is missing.
class BytesOut {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T value) { add(&value, sizeof value); }
  void put(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    add(text.data(), text.size());
  }
  void put(const std::string& text) { put(std::string_view{text}); }
  void put(const std::vector<std::string>& texts) {
    put(static_cast<std::uint32_t>(texts.size()));
    for (const std::string& text : texts) put(text);
  }
  void put(const std::map<std::string, std::string>& texts) {
    put(static_cast<std::uint32_t>(texts.size()));
    for (const auto& [name, text] : texts) {
      put(name);
      put(text);
    }
  }
  std::span<const std::byte> bytes() const noexcept {
    return long_.empty() ? std::span<const std::byte>(short_).first(short_bytes_) : std::span<const std::byte>(long_);
  }

 private:
  void add(const void* from, std::size_t count) {
    if (count == 0) return;
    const auto* const first = static_cast<const std::byte*>(from);
    if (long_.empty() && count <= short_.size() - short_bytes_) {
      std::memcpy(short_.data() + short_bytes_, first, count);
      short_bytes_ += count;
      return;
    }
    if (long_.empty()) long_.assign(short_.data(), short_.data() + short_bytes_);
    long_.insert(long_.end(), first, first + count);
  }

  std::array<std::byte, 256> short_{};
  std::size_t short_bytes_ = 0;
  std::vector<std::byte> long_;  ///< all, as soon as the other has no room for it
};

/// After the first thing that is not there, everything reads as 0 or "" and ok() is false.
class BytesIn {
 public:
  explicit BytesIn(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void get(T& value) noexcept {
    value = T{};
    if (take(sizeof value)) std::memcpy(&value, taken_, sizeof value);
  }
  void get(std::string& text) {
    std::uint32_t size = 0;
    get(size);
    text.clear();
    if (take(size)) text.assign(reinterpret_cast<const char*>(taken_), size);
  }
  void get(std::vector<std::string>& texts) {
    std::uint32_t count = 0;
    get(count);
    texts.clear();
    for (; count > 0 && ok_; --count) get(texts.emplace_back());
  }
  void get(std::map<std::string, std::string>& texts) {
    std::uint32_t count = 0;
    get(count);
    for (; count > 0 && ok_; --count) {
      std::string name, text;
      get(name);
      get(text);
      texts[name] = std::move(text);
    }
  }
  bool ok() const noexcept { return ok_; }
  std::size_t left() const noexcept { return bytes_.size(); }

 private:
  bool take(std::size_t count) noexcept {
    ok_ = ok_ && count <= bytes_.size();
    if (!ok_) return false;
    taken_ = bytes_.data();
    bytes_ = bytes_.subspan(count);
    return true;
  }

  std::span<const std::byte> bytes_;
  const std::byte* taken_ = nullptr;
  bool ok_ = true;
};

}  // namespace tracer::raw
