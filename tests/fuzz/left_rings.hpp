// SPDX-License-Identifier: BSD-3-Clause
// The file of rings that a process would leave: its header, and one slot after the other.
#pragma once

#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "formats/raw/layout.hpp"
#include "tracer/record.hpp"

namespace tracer::test {

inline std::string left_rings(raw::RunId run, std::uint32_t process_id, std::uint32_t version = raw::format_version) {
  std::string bytes(raw::spool_page, '\0');
  raw::SpoolHeader header{};
  std::memcpy(header.magic, raw::spool_magic, sizeof header.magic);
  header.version = version;
  header.process_id = process_id;
  header.run = run;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

/// A ring of `capacity` slots whose first hold `records`.
inline void add_left_ring(std::string& bytes, ChannelId channel, std::size_t capacity,
                          const std::vector<Record>& records) {
  alignas(raw::SlotHeader) char page[raw::spool_page]{};
  auto* slot = new (page) raw::SlotHeader{};
  slot->magic = raw::slot_magic;
  slot->reserved_capacity = capacity;
  slot->capacity = capacity;
  slot->channel = channel;
  slot->head = records.size();
  bytes.append(page, sizeof page);
  bytes.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record));
  bytes.append((capacity - records.size()) * sizeof(Record), '\0');
}

}  // namespace tracer::test
