// SPDX-License-Identifier: BSD-3-Clause
// Bytes as text, as the page decodes them.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace tracer::report {

class Base64 {
 public:
  explicit Base64(std::ostream& out) : out_{out} {}
  void add(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
      bits_ = bits_ << 8 | static_cast<unsigned char>(c);
      have_ += 8;
      ++total_;
      while (have_ >= 6) text.push_back(digits[bits_ >> (have_ -= 6) & 63]);
    }
    out_ << text;
  }
  void finish() {
    if (have_ != 0) out_ << digits[bits_ << (6 - have_) & 63];
    out_ << std::string((3 - total_ % 3) % 3, '=');
  }

 private:
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::ostream& out_;
  unsigned bits_ = 0, have_ = 0;
  std::size_t total_ = 0;
};

}  // namespace tracer::report
