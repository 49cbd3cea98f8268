// SPDX-License-Identifier: BSD-3-Clause
// Definitions into an archive's global definition file and its anchor.
#pragma once

#include <otf2/otf2.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "formats/otf2/write/archive.hpp"
#include "formats/otf2/write/string_table.hpp"
#include "tracer/definitions.hpp"

namespace tracer::otf2 {

/// Of a definition; a longer one would need chunks no reader wants.
inline constexpr std::size_t max_string = 64 * 1024;

/// Writes every string before what refers to it, and parents before children as they come.
class DefinitionWriter {
 public:
  DefinitionWriter(OTF2_GlobalDefWriter* writer, const Definitions& definitions, const Numbering& numbering,
                   const Archive& archive);
  void write();

 private:
  void clock();
  void paradigms();
  void system_tree();
  void location_groups();
  void locations();
  void regions();
  void groups();
  void io();
  void attributes();
  void parameters();
  void metrics();

  OTF2_AttributeValue value_of(const Property& property);
  OTF2_StringRef string(const std::string& text);
  OTF2_Paradigm paradigm(Paradigm value) const noexcept;
  OTF2_RegionRole role(RegionRole value) const noexcept;
  OTF2_MetricMemberRef metric_member(const Metric& metric);
  void metric_class(OTF2_MetricRef self, const Metric& metric, OTF2_RecorderKind recorder);
  void metric_instance(OTF2_MetricRef self, OTF2_MetricRef of_class, const Metric& metric);

  OTF2_GlobalDefWriter* writer_;
  const Definitions& definitions_;
  const Numbering& numbering_;
  const Archive& archive_;
  Otf2Level level_;
  StringTable strings_;
  std::vector<bool> left_out_;  ///< of the fixed strings, those that are not written yet
  /// By all that they have.
  std::map<std::tuple<std::string, std::string, std::string, ValueType, std::uint8_t, std::uint8_t, std::uint8_t,
                      std::int64_t>,
           OTF2_MetricMemberRef>
      metric_members_;
};

/// Communicators are as many as a process has made, and the anchor has room for some thousand: the others stand in the
/// definitions, with the first location group. There a list of members that no string has room for is left out.
struct DividedProperties {
  std::vector<Property> of_archive, of_group;
};
DividedProperties divided(const std::vector<Property>& properties);
/// Name, creator and properties, which stand in the anchor file; what it has no room for is the definitions' to write.
void write_archive_properties(OTF2_Archive* archive, const Definitions& definitions);

/// Bytes of a definition file's chunk in which the largest single definition fits, and the mapping tables.
std::uint64_t definition_chunk_bytes(const Definitions& definitions, std::size_t mapping_tables) noexcept;

}  // namespace tracer::otf2
