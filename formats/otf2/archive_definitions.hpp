// SPDX-License-Identifier: BSD-3-Clause
// What an archive defines, as the project's own definitions.
#pragma once

#include <unordered_map>

#include "formats/otf2/reader.hpp"
#include "tracer/definitions.hpp"

namespace tracer::otf2 {

/// From an archive's references to dense ones.
class Index {
 public:
  template <class Table>
  explicit Index(const Table& table) {
    for (const auto& item : table) map_.emplace(item.ref, static_cast<std::uint32_t>(map_.size()));
  }
  std::uint32_t operator[](std::uint64_t ref) const {
    const auto found = map_.find(ref);
    return found == map_.end() ? undefined_ref : found->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> map_;
};

struct Indices {
  explicit Indices(const otf2::TraceDefinitions& from)
      : locations{from.locations},
        location_groups{from.location_groups},
        nodes{from.nodes},
        regions{from.regions},
        groups{from.groups},
        comms{from.comms},
        windows{from.windows},
        attributes{from.attributes},
        parameters{from.parameters},
        metrics{from.metrics},
        strings{from.strings} {}
  Index locations, location_groups, nodes, regions, groups, comms, windows, attributes, parameters, metrics, strings;
};

/// Text of anybody's, made fit for terminals, pages and tables.
Definitions definitions_of(const otf2::Trace& trace, const Indices& index);

}  // namespace tracer::otf2
