// SPDX-License-Identifier: BSD-3-Clause
// Thrift's compact protocol, as far as Parquet's headers and footer need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/leb128.hpp"

namespace tracer::parquet {

/// Writes one struct and those inside it; fields in ascending order of their ids.
class Thrift {
 public:
  explicit Thrift(std::string& out) : out_{out} {}
  void i16(int id, std::int64_t value) { number(id, type_i16, value); }
  void i32(int id, std::int64_t value) { number(id, type_i32, value); }
  void i64(int id, std::int64_t value) { number(id, type_i64, value); }
  void boolean(int id, bool value) { field(id, value ? type_true : type_false); }
  void binary(int id, std::string_view bytes) {
    field(id, type_binary);
    element(bytes);
  }
  void begin_struct(int id) {
    field(id, type_struct);
    enter();
  }
  void end_struct() {
    out_.push_back(0);
    last_ = outer_.back();
    outer_.pop_back();
  }
  /// The last field of all.
  void end() { out_.push_back(0); }

  // Lists: the head, then as many elements; a struct in a list is entered without a field's head.
  void list_of_i32(int id, std::size_t size) { list(id, type_i32, size); }
  void list_of_binary(int id, std::size_t size) { list(id, type_binary, size); }
  void list_of_structs(int id, std::size_t size) { list(id, type_struct, size); }
  void element(std::int64_t value) { zigzag(value); }
  void element(std::string_view bytes) {
    varint(bytes.size());
    out_.append(bytes);
  }
  void begin_element() { enter(); }

 private:
  enum Type : unsigned char {
    type_true = 1,
    type_false = 2,
    type_i16 = 4,
    type_i32 = 5,
    type_i64 = 6,
    type_binary = 8,
    type_list = 9,
    type_struct = 12
  };
  void field(int id, Type type) {
    const int step = id - last_;
    if (step > 0 && step < 16) {
      out_.push_back(static_cast<char>(step << 4 | type));
    } else {
      out_.push_back(static_cast<char>(type));
      zigzag(id);
    }
    last_ = id;
  }
  void number(int id, Type type, std::int64_t value) {
    field(id, type);
    zigzag(value);
  }
  void list(int id, Type type, std::size_t size) {
    field(id, type_list);
    out_.push_back(static_cast<char>(size < 15 ? size << 4 | type : 0xf0u | type));
    if (size >= 15) varint(size);
  }
  void enter() {
    outer_.push_back(last_);
    last_ = 0;
  }
  void varint(std::uint64_t value) { put_leb128(out_, value); }
  void zigzag(std::int64_t value) {
    varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }

  std::string& out_;
  std::vector<int> outer_;
  int last_ = 0;
};

}  // namespace tracer::parquet
