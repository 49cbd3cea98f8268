// SPDX-License-Identifier: BSD-3-Clause
// What the four languages share: the tracer's table, names and their numbers, and the records of ranges, marks and
// counters. Everything here may be called by any thread of the program; nothing throws, prints or ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracer/front_end.h"

namespace tracer::words {

/// In the records' `sub`, bits 0-3 (record_table.hpp).
enum class Language : std::uint16_t { nvtx = 1, itt = 2, kokkos = 3, roctx = 4 };

/// In the records' `sub`, bits 4-7: how the payload or the value is to be read; a text is a name's number.
enum class Payload : std::uint16_t { none = 0, unsigned_integer = 1, signed_integer = 2, real = 3, text = 4 };

/// The tracer's table: connected at the first use, a table of functions that do nothing when there is none.
const tracer_front_end& tracer() noexcept;

/// The number of a text. One look into a table and one comparison where the text was met at this address before, else
/// one hash; a text that is new is copied once. 0 when nothing is recorded or there is no memory.
std::uint32_t name_of(const char* text) noexcept;
std::uint32_t name_of(const wchar_t* text) noexcept;

/// The tracer keeps no more of a text.
inline constexpr std::size_t longest_name = 64 << 10;

std::uint64_t hash_of(const char* text, std::size_t length) noexcept;

/// A copy for free(), of at most so many bytes; nullptr of nullptr, and when there is no memory.
char* copy_of(const char* text, std::size_t most = longest_name) noexcept;
/// `text` as UTF-8, for free(); nullptr as for copy_of(). At most 64 KiB.
char* utf8_of(const wchar_t* text) noexcept;

inline std::uint64_t bits_of(double value) noexcept {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Category and colour of a range or mark as one number, 0 when it has neither. `category`: its name or nullptr.
std::uint32_t details_of(std::uint32_t category, const char* category_name, bool has_color,
                         std::uint32_t argb) noexcept;

struct Annotation {
  Language language = Language::nvtx;
  std::uint32_t domain = 0;  ///< number of its name, 0: the language's own
  std::uint32_t name = 0;
  std::uint32_t details = 0;  ///< details_of(); of a counter the number of its unit
  Payload payload_type = Payload::none;
  std::uint64_t payload = 0;
};

void push(const Annotation& annotation) noexcept;
void pop(Language language, std::uint32_t domain) noexcept;
/// Ids are the language's: unique among its ranges that are open.
void start(const Annotation& annotation, std::uint64_t id) noexcept;
void end(Language language, std::uint32_t domain, std::uint64_t id) noexcept;
void mark(const Annotation& annotation) noexcept;
/// `annotation.payload` is the counter's new value.
void counter(const Annotation& annotation) noexcept;

/// What the program calls one of its threads, by the kernel's number. For once per thread: it may lock and write.
void name_thread(std::uint64_t os_thread_id, const char* name) noexcept;

/// A number that no other range of this process has.
std::uint64_t next_range_id() noexcept;

}  // namespace tracer::words
