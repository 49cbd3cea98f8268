// SPDX-License-Identifier: BSD-3-Clause
// What an archive defines, as the project's own definitions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/otf2/read/reader.hpp"
#include "tracer/definitions.hpp"
#include "tracer/number_map.hpp"

namespace tracer::otf2 {

/// From an archive's references to dense ones. Every event uses it: references that are near each other, as writers
/// make them, are looked up in an array.
class Index {
 public:
  template <class Table>
  explicit Index(const Table& table) {
    for (const auto& item : table) map_.emplace(item.ref, static_cast<std::uint32_t>(map_.size()));
    std::uint64_t most = 0;
    for (const auto& [ref, index] : map_) most = std::max(most, ref);
    if (most > 4 * map_.size() + 1024) return;
    near_.assign(static_cast<std::size_t>(most + 1), undefined_ref);
    for (const auto& [ref, index] : map_) near_[static_cast<std::size_t>(ref)] = index;
    map_ = {};
  }
  std::uint32_t operator[](std::uint64_t ref) const {
    if (ref < near_.size()) return near_[static_cast<std::size_t>(ref)];
    return map_.empty() ? undefined_ref : far(ref);
  }

 private:
  std::uint32_t far(std::uint64_t ref) const {
    const auto found = map_.find(ref);
    return found == map_.end() ? undefined_ref : found->second;
  }

  NumberMap<std::uint32_t> map_;  ///< empty where near_ has all
  std::vector<std::uint32_t> near_;
};

std::vector<std::uint32_t> places_of_metrics(const otf2::TraceDefinitions& from);

struct Indices {
  explicit Indices(const otf2::TraceDefinitions& from)
      : locations{from.locations},
        location_groups{from.location_groups},
        nodes{from.nodes},
        regions{from.regions},
        groups{from.groups},
        comms{from.comms},
        windows{from.windows},
        io_paradigms{from.io_paradigms},
        io_files{from.io_files},
        io_handles{from.io_handles},
        attributes{from.attributes},
        parameters{from.parameters},
        metrics{from.metrics},
        strings{from.strings},
        first_of_metric{places_of_metrics(from)} {}
  Index locations, location_groups, nodes, regions, groups, comms, windows, io_paradigms, io_files, io_handles,
      attributes, parameters, metrics, strings;
  /// Where the members of each class or instance, by its place, are in Definitions::metrics; one more for the end.
  std::vector<std::uint32_t> first_of_metric;

  /// MPI's where it is not defined.
  std::uint8_t io_paradigm(std::uint64_t ref) const {
    const std::uint32_t place = io_paradigms[ref];
    return place == undefined_ref ? mpi_io_paradigm : static_cast<std::uint8_t>(place);
  }
  /// Of a class or an instance the `member`th, in Definitions::metrics.
  std::uint32_t metric(std::uint64_t ref, std::size_t member) const {
    const std::uint32_t place = metrics[ref];
    if (place == undefined_ref || member >= first_of_metric[place + 1] - first_of_metric[place]) return undefined_ref;
    return first_of_metric[place] + static_cast<std::uint32_t>(member);
  }
};

GroupKind kind_of_group(std::uint8_t type) noexcept;
/// OTF2's, which NodeDomain has.
constexpr bool is_known_domain(std::uint8_t domain) noexcept {
  return domain == values::domain_machine || domain == values::domain_shared_memory ||
         domain == values::domain_accelerator_device;
}
/// OTF2's, which ParadigmDefinition has.
constexpr bool is_known_paradigm_property(std::uint32_t property) noexcept {
  return property == values::paradigm_comm_name || property == values::paradigm_rma_only;
}

/// Text of anybody's, made fit for terminals, pages and tables. Throws tracer::Error where strings are repeated beyond
/// measure.
Definitions definitions_of(const otf2::Trace& trace, const Indices& index);

}  // namespace tracer::otf2
