// SPDX-License-Identifier: BSD-3-Clause
// See contents.hpp.
#include "tracer/index/contents.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/base/files/checksum.hpp"
#include "tracer/base/packed_numbers.hpp"
#include "tracer/error.hpp"

namespace tracer::index {
namespace {

[[noreturn]] void damaged(const char* what) {
  throw Error{std::string{"the index is damaged: "} + what};
}

/// The words of a table, each not less than the one before it, the last one `end`.
void require_order(std::string_view table, std::size_t each, std::size_t at, std::uint64_t end, const char* what) {
  std::uint64_t before = 0;
  for (std::size_t i = 0; i + each <= table.size(); i += each) {
    BytesIn in{table.substr(i + at)};
    const std::uint64_t word = in.word();
    if (word < before || word > end) damaged(what);
    before = word;
  }
}

/// The tree of so many blocks: how many nodes each of its levels has, the last one of them one.
std::vector<std::uint64_t> nodes_of_levels(std::uint64_t blocks) {
  std::vector<std::uint64_t> nodes;
  while (blocks > 1) nodes.push_back(blocks = (blocks - 1) / fan_out + 1);
  return nodes;
}

}  // namespace

Contents::Contents(std::string bytes) : bytes_{std::move(bytes)} {
  const std::string_view all = bytes_;
  if (all.size() < 8 * header_words || all.substr(0, 8) != magic) throw Error{"that is no index of a trace"};
  BytesIn in{all.substr(8)};
  const std::uint64_t version = in.word();
  if (version != format_version) throw Error{"the index is of another version: " + std::to_string(version)};
  const std::uint64_t size = in.word();
  header_.stamp = in.word();
  header_.events = in.word();
  header_.first = in.word();
  header_.last = in.word();
  header_.locations = in.word();
  const std::uint64_t directory = in.word(), sum = in.word();
  if (size != all.size()) damaged("its size differs from its header");
  if (checksum(all.data(), 8 * (header_words - 1),
               checksum(all.data() + 8 * header_words, all.size() - 8 * header_words)) != sum)
    damaged("its checksum is another");
  if (directory > all.size() || header_.locations > (all.size() - directory) / (8 * directory_words))
    damaged("its directory is cut off");
  locations_.reserve(static_cast<std::size_t>(header_.locations));
  Budget room{all.size()};
  for (std::size_t i = 0; i < header_.locations; ++i)
    locations_.push_back(location_at(all.substr(static_cast<std::size_t>(directory)), i, room));
  find_tables(all.substr(static_cast<std::size_t>(directory + 8 * directory_words * header_.locations)));
}

void Contents::find_tables(std::string_view list) {
  BytesIn in{list};
  const std::uint64_t count = in.word();
  if (!in.ok() || count > in.left() / (8 * table_words)) damaged("its list of tables is cut off");
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t kind = in.word(), offset = in.word(), size = in.word();
    if (offset > bytes_.size() || size > bytes_.size() - offset) damaged("a table lies outside of it");
    tables_.emplace_back(
        kind, std::string_view{bytes_}.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)));
  }
}

std::string_view Contents::table(TableKind kind) const noexcept {
  for (const auto& table : tables_)
    if (table.first == static_cast<std::uint64_t>(kind)) return table.second;
  return {};
}

LocationIndex Contents::location_at(std::string_view directory, std::size_t index, Budget& room) const {
  BytesIn in{directory.substr(index * 8 * directory_words)};
  LocationIndex out;
  const std::uint64_t offset = in.word(), size = in.word();
  out.events = in.word();
  out.blocks = in.word();
  out.first = in.word();
  out.last = in.word();
  const std::uint64_t depth = in.word(), levels = in.word();
  if (offset > bytes_.size() || size > bytes_.size() - offset) damaged("a location lies outside of it");
  if (!room.take(size)) damaged("its locations overlap");  // each would be read as often as it is named
  const std::string_view section =
      std::string_view{bytes_}.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  if (depth > most_depth) damaged("a location's depth cannot be");
  out.depth = static_cast<std::uint32_t>(depth);
  out.level_nodes = nodes_of_levels(out.blocks);
  if (levels != out.level_nodes.size()) damaged("a location's tree has other levels than its blocks need");
  if (out.blocks == 0) return out;
  if (out.blocks >= section.size() / block_place_bytes) damaged("a location's blocks are cut off");
  const std::size_t places = (static_cast<std::size_t>(out.blocks) + 1) * block_place_bytes;
  out.places = section.substr(0, places);
  std::size_t nodes = 0;
  for (const std::uint64_t of : out.level_nodes) nodes += static_cast<std::size_t>(of);
  if ((section.size() - places) / 8 < nodes + 1) damaged("a location's nodes are cut off");
  out.nodes = section.substr(places, 8 * (nodes + 1));
  out.payloads = section.substr(places + 8 * (nodes + 1));
  require_order(out.places, block_place_bytes, 0, ~std::uint64_t{0}, "blocks are not in order of time");
  require_order(out.places, block_place_bytes, 8, out.events, "blocks are not in order");
  require_order(out.places, block_place_bytes, 40, out.payloads.size(), "a block lies outside of it");
  require_order(out.nodes, 8, 0, out.payloads.size(), "a node lies outside of it");
  return out;
}

}  // namespace tracer::index
