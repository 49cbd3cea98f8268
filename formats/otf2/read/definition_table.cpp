// SPDX-License-Identifier: BSD-3-Clause
// See definition_table.hpp.
#include "formats/otf2/read/definition_table.hpp"

namespace tracer::otf2 {
namespace {

using enum Stored;
using R = ReferenceKind;

constexpr DefinitionRow record(std::string_view name, ReferenceKind defines,
                               std::initializer_list<DefinitionField> fields) {
  DefinitionRow row{name, defines, static_cast<std::uint8_t>(fields.size()), {}};
  std::size_t i = 0;
  for (const auto& field : fields) row.field[i++] = field;
  return row;
}

constexpr DefinitionField self{"self", u32, R::none};
constexpr DefinitionField name{"name", u32, R::string};
constexpr DefinitionField type{"type", u8, R::none};
constexpr DefinitionField typed_value{"value", value, R::none};

constexpr std::array<DefinitionRow, static_cast<std::size_t>(DefinitionKind::count_)> table{{
    {},
    {},
    {},
    {},
    {},
    record("ClockProperties", R::none, {{"resolution", u64}, {"offset", u64}, {"length", u64}, {"realtime", u64}}),
    record("Paradigm", R::paradigm, {{"self", u8}, name, {"class", u8}}),
    record("ParadigmProperty", R::none, {{"paradigm", u8, R::paradigm}, {"property", u8}, type, typed_value}),
    record("IoParadigm", R::io_paradigm,
           {{"self", u8}, {"identification", u32, R::string}, name, {"class", u8}, {"flags", u32}}),
    {},
    record("String", R::string, {self, {"text", text}}),
    record("Attribute", R::attribute, {self, name, type, {"description", u32, R::string}}),
    record("SystemTreeNode", R::system_tree_node,
           {self, name, {"class", u32, R::string}, {"parent", u32, R::system_tree_node}}),
    record("LocationGroup", R::location_group,
           {self,
            name,
            type,
            {"system tree parent", u32, R::system_tree_node},
            {"creating location group", u32, R::location_group}}),
    record("Location", R::location,
           {{"self", u64}, name, type, {"number of events", u64}, {"location group", u32, R::location_group}}),
    record("Region", R::region,
           {self,
            name,
            {"description", u32, R::string},
            {"old type", u8},
            {"source file", u32, R::string},
            {"begin line", u32},
            {"end line", u32},
            {"canonical name", u32, R::string},
            {"role", u8},
            {"paradigm", u8, R::paradigm},
            {"flags", u32}}),
    record("Callsite", R::callsite,
           {self,
            {"source file", u32, R::string},
            {"line", u32},
            {"entered region", u32, R::region},
            {"left region", u32, R::region}}),
    record("Callpath", R::callpath, {self, {"parent", u32, R::callpath}, {"region", u32, R::region}}),
    record("Group", R::group,
           {self,
            name,
            {"old type", u8},
            {"number of members", count32},
            {"members", list64},
            type,
            {"paradigm", u8, R::paradigm},
            {"flags", u32}}),
    record("MetricMember", R::metric_member,
           {self,
            name,
            {"description", u32, R::string},
            type,
            {"mode", u8},
            {"value type", u8},
            {"base", u8},
            {"exponent", i64},
            {"unit", u32, R::string}}),
    record("MetricClass", R::metric,
           {self,
            {"number of metrics", count8},
            {"members", list32, R::metric_member},
            {"occurrence", u8},
            {"recorder kind", u8}}),
    record("MetricInstance", R::metric,
           {self, {"class", u32, R::metric}, {"recorder", u64, R::location}, {"scope type", u8}, {"scope", u64}}),
    record("Comm", R::comm, {self, name, {"group", u32, R::group}, {"parent", u32, R::comm}, {"flags", u32}}),
    record("Parameter", R::parameter, {self, name, type}),
    record("RmaWin", R::rma_window, {self, name, {"communicator", u32, R::comm}, {"flags", u32}}),
    record("MetricClassRecorder", R::none, {{"metric", u32, R::metric}, {"recorder", u64, R::location}}),
    record("SystemTreeNodeProperty", R::none,
           {{"node", u32, R::system_tree_node}, name, {"string", u32, R::string}, type, typed_value}),
    record("SystemTreeNodeDomain", R::none, {{"node", u32, R::system_tree_node}, {"domain", u8}}),
    record("LocationGroupProperty", R::none,
           {{"group", u32, R::location_group}, name, {"string", u32, R::string}, type, typed_value}),
    record("LocationProperty", R::none,
           {{"location", u64, R::location}, name, {"string", u32, R::string}, type, typed_value}),
    record("CartDimension", R::cart_dimension, {self, name, {"size", u32}, {"periodicity", u8}}),
    record("CartTopology", R::cart_topology,
           {self,
            name,
            {"communicator", u32, R::comm},
            {"number of dimensions", count8},
            {"dimensions", list32, R::cart_dimension}}),
    record("CartCoordinate", R::none,
           {{"topology", u32, R::cart_topology},
            {"rank", u32},
            {"number of dimensions", count8},
            {"coordinates", list32}}),
    record("SourceCodeLocation", R::source_code_location, {self, {"file", u32, R::string}, {"line", u32}}),
    record("CallingContext", R::calling_context,
           {self,
            {"region", u32, R::region},
            {"source code location", u32, R::source_code_location},
            {"parent", u32, R::calling_context}}),
    record("CallingContextProperty", R::none, {{"calling context", u32, R::calling_context}, name, type, typed_value}),
    record("InterruptGenerator", R::interrupt_generator,
           {self, name, {"mode", u8}, {"base", u8}, {"exponent", i64}, {"period", u64}}),
    record("IoFileProperty", R::none, {{"file", u32, R::io_file}, name, type, typed_value}),
    record("IoRegularFile", R::io_file, {self, name, {"scope", u32, R::system_tree_node}}),
    record("IoDirectory", R::io_file, {self, name, {"scope", u32, R::system_tree_node}}),
    record("IoHandle", R::io_handle,
           {self,
            name,
            {"file", u32, R::io_file},
            {"paradigm", u8, R::io_paradigm},
            {"flags", u32},
            {"communicator", u32, R::comm},
            {"parent", u32, R::io_handle}}),
    record("IoPreCreatedHandleState", R::none, {{"handle", u32, R::io_handle}, {"mode", u8}, {"status flags", u32}}),
    record("CallpathParameter", R::none,
           {{"call path", u32, R::callpath}, {"parameter", u32, R::parameter}, type, typed_value}),
    record("InterComm", R::comm,
           {self,
            name,
            {"group A", u32, R::group},
            {"group B", u32, R::group},
            {"common communicator", u32, R::comm},
            {"flags", u32}}),
}};
static_assert(table[static_cast<std::size_t>(DefinitionKind::inter_comm)].name == "InterComm");
static_assert(table[static_cast<std::size_t>(DefinitionKind::rma_win)].name == "RmaWin");

}  // namespace

const DefinitionRow& row_of(DefinitionKind kind) noexcept {
  const auto i = static_cast<std::size_t>(kind);
  return i < table.size() ? table[i] : table[0];
}

std::uint64_t read_value(ByteCursor& in, std::uint8_t kind, bool& known) noexcept {
  known = true;
  switch (kind) {
    case 1:
      return in.u8();
    case 2:
      return in.u16();
    case 3:
      return in.compressed(4);
    case 4:
    case 8:
    case 13:
      return in.compressed(8);
    case 5:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(in.u8())));
    case 6:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(in.u16())));
    case 7:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(in.compressed(4))));
    case 9:
      return in.u32();
    case 10:
      return in.u64();
    default:
      break;
  }
  if (kind >= 11 && kind <= 25) return in.compressed(4);  // references
  known = false;
  return 0;
}

bool decode(DefinitionKind kind, ByteCursor in, DefinitionRecord& out) {
  const auto& row = row_of(kind);
  out.kind = kind;
  out.fields = 0;
  out.value_type = 0;
  out.list.clear();
  out.field.fill(0);
  for (std::uint8_t i = 0; i < row.fields; ++i) {
    if (!in.more()) return i > 0;  // an older format ends here
    auto& field = out.field[i];
    bool known = true;
    switch (row.field[i].stored) {
      case u8:
      case count8:
        field = in.u8();
        break;
      case u32:
      case count32:
        field = in.compressed(4);
        break;
      case u64:
      case i64:
        field = in.compressed(8);
        break;
      case text:
        out.text = in.string();
        break;
      case value:
        out.value_type = static_cast<std::uint8_t>(out.field[i - 1]);
        field = read_value(in, out.value_type, known);
        break;
      case list32:
      case list64: {
        const auto count = out.field[i - 1];
        if (count > in.left()) return false;  // each is at least one byte
        out.list.reserve(count);
        for (std::uint64_t k = 0; k < count; ++k)
          out.list.push_back(in.compressed(row.field[i].stored == list64 ? 8 : 4));
        break;
      }
    }
    if (in.failed()) return false;
    ++out.fields;
    if (!known) break;
  }
  return true;
}

}  // namespace tracer::otf2
