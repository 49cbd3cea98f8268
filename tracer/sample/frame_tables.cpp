// SPDX-License-Identifier: BSD-3-Clause
// See frame_tables.hpp.
#include "tracer/sample/frame_tables.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace tracer::sample {
namespace {

/// As glibc's dl_find_object on 64-bit machines, which headers of older ones lack.
struct FoundObject {
  unsigned long long flags;
  const void *begin, *end;
  const void* map;
  const std::uint8_t* tables;  ///< .eh_frame_hdr
  unsigned long long reserved[8];
};
using FindObject = int(void*, FoundObject*);
constinit std::atomic<FindObject*> find_object{nullptr};

struct Header {
  std::uint8_t version, tables_encoding, count_encoding, search_encoding;
  std::int32_t tables;
  std::uint32_t count;
};
static_assert(sizeof(Header) == 12);
/// Both relative to the header.
struct SearchEntry {
  std::int32_t function, description;
};
constexpr std::uint8_t relative_to_itself = 0x1b, unsigned_number = 0x03, relative_to_header = 0x3b;

}  // namespace

// The portable package has a function of that name inside, which is for exceptions and not for handlers: dlsym() does
// not find it.
bool can_find_tables() noexcept {
  void* const found = ::dlsym(RTLD_DEFAULT, "_dl_find_object");
  FindObject* function = nullptr;
  std::memcpy(&function, &found, sizeof found);
  find_object.store(function);
  return function != nullptr;
}

FrameEntry find_frame_entry(std::uint64_t code) noexcept {
  FindObject* const find = find_object.load(std::memory_order_relaxed);
  FoundObject object{};
  if (find == nullptr || find(reinterpret_cast<void*>(code), &object) != 0 || object.tables == nullptr) return {};
  Header header;
  std::memcpy(&header, object.tables, sizeof header);
  if (header.version != 1 || header.tables_encoding != relative_to_itself || header.count_encoding != unsigned_number ||
      header.search_encoding != relative_to_header)
    return {};
  const auto base = reinterpret_cast<std::uint64_t>(object.tables);
  const auto wanted = static_cast<std::int64_t>(code - base);
  const auto* first = reinterpret_cast<const SearchEntry*>(object.tables + sizeof header);
  const SearchEntry* const after =
      std::upper_bound(first, first + header.count, wanted,
                       [](std::int64_t address, const SearchEntry& entry) { return address < entry.function; });
  if (after == first) return {};
  const SearchEntry& entry = after[-1];
  return {object.tables + entry.description, base + static_cast<std::uint64_t>(std::int64_t{entry.function})};
}

}  // namespace tracer::sample
