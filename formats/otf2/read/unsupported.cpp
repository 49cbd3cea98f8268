// SPDX-License-Identifier: BSD-3-Clause
// See unsupported.hpp.
#include "formats/otf2/read/unsupported.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "formats/otf2/read/archive_definitions.hpp"
#include "formats/otf2/read/event_translation.hpp"
#include "tracer/event_source.hpp"

namespace tracer::otf2 {
namespace fs = std::filesystem;
namespace {

using Kinds = std::map<std::string, std::uint64_t>;

void add(Kinds& to, std::string kind, std::uint64_t count) {
  if (count != 0) to[std::move(kind)] += count;
}

void add_definitions(Kinds& to, const TraceDefinitions& of) {
  for (const auto& [kind, count] : of.without_table) add(to, std::string{kind}, count);
  add(to, "SourceCodeLocation", of.source_code_locations.size());
  add(to, "CallingContext", of.calling_contexts.size());
  add(to, "InterruptGenerator", of.interrupt_generators.size());
  for (const GroupDef& group : of.groups) add(to, "Group", kind_of_group(group.type) == GroupKind::other ? 1 : 0);
  for (const SystemNodeDef& node : of.nodes) {
    const auto known = std::count_if(node.domains.begin(), node.domains.end(), is_known_domain);
    add(to, "SystemTreeNodeDomain", node.domains.size() - static_cast<std::size_t>(std::min<std::ptrdiff_t>(known, 1)));
  }
  for (const ParadigmDef& paradigm : of.paradigms)
    for (const NamedProperty& property : paradigm.properties)
      add(to, "ParadigmProperty", is_known_paradigm_property(property.name) ? 0 : 1);
}

/// Markers are of the whole archive, snapshots of a location.
void add_files(Kinds& to, const ArchiveInfo& info) {
  std::error_code error;
  add(to, "marker file", fs::exists(info.directory / (info.name + ".marker"), error) ? 1 : 0);
  for (auto file = fs::directory_iterator{info.directory / info.name, error}; !error && file != end(file);
       file.increment(error))
    add(to, "snapshot file", file->path().extension() == ".snap" ? 1 : 0);
}

}  // namespace

void Unsupported::note(const EventView& view, bool is_translated) {
  if (!is_translated) {
    ++events_[static_cast<std::size_t>(view.kind)];
    return;
  }
  if (view.kind == EventKind::program_begin) arguments_ += view.values.size();
  for (const AttributeView& one : view.attributes)
    if (is_without_definitions(static_cast<ValueType>(one.type)))
      ++attributes_[one.type - static_cast<std::size_t>(ValueType::float64)];
}

std::uint64_t Unsupported::unknown_events() const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (row_of(static_cast<EventKind>(i)).name.empty()) count += events_[i];
  return count;
}

Kinds Unsupported::known_events() const {
  Kinds kinds;
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (const std::string_view name = row_of(static_cast<EventKind>(i)).name; !name.empty())
      add(kinds, std::string{name}, events_[i]);
  return kinds;
}

Kinds Unsupported::all(const Trace& trace) const {
  Kinds kinds = known_events();
  add(kinds, unread_kind, unknown_events());
  for (std::size_t i = 0; i < attributes_.size(); ++i)
    add(kinds, "attribute that is a " + std::string{name_of(static_cast<ReferenceKind>(i))}, attributes_[i]);
  add(kinds, "argument of ProgramBegin", arguments_);
  add_definitions(kinds, trace.definitions());
  add_files(kinds, trace.info());
  return kinds;
}

}  // namespace tracer::otf2
