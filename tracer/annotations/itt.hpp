// SPDX-License-Identifier: BSD-3-Clause
// What the parts of ITT share. The layouts are those of ITT's public sources (ittnotify.h, ittnotify_config.h;
// interface version 3).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/annotations/annotation.hpp"

namespace tracer::words::itt {

struct Id {
  unsigned long long d1, d2, d3;
};

struct Domain {
  volatile int flags;  ///< 0: the program's macros call nothing
  const char* name;
  void* wide_name;
  int number;  ///< ours: of the name
  void* extra;
  Domain* next;
};

struct String {
  const char* text;
  void* wide_text;
  int number;  ///< ours: of the text
  void* extra;
  String* next;
};

std::uint32_t number_of(const Domain* domain) noexcept;
std::uint32_t number_of(String* string) noexcept;

/// __itt_metadata_type.
enum : int { type_u64 = 1, type_s64, type_u32, type_s32, type_u16, type_s16, type_float, type_double };
struct Value {
  Payload type = Payload::none;
  std::uint64_t bits = 0;
};
/// Bytes of a value; 0: not a type.
std::size_t size_of(int type) noexcept;
Value value_of(int type, const void* at) noexcept;

struct Row {
  const char* name;
  void* function;
};
template <class Original>
Row row(const char* name, Original* function) noexcept {
  return {name, reinterpret_cast<void*>(function)};
}
/// What `name` (as in "__itt_counter_inc") is done by; nullptr: not by this part.
void* counter_function(const char* name) noexcept;
void* metadata_function(const char* name) noexcept;

}  // namespace tracer::words::itt
