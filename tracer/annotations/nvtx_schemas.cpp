// SPDX-License-Identifier: BSD-3-Clause
// See nvtx_schemas.hpp.
#include "tracer/annotations/nvtx_schemas.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tracer::words::nvtx {
namespace {

enum : std::uint64_t {
  type_long_double = 21,
  type_c_string = 75,
  type_utf8_string = 76,
  type_utf32_string = 78,
  type_registered_string = 80,
};

enum class Sort : std::uint8_t { other, unsigned_integer, signed_integer, real };
struct Basic {
  std::uint8_t size = 0;
  Sort sort = Sort::other;
};

/// Sizes are those of 64-bit Linux, where these programs run.
Basic basic_of(std::uint64_t type) noexcept {
  using enum Sort;
  constexpr Basic low[] = {{},  // 1: char, unsigned char, short, ...
                           {1, signed_integer},
                           {1, unsigned_integer},
                           {2, signed_integer},
                           {2, unsigned_integer},
                           {4, signed_integer},
                           {4, unsigned_integer},
                           {8, signed_integer},
                           {8, unsigned_integer},
                           {8, signed_integer},
                           {8, unsigned_integer},  // 11: int8, uint8, ...
                           {1, signed_integer},
                           {1, unsigned_integer},
                           {2, signed_integer},
                           {2, unsigned_integer},
                           {4, signed_integer},
                           {4, unsigned_integer},
                           {8, signed_integer},
                           {8, unsigned_integer},
                           {4, real},
                           {8, real},
                           {16, other},  // 19: float, double
                           {8, unsigned_integer},
                           {8, unsigned_integer},  // 22: size_t, address
                           {4, unsigned_integer},
                           {1, unsigned_integer},
                           {2, unsigned_integer},
                           {4, unsigned_integer}};
  if (type < sizeof low / sizeof *low) return low[type];
  switch (type) {
    case 32:  // a byte
      return {1, unsigned_integer};
    case 33:  // 128 bits
    case 34:
    case 45:
      return {16, other};
    case 42:  // 16 bits
    case 50:
      return {2, other};
    case 43:
    case 52:
      return {4, real};
    case 44:
      return {8, real};
    case 68:  // category, colour, 32-bit ids of processes and threads
    case 69:
    case 71:
    case 73:
      return {4, unsigned_integer};
    case 70:  // scope, 64-bit ids
    case 72:
    case 74:
      return {8, unsigned_integer};
    case type_c_string:
    case type_utf8_string:
    case 77:
    case type_utf32_string:
    case type_registered_string:
      return {8, other};
    default:
      return {};
  }
}

bool is_text(std::uint64_t type) noexcept {
  return type == type_c_string || type == type_utf8_string;
}

enum : std::uint64_t {  // NVTX_PAYLOAD_ENTRY_FLAG_*
  flag_pointer = 1 << 1,
  flag_from_base = 1 << 2,
  flag_from_here = 1 << 3,
  flag_fixed_array = 1 << 4,
  mask_array = 7 << 4,
};

/// nvtxPayloadSchemaEntry_t.
struct Entry {
  std::uint64_t flags, type;
  const char *name, *description;
  std::uint64_t array_or_union;
  std::uint64_t offset;
  const Semantics* semantics;
  const void* reserved;
};
static_assert(sizeof(Entry) == 64);

/// nvtxPayloadSchemaAttr_t.
struct SchemaAttributes {
  std::uint64_t fields;
  const char* name;
  std::uint64_t type, flags;
  const Entry* entries;
  std::size_t count;
  std::size_t static_size, pack;
  std::uint64_t id;
  void* extension;
};
enum : std::uint64_t {  // NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_*
  has_entries = 1 << 4,
  has_count = 1 << 5,
  has_pack = 1 << 7,
  has_id = 1 << 8,
};
enum : std::uint64_t { schema_static = 1, schema_dynamic = 2 };

/// nvtxPayloadEnumAttr_t.
struct EnumerationAttributes {
  std::uint64_t fields;
  const char* name;
  const void* entries;
  std::size_t count;
  std::size_t size;
  std::uint64_t id;
  void* extension;
};
enum : std::uint64_t { enumeration_has_size = 1 << 4, enumeration_has_id = 1 << 5 };

constinit std::atomic<const Schema*> schemas{nullptr};

void keep(Schema& made) noexcept {
  const Schema* first = schemas.load(std::memory_order_relaxed);
  do {
    made.next = first;
  } while (!schemas.compare_exchange_weak(first, &made, std::memory_order_release));
}

Schema* make_schema(const void* domain, std::uint64_t id, std::size_t most) noexcept {
  auto* made = static_cast<Schema*>(std::calloc(1, sizeof(Schema) + most * sizeof(Field)));
  if (made == nullptr) return nullptr;
  made->domain = &domain_at(domain);
  made->id = id;
  return made;
}

struct Layout {
  std::size_t size = 0, align = 1;  ///< size 0: not known before the bytes are
};

/// Of a field, without arrays whose length lies in the payload and structures within it.
Layout layout_of(const Entry& entry) noexcept {
  if ((entry.flags & (flag_pointer | flag_from_base | flag_from_here)) != 0) return {8, 8};
  const Basic basic = basic_of(entry.type);
  if (basic.size == 0) return {};
  const std::uint64_t array = entry.flags & mask_array;
  if (is_text(entry.type) && array <= flag_fixed_array && entry.array_or_union != 0) return {entry.array_or_union, 1};
  if (array == 0) return {basic.size, basic.size};
  if (array != flag_fixed_array) return {};
  return {basic.size * entry.array_or_union, basic.size};
}

constexpr std::size_t most_entries = 256, longest_label = 255;

void read_entries(const SchemaAttributes& from, Schema& to) noexcept {
  const std::size_t pack = (from.fields & has_pack) != 0 && from.pack != 0 ? from.pack : 16;
  std::size_t at = 0;
  for (std::size_t i = 0; i < std::min(from.count, most_entries); ++i) {
    const Entry& entry = from.entries[i];
    const Layout layout = layout_of(entry);
    if (layout.size == 0) return;  // what follows has no place that is known
    const std::size_t align = std::min(layout.align, pack);
    at = entry.offset != 0 ? entry.offset : (at + align - 1) / align * align;
    const bool is_plain = (entry.flags & (flag_pointer | flag_from_base | flag_from_here)) == 0;
    const bool is_array = (entry.flags & mask_array) != 0 && !is_text(entry.type);
    if (is_plain && !is_array) {
      Field& field = to.fields[to.count++];
      field = {.type = entry.type,
               .offset = at,
               .length = is_text(entry.type) ? entry.array_or_union : 0,
               .flags = entry.flags,
               .name = copy_of(entry.name, longest_label),
               .unit = unit_of(entry.semantics)};
    }
    at += layout.size;
  }
}

template <class Number>
Number read(const void* at) noexcept {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

std::uint64_t integer_at(const void* at, Basic basic) noexcept {
  const bool has_sign = basic.sort == Sort::signed_integer;
  const auto wide = [has_sign](auto plain, auto with_sign) noexcept {
    return has_sign ? static_cast<std::uint64_t>(std::int64_t{with_sign}) : std::uint64_t{plain};
  };
  switch (basic.size) {
    case 1:
      return wide(read<std::uint8_t>(at), read<std::int8_t>(at));
    case 2:
      return wide(read<std::uint16_t>(at), read<std::int16_t>(at));
    case 4:
      return wide(read<std::uint32_t>(at), read<std::int32_t>(at));
    default:
      return read<std::uint64_t>(at);
  }
}

Value text_at(const Field& field, const char* at) noexcept {
  if (field.length == 0) return {Payload::text, name_of(read<const char*>(at))};
  char text[512];
  const std::size_t length = ::strnlen(at, std::min<std::size_t>(field.length, sizeof text - 1));
  std::memcpy(text, at, length);
  text[length] = '\0';
  return {Payload::text, name_of(text)};
}

}  // namespace

std::uint64_t next_dynamic_id() noexcept {
  constexpr std::uint64_t first = std::uint64_t{1} << 32;  // NVTX_*_ID_DYNAMIC_START
  static constinit std::atomic<std::uint64_t> last{first};
  return last.fetch_add(1, std::memory_order_relaxed);
}

std::uint32_t unit_of(const Semantics* semantics) noexcept {
  constexpr std::uint16_t of_counters = 5;  // NVTX_SEMANTIC_ID_COUNTERS_V1
  struct CounterSemantics {
    Semantics header;
    std::uint64_t flags;
    const char* unit;
  };
  constexpr int most = 16;
  for (int n = 0; semantics != nullptr && n < most; semantics = semantics->next, ++n)
    if (semantics->id == of_counters && semantics->size >= sizeof(CounterSemantics))
      return name_of(reinterpret_cast<const CounterSemantics*>(semantics)->unit);
  return 0;
}

std::uint64_t register_schema(const void* domain, const void* attributes) noexcept {
  const auto* from = static_cast<const SchemaAttributes*>(attributes);
  if (from == nullptr || (from->fields & has_entries) == 0 || (from->fields & has_count) == 0 ||
      from->entries == nullptr)
    return 0;
  const bool has_own_id = (from->fields & has_id) != 0 && from->id != 0;
  const std::uint64_t id = has_own_id ? from->id : next_dynamic_id();
  Schema* made = make_schema(domain, id, std::min(from->count, most_entries));
  if (made == nullptr) return 0;
  if (from->type == schema_static || from->type == schema_dynamic) read_entries(*from, *made);
  keep(*made);
  return id;
}

std::uint64_t register_enumeration(const void* domain, const void* attributes) noexcept {
  const auto* from = static_cast<const EnumerationAttributes*>(attributes);
  if (from == nullptr) return 0;
  const std::uint64_t id = (from->fields & enumeration_has_id) != 0 && from->id != 0 ? from->id : next_dynamic_id();
  Schema* made = make_schema(domain, id, 1);
  if (made == nullptr) return 0;
  constexpr std::uint64_t int8 = 11, int16 = 13, int32 = 15, int64 = 17;
  const std::size_t size = (from->fields & enumeration_has_size) != 0 ? from->size : sizeof(int);
  made->fields[made->count++] = {.type = size == 1 ? int8 : size == 2 ? int16 : size == 8 ? int64 : int32};
  keep(*made);
  return id;
}

const Schema* schema_at(const Domain& domain, std::uint64_t id) noexcept {
  for (const Schema* s = schemas.load(std::memory_order_acquire); s != nullptr; s = s->next)
    if (s->id == id && s->domain == &domain) return s;
  return nullptr;
}

bool is_number(std::uint64_t type) noexcept {
  return basic_of(type).sort != Sort::other;
}

Value value_of(const Field& field, const void* bytes, std::size_t size) noexcept {
  const Basic basic = basic_of(field.type);
  const std::size_t need = field.length != 0 ? field.length : basic.size;
  if (bytes == nullptr || need == 0 || size < need || size - need < field.offset) return {};
  const char* at = static_cast<const char*>(bytes) + field.offset;
  if (is_text(field.type)) return text_at(field, at);
  if (field.type == type_registered_string) {
    const auto* registered = read<const Registered*>(at);
    return registered != nullptr ? Value{Payload::text, registered->name} : Value{};
  }
  if (basic.sort == Sort::other) return {};
  if (basic.sort != Sort::real)
    return {basic.sort == Sort::signed_integer ? Payload::signed_integer : Payload::unsigned_integer,
            integer_at(at, basic)};
  return {Payload::real, bits_of(basic.size == 4 ? double{read<float>(at)} : read<double>(at))};
}

}  // namespace tracer::words::nvtx
