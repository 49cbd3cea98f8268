// SPDX-License-Identifier: BSD-3-Clause
// What stands in the anchor file: creator, description and the archive's properties.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "formats/otf2/common/mpi_communicators.hpp"
#include "formats/otf2/write/definition_writer.hpp"
#include "formats/otf2/write/library.hpp"

namespace tracer::otf2 {
namespace {

/// The library writes the anchor in one chunk of 256 KiB, and cannot read one that is full.
constexpr std::size_t most_in_anchor = 230'000, property_overhead = 16;

/// The anchor is a text file of lines.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

/// The library wants [A-Z0-9_] parts with "::" between them.
std::string property_name(std::string name) {
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ':')) c = '_';
  }
  return name;
}

}  // namespace

DividedProperties divided(const std::vector<Property>& properties) {
  DividedProperties all;
  std::size_t used = 0;
  for (const bool is_many : {false, true}) {  // those come last
    for (const Property& property : properties) {
      if (is_of_mpi_object(property.name) != is_many) continue;
      used += property.name.size() + property.value.size() + property_overhead;
      if (!is_many || used <= most_in_anchor) {
        all.of_archive.push_back(property);
        continue;
      }
      Property& kept = all.of_group.emplace_back(property);
      if (kept.value.size() > max_string) kept.value = without_members(std::move(kept.value));
    }
  }
  return all;
}

void write_archive_properties(OTF2_Archive* archive, const Definitions& definitions) {
  if (!definitions.creator.empty())
    check(OTF2_Archive_SetCreator(archive, one_line(definitions.creator).c_str()), "creator");
  for (const auto& node : definitions.nodes) {
    if (node.domain == NodeDomain::machine)
      check(OTF2_Archive_SetMachineName(archive, one_line(node.name).c_str()), "machine name");
  }
  if (!definitions.description.empty()) {
    check(OTF2_Archive_SetDescription(archive, one_line(definitions.description).c_str()), "description");
  }
  for (const Property& property : divided(definitions.properties).of_archive) {
    if (property.value.empty()) continue;  // to the library that means: remove it
    const auto what = "property " + property.name;
    check(
        OTF2_Archive_SetProperty(archive, property_name(property.name).c_str(), one_line(property.value).c_str(), true),
        what.c_str());
  }
}

std::uint64_t definition_chunk_bytes(const Definitions& definitions, std::size_t mapping_tables) noexcept {
  std::size_t largest = std::max(max_string, mapping_tables);
  for (const auto& group : definitions.groups) largest = std::max(largest, group.members.size() * 9);
  const std::uint64_t wanted = std::bit_ceil(2 * largest);
  return std::clamp(wanted, OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_MAX);
}

}  // namespace tracer::otf2
