// SPDX-License-Identifier: BSD-3-Clause
// How the bytes of an extended payload or counter are to be read: NVTX's predefined types, and schemas that programs
// register.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/annotations/nvtx.hpp"

namespace tracer::words::nvtx {

/// nvtxSemanticsHeader_t: a list of what more is known of a field.
struct Semantics {
  std::uint32_t size;
  std::uint16_t id, version;
  const Semantics* next;
};
/// The unit in the semantics of counters, as a name's number; 0: none.
std::uint32_t unit_of(const Semantics* semantics) noexcept;

/// A field at a fixed place.
struct Field {
  std::uint64_t type = 0;  ///< NVTX_PAYLOAD_ENTRY_TYPE_*
  std::size_t offset = 0;
  std::uint64_t length = 0;    ///< of a text that lies in the payload; 0: its address does
  std::uint64_t flags = 0;     ///< NVTX_PAYLOAD_ENTRY_FLAG_*
  const char* name = nullptr;  ///< a copy of the program's; nullptr: it has none
  std::uint32_t unit = 0;
};

/// Made once, never freed.
struct Schema {
  const Schema* next;
  const Domain* domain;
  std::uint64_t id;
  std::size_t count;
  Field fields[];
};

/// nvtxPayloadSchemaRegister, nvtxPayloadEnumRegister: the schema's id, 0 when there is no memory.
std::uint64_t register_schema(const void* domain, const void* attributes) noexcept;
std::uint64_t register_enumeration(const void* domain, const void* attributes) noexcept;
/// nullptr: it was not registered in this domain.
const Schema* schema_at(const Domain& domain, std::uint64_t id) noexcept;

struct Value {
  Payload type = Payload::none;
  std::uint64_t bits = 0;
};
bool is_number(std::uint64_t type) noexcept;
/// The number or text of `field` among `size` bytes; none: it is neither, or lies outside.
Value value_of(const Field& field, const void* bytes, std::size_t size) noexcept;

/// A number for what a program registers without one of its own.
std::uint64_t next_dynamic_id() noexcept;

}  // namespace tracer::words::nvtx
