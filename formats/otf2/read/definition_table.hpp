// SPDX-License-Identifier: BSD-3-Clause
// The fields of every global definition record of OTF2's trace format, up to OTF2 3.0.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/otf2/common/byte_cursor.hpp"
#include "formats/otf2/common/event_view.hpp"

namespace tracer::otf2 {

/// Values as in the definition files.
enum class DefinitionKind : std::uint8_t {
  clock_properties = 5,
  paradigm,
  paradigm_property,
  io_paradigm,
  string = 10,
  attribute,
  system_tree_node,
  location_group,
  location,
  region,
  callsite,
  callpath,
  group,
  metric_member,
  metric_class,
  metric_instance,
  comm,
  parameter,
  rma_win,
  metric_class_recorder,
  system_tree_node_property,
  system_tree_node_domain,
  location_group_property,
  location_property,
  cart_dimension,
  cart_topology,
  cart_coordinate,
  source_code_location,
  calling_context,
  calling_context_property,
  interrupt_generator,
  io_file_property,
  io_regular_file,
  io_directory,
  io_handle,
  io_pre_created_handle_state,
  callpath_parameter,
  inter_comm,
  count_,
};
static_assert(static_cast<int>(DefinitionKind::inter_comm) == 43);

/// count8, count32: a number of list elements, which the next field `list` holds.
enum class Stored : std::uint8_t { u8, u32, u64, i64, text, value, count8, count32, list32, list64 };

struct DefinitionField {
  std::string_view name;
  Stored stored = Stored::u32;
  ReferenceKind refers_to = ReferenceKind::none;
};

struct DefinitionRow {
  std::string_view name;  ///< "" not known
  ReferenceKind defines = ReferenceKind::none;
  std::uint8_t fields = 0;
  std::array<DefinitionField, 11> field;
};

const DefinitionRow& row_of(DefinitionKind kind) noexcept;

/// A record's fields as numbers. Fields that an older format does not have are missing: fields is less.
struct DefinitionRecord {
  DefinitionKind kind{};
  std::uint8_t fields = 0;
  std::array<std::uint64_t, 11> field{};
  std::uint8_t value_type = 0;  ///< OTF2_Type of the one `value`
  std::string_view text;
  std::vector<std::uint64_t> list;
};

/// An OTF2 value of the given type: its bits. `known` is false for types that we cannot step over.
std::uint64_t read_value(ByteCursor& in, std::uint8_t kind, bool& known) noexcept;

/// Fills `record` from the bytes of one record's body. False: the body is damaged.
bool decode(DefinitionKind kind, ByteCursor body, DefinitionRecord& record);

}  // namespace tracer::otf2
