// SPDX-License-Identifier: BSD-3-Clause
// See reader.hpp.
#include "formats/otf2/read/reader.hpp"

#include "formats/otf2/read/definition_reader.hpp"
#include "formats/otf2/read/local_definitions.hpp"
#include "formats/otf2/read/shared_window.hpp"

namespace tracer::otf2 {

Trace Trace::open(const std::filesystem::path& path) {
  Trace trace;
  trace.local_definitions_ = std::make_shared<LocalDefinitionFiles>();
  trace.info_ = read_anchor(path);
  trace.definitions_ = read_definitions(trace.info_.definition_file());
  return trace;
}

EventReader Trace::events(std::uint64_t location) const {
  return events(location, shared_window(definitions_.locations.size(), EventReader::most_window));
}

EventReader Trace::events(std::uint64_t location, std::size_t window) const {
  return {info_.event_file(location), location, info_.event_chunk,
          local_definitions_->read(info_.local_definition_file(location)), window};
}

void Trace::complete_receive(EventView& view) const {
  local_definitions_->matched.complete(*this, view);
}

void Trace::for_each_reference(const std::function<void(const ReferenceUse&)>& visit) const {
  read_references(info_.definition_file(), visit);
}

}  // namespace tracer::otf2
