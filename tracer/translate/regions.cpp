// SPDX-License-Identifier: BSD-3-Clause
// Collects the keys of all channels, symbolises their addresses once, merges equal names.
#include "tracer/translate/regions.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

namespace tracer::translate {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

Region describe(const RegionKey& key, const SourcePosition& position, const Journal& journal) {
  Region region;
  region.role = row_of(key.construct).role;
  if (key.construct == Construct::lost_events) region.paradigm = Paradigm::measurement_system;
  if (key.construct == Construct::phase) {
    const auto text = journal.strings.find(static_cast<std::uint32_t>(key.codeptr));
    region.name = text != journal.strings.end() && !text->second.empty() ? text->second : "phase";
    region.paradigm = Paradigm::user;
    region.canonical = region.name;
    return region;
  }
  region.name = construct_name(key);
  if (!position.file.empty()) {
    region.name += " @" + base_name(position.file) + ":" + std::to_string(position.line);
    region.source_file = position.file;
    region.begin_line = region.end_line = position.line;
  } else if (key.codeptr != 0) {
    char address[32];
    std::snprintf(address, sizeof address, " @0x%llx", static_cast<unsigned long long>(key.codeptr));
    region.name += address;
    region.source_file = position.module;
  }
  region.canonical = region.name;
  region.description = position.function;
  return region;
}

void index_keys(RegionTable& table) {
  std::size_t size = 64;
  while (size < table.keys.size() * 2) size *= 2;
  table.slots.assign(size, none);
  for (std::uint32_t k = 0; k < table.keys.size(); ++k) {
    std::size_t i = table.keys[k].hash() & (size - 1);
    while (table.slots[i] != none) i = (i + 1) & (size - 1);
    table.slots[i] = k;
  }
}

}  // namespace

RegionRef RegionTable::find(const RegionKey& key) const noexcept {
  const std::size_t mask = slots.size() - 1;
  for (std::size_t i = key.hash() & mask; slots[i] != none; i = (i + 1) & mask)
    if (keys[slots[i]] == key) return refs[slots[i]];
  return key.codeptr == 0 ? undefined_ref : find({0, key.construct, key.wait, key.extra});
}

void build_regions(Tables& tables, const Journal& journal, const Symbolizer& symbolize) {
  auto table = std::make_unique<RegionTable>();
  const auto order = [](const RegionKey& a, const RegionKey& b) {
    return std::tie(a.codeptr, a.construct, a.wait, a.extra) < std::tie(b.codeptr, b.construct, b.wait, b.extra);
  };
  for (const ChannelScan& scan : tables.channels) table->keys.insert(table->keys.end(), scan.sites.begin(), scan.sites.end());
  std::sort(table->keys.begin(), table->keys.end(), order);
  table->keys.erase(std::unique(table->keys.begin(), table->keys.end()), table->keys.end());

  std::vector<std::uint64_t> addresses;
  for (const RegionKey& key : table->keys)
    if (key.codeptr != 0 && key.construct != Construct::phase && (addresses.empty() || addresses.back() != key.codeptr))
      addresses.push_back(key.codeptr);
  const std::vector<SourcePosition> positions = symbolize ? symbolize(addresses) : std::vector<SourcePosition>(addresses.size());

  std::map<std::tuple<std::string, std::string, std::uint32_t>, RegionRef> known;
  const SourcePosition nowhere;
  for (const RegionKey& key : table->keys) {
    const auto at = std::lower_bound(addresses.begin(), addresses.end(), key.codeptr);
    const bool has = key.construct != Construct::phase && at != addresses.end() && *at == key.codeptr;
    const SourcePosition& position = has ? positions[static_cast<std::size_t>(at - addresses.begin())] : nowhere;
    Region region = describe(key, position, journal);
    const auto [it, fresh] = known.emplace(std::make_tuple(region.name, region.source_file, region.begin_line),
                                           static_cast<RegionRef>(table->regions.size()));
    if (fresh) {
      table->regions.push_back(std::move(region));
    } else if (auto& first = table->regions[it->second].description; !region.description.empty() &&
               first.find(region.description) == std::string::npos) {
      first += (first.empty() ? "" : ", ") + region.description;
    }
    table->refs.push_back(it->second);
  }
  index_keys(*table);
  tables.regions = std::move(table);
}

}  // namespace tracer::translate
