// SPDX-License-Identifier: BSD-3-Clause
// Just enough of protobuf's wire format to write messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracer/leb128.hpp"

namespace tracer::perfetto {

/// Fields are appended in the order of the calls. Messages in messages are built apart and added as bytes.
class Message {
 public:
  void varint(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    put(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    key(field, 1);
    for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
  }
  void text(std::uint32_t field, std::string_view value) {
    key(field, 2);
    put(value.size());
    bytes_.append(value);
  }
  void message(std::uint32_t field, const Message& value) { text(field, value.bytes_); }
  void clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

 private:
  void key(std::uint32_t field, unsigned wire_type) { put(std::uint64_t{field} << 3 | wire_type); }
  void put(std::uint64_t value) { put_leb128(bytes_, value); }
  std::string bytes_;
};

}  // namespace tracer::perfetto
