// SPDX-License-Identifier: BSD-3-Clause
// The definitions of several archives as those of one: what is equal is one definition, everything else gets a new
// reference, and for each archive it is known which of its references became which.
//
// Memory goes with what the whole has, not with how many parts contain it: a part is read, added and forgotten.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/otf2/common/mpi_communicators.hpp"
#include "formats/otf2/common/trace_definitions.hpp"
#include "tracer/number_map.hpp"

namespace tracer::otf2 {

/// A part's references in the whole, by kind (ReferenceKind - 1): OTF2's mapping tables, dense.
struct PartMaps {
  static constexpr std::size_t kinds = 15;
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  std::array<std::vector<std::uint64_t>, kinds> maps;
  NumberMap<std::uint32_t> nodes;  ///< of the system tree, which OTF2 has no mapping for

  void set(ReferenceKind kind, std::uint64_t local, std::uint64_t global);
  std::uint64_t at(ReferenceKind kind, std::uint64_t local) const;
  /// References count up from 0, with few gaps: throws tracer::Error for one that is large where few were set, which is
  /// damage, and a table up to it would take as much memory. `others`: how many more of the kind are known.
  void require_plausible(std::size_t kind, std::uint64_t local, std::uint64_t others = 0) const;

 private:
  std::array<std::uint64_t, kinds> counts_{};  ///< how many were set
};

/// What the caller knows of a part, beyond the part's own definitions.
struct PartIdentity {
  std::string process_name;              ///< of its process; "": the part's own
  std::vector<Property> properties;      ///< more of its process
  std::uint32_t parent = undefined_ref;  ///< process of the whole that started it
  std::uint32_t first_process = 0;       ///< reference of its first process in the whole
  std::uint32_t processes = 1;
  SharedPartOfMpi mpi = std::make_shared<const PartOfMpi>();  ///< empty: no MPI
  std::map<std::uint32_t, std::uint32_t> sampled;  ///< its sampled threads' numbers in the whole (tracer/samples.hpp)
  /// A property of a process, with a text for its value, as the whole has it; empty: as the part has it.
  std::function<Property(const Property&)> in_whole;
};

struct JoinedDefinitions {
  explicit JoinedDefinitions(std::uint32_t process_count, const MpiWorlds& worlds);

  /// Throws tracer::Error when the part refers to what it does not define, in a way that cannot be repaired.
  PartMaps add(const TraceDefinitions& part, const PartIdentity& identity);
  /// After the last part: groups of all, communicators of MPI.
  void finish(bool with_missing_ranks);
  /// The properties of a share of one MPI_COMM_WORLD, for joining it with the others.
  std::vector<Property> mpi_properties() const;
  /// For which the anchor has no room.
  void add_to_first_process(const std::vector<Property>& properties);

  std::uint32_t string(std::string_view text);

  std::vector<std::string> strings;
  std::vector<ParadigmDef> paradigms;
  std::vector<AttributeDef> attributes;
  std::vector<ParameterDef> parameters;
  std::vector<SystemNodeDef> nodes;
  std::vector<LocationGroupDef> processes, devices;  ///< devices' references follow those of the processes
  std::vector<LocationDef> locations;
  std::vector<RegionDef> regions;
  std::vector<GroupDef> groups;
  std::vector<CommDef> comms;
  std::vector<RmaWindowDef> windows;
  std::vector<IoParadigmDef> io_paradigms;
  std::vector<IoFileDef> io_files;
  std::vector<IoHandleDef> io_handles;
  std::vector<MetricMemberDef> metric_members;
  std::vector<MetricDef> metrics;
  std::vector<SourceCodeLocationDef> source_code_locations;
  std::vector<CallingContextDef> calling_contexts;
  std::vector<InterruptGeneratorDef> interrupt_generators;
  std::uint64_t not_joined = 0;  ///< definitions of unknown kinds

 private:
  using Key = std::string;  ///< numbers as bytes
  template <typename T>
  std::uint64_t unify(std::vector<T>& items, std::unordered_map<Key, std::uint64_t>& index, Key key, T item);
  std::vector<NamedProperty> properties_of(const std::vector<NamedProperty>& from, const PartMaps& maps);
  std::uint64_t value_of(std::uint8_t type, std::uint64_t value, const PartMaps& maps) const;
  void add_places(const TraceDefinitions& part, const PartIdentity& identity, PartMaps& maps);
  void number_samples(const PartIdentity& identity, std::uint32_t thread, std::vector<NamedProperty>& properties);
  void add_groups(const TraceDefinitions& part, const PartIdentity& identity, PartMaps& maps);
  void add_comms(const TraceDefinitions& part, const PartIdentity& identity, PartMaps& maps);
  void add_windows(const TraceDefinitions& part, const PartIdentity& identity, PartMaps& maps);
  void add_io(const TraceDefinitions& part, PartMaps& maps);
  void add_metrics(const TraceDefinitions& part, PartMaps& maps);
  std::uint64_t unify_group(GroupDef group);
  std::uint32_t group_of_ranks(const std::vector<std::uint64_t>& ranks, std::uint32_t name);
  void add_missing_ranks();
  void name_ranks_of_worlds();
  std::string name_of_rank(std::uint64_t rank) const;  ///< in all worlds

  const MpiWorlds& worlds_;
  std::uint32_t process_count_;
  std::map<std::string, std::uint32_t, std::less<>> string_index_;
  std::unordered_map<Key, std::uint64_t> attribute_index_, parameter_index_, node_index_, region_index_, member_index_,
      metric_index_, source_index_, context_index_, generator_index_, group_index_, io_file_index_, io_handle_index_;
  /// Of each paradigm the one group of all its locations, and where it stands in `groups`.
  std::map<std::uint8_t, std::uint32_t> all_locations_;
  std::map<std::string, std::uint32_t, std::less<>> mpi_comm_index_, mpi_window_index_;
};

}  // namespace tracer::otf2
