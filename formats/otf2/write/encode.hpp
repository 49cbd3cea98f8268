// SPDX-License-Identifier: BSD-3-Clause
// Events in the bytes of OTF2's event files. The library would write the same bytes (a test compares); it
// takes four times as long, and looks every new location up among all that there are.
//
//   time       0x05, u64; only when it differs from the event before
//   list       0x06, length, number of attributes, then (attribute, type, value) each; only when there are some
//   event      kind, length (not of Enter and Leave), fields
//   number     the number of the following bytes in a byte, and those; all ones are a single 0xff
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "tracer/event.hpp"

namespace tracer::otf2 {

static_assert(std::endian::native == std::endian::little, "event files are written as this machine has its numbers");

inline std::uint8_t* put_u8(std::uint8_t* to, std::uint8_t value) noexcept {
  *to = value;
  return to + 1;
}

/// The lowest `bytes` of it, as stored in memory.
inline std::uint8_t* put_bytes(std::uint8_t* to, std::uint64_t value, std::size_t bytes) noexcept {
  std::memcpy(to, &value, bytes);
  return to + bytes;
}
inline std::uint8_t* put_full(std::uint8_t* to, std::uint64_t value) noexcept {
  return put_bytes(to, value, sizeof value);
}

/// Compressed. The whole width behind the length byte is written to, also where less counts.
template <typename Number>
std::uint8_t* put(std::uint8_t* to, Number value) noexcept {
  if (value == static_cast<Number>(~Number{0})) [[unlikely]]
    return put_u8(to, 0xff);
  const auto bytes = (static_cast<unsigned>(std::bit_width(value)) + 7) / 8;
  *to = static_cast<std::uint8_t>(bytes);
  std::memcpy(to + 1, &value, sizeof value);
  return to + 1 + bytes;
}

/// Signed numbers have no short form of -1.
template <typename Number>
std::uint8_t* put_signed(std::uint8_t* to, Number value) noexcept {
  const auto bits = static_cast<std::make_unsigned_t<Number>>(value);
  return value >= 0 ? put(to, bits) : put_bytes(put_u8(to, sizeof bits), bits, sizeof bits);
}

/// As read_value() (read/definition_table.hpp) reads it: at most 9 bytes.
std::uint8_t* put_value(std::uint8_t* to, ValueType type, std::uint64_t value) noexcept;

/// Upper bounds of a record's bytes without its time. They are the library's, by which it ends a chunk.
std::size_t most_bytes(EventType type) noexcept;
constexpr std::size_t most_list_bytes(std::size_t attributes) noexcept {
  const std::size_t data = attributes * 15 + 5;
  return 1 + (data < 255 ? 1 : 9) + data;
}

/// `metric_ref`: the reference that the event's metric has in the archive. `payload`: the event's, if has_payload().
std::uint8_t* put_event(std::uint8_t* to, const Event& event, std::uint32_t metric_ref,
                        const EventAttribute& payload = {}) noexcept;

/// Enter or Leave.
inline std::uint8_t* put_region(std::uint8_t* to, EventType type, std::uint32_t region) noexcept {
  constexpr std::uint8_t enter = 12, leave = 13;
  return put(put_u8(to, type == EventType::enter ? enter : leave), region);
}

/// `types[i]` is of attribute i; attributes beyond are uint64. `metric_refs[i]`: the reference that metric i has in the
/// archive. At least one attribute.
std::uint8_t* put_list(std::uint8_t* to, std::span<const EventAttribute> attributes, std::span<const ValueType> types,
                       std::span<const std::uint32_t> metric_refs = {}) noexcept;

}  // namespace tracer::otf2
