// SPDX-License-Identifier: BSD-3-Clause
// The definitions of an archive that was read, as they stand in its file; references are OTF2's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/otf2/common/event_view.hpp"
#include "tracer/definitions.hpp"
#include "tracer/number_map.hpp"

namespace tracer::otf2 {

inline constexpr std::uint64_t undefined_location = ~std::uint64_t{0};
/// Values of OTF2's enumerations that code compares with; all else stays a number.
namespace values {
inline constexpr std::uint8_t group_locations = 1, group_regions = 2, group_comm_locations = 4, group_comm_group = 5,
                              group_comm_self = 6, group_comm_location_groups = 7;
inline constexpr std::uint32_t comm_has_events = 1;
inline constexpr std::uint8_t location_cpu_thread = 1, location_accelerator_stream = 2, location_metric = 3;
inline constexpr std::uint8_t location_group_process = 1, location_group_accelerator = 2;
inline constexpr std::uint8_t domain_machine = 0, domain_shared_memory = 1, domain_accelerator_device = 7;
inline constexpr std::uint8_t paradigm_openmp = 3, paradigm_mpi = 4;
inline constexpr std::uint8_t io_paradigm_parallel = 1;
inline constexpr std::uint32_t paradigm_comm_name = 0, paradigm_rma_only = 2;
inline constexpr std::uint8_t paradigm_class_fork_join = 1, paradigm_class_accelerator = 3;
inline constexpr std::uint8_t recorder_abstract = 1, recorder_cpu = 2;
inline constexpr std::uint8_t scope_location = 0, scope_location_group = 1, scope_system_tree_node = 2, scope_group = 3;
inline constexpr std::uint8_t type_uint64 = 4;
inline constexpr std::uint8_t type_string = 11;
inline constexpr std::uint8_t parameter_string = 0, parameter_int = 1, parameter_uint = 2;
}  // namespace values

/// Definitions of one kind in the order of the file; the first of a reference counts.
template <typename T>
class Table {
 public:
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  const T& operator[](std::size_t i) const { return items_[i]; }
  const T* find(std::uint64_t ref) const {
    const auto found = index_.find(ref);
    return found == index_.end() ? nullptr : &items_[found->second];
  }
  T* find(std::uint64_t ref) {
    const auto found = index_.find(ref);
    return found == index_.end() ? nullptr : &items_[found->second];
  }
  bool contains(std::uint64_t ref) const { return index_.contains(ref); }
  /// False: this reference is defined already; the new definition is not kept.
  bool add(T item) {
    if (!index_.emplace(item.ref, items_.size()).second) return false;
    items_.push_back(std::move(item));
    return true;
  }

 private:
  std::vector<T> items_;
  NumberMap<std::size_t> index_;
};

struct NamedProperty {
  std::uint32_t name = 0;
  std::uint8_t type = 0;    ///< OTF2_Type
  std::uint64_t value = 0;  ///< for strings the reference
};

struct StringDef {
  std::uint64_t ref = 0;
  std::string text;
};
struct AttributeDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0, description = 0;
  std::uint8_t type = 0;
};
struct SystemNodeDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0, class_name = 0, parent = undefined_ref;
  std::vector<std::uint8_t> domains;
  std::vector<NamedProperty> properties;
};
struct LocationGroupDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0;
  std::uint8_t type = 0;
  std::uint32_t system_tree_parent = undefined_ref, creating_group = undefined_ref;
  std::vector<NamedProperty> properties;
};
struct LocationDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0;
  std::uint8_t type = 0;
  std::uint64_t events = 0;
  std::uint32_t group = undefined_ref;
  std::vector<NamedProperty> properties;
};
struct RegionDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0, canonical = 0, description = 0;
  std::uint8_t role = 0, paradigm = 0;
  std::uint32_t flags = 0, source_file = 0, begin_line = 0, end_line = 0;
};
struct GroupDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0;
  std::uint8_t type = 0, paradigm = 0;
  std::uint32_t flags = 0;
  std::vector<std::uint64_t> members;
};
/// Comm and InterComm; the latter has a second group.
struct CommDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0, group = undefined_ref, second_group = undefined_ref, parent = undefined_ref, flags = 0;
};
struct RmaWindowDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0, comm = undefined_ref, flags = 0;
};
struct IoParadigmDef {
  std::uint64_t ref = 0;
  std::uint32_t identification = 0, name = 0;
  std::uint8_t paradigm_class = 0;
  std::uint32_t flags = 0;
};
/// IoRegularFile or IoDirectory.
struct IoFileDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0, scope = undefined_ref;
  bool is_directory = false;
};
struct IoHandleDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0, file = undefined_ref;
  std::uint8_t paradigm = 0;
  std::uint32_t flags = 0, comm = undefined_ref, parent = undefined_ref;
  std::optional<IoHandleState> pre_created = std::nullopt;
};
struct ParameterDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0;
  std::uint8_t type = 0;
};
struct MetricMemberDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0, description = 0;
  std::uint8_t type = 0, mode = 0, value_type = 0, base = 0;
  std::int64_t exponent = 0;
  std::uint32_t unit = 0;
};
/// MetricClass, or MetricInstance of one.
struct MetricDef {
  std::uint64_t ref = 0;
  bool is_instance = false;
  std::vector<std::uint64_t> members;  ///< of a class
  std::uint8_t occurrence = 0, recorder_kind = 0;
  std::uint32_t metric_class = undefined_ref;  ///< of an instance, as all below
  std::uint64_t recorder = undefined_location;
  std::uint8_t scope_type = 0;
  std::uint64_t scope = 0;
};
struct ParadigmDef {
  std::uint64_t ref = 0;  ///< OTF2_Paradigm
  std::uint32_t name = 0;
  std::uint8_t paradigm_class = 0;
  std::vector<NamedProperty> properties;  ///< name = OTF2_ParadigmProperty
};
struct SourceCodeLocationDef {
  std::uint64_t ref = 0;
  std::uint32_t file = 0, line = 0;
};
struct CallingContextDef {
  std::uint64_t ref = 0;
  std::uint32_t region = undefined_ref, source = undefined_ref, parent = undefined_ref;
};
/// What caused samples: every `period` units of base ^ exponent (2 where base is 0, else 10) seconds, or counts.
struct InterruptGeneratorDef {
  std::uint64_t ref = 0;
  std::uint32_t name = 0;
  std::uint8_t mode = 0, base = 0;  ///< mode: 0 time, 1 a count
  std::int64_t exponent = 0;
  std::uint64_t period = 0;
};
/// Kinds of which only the existence matters: call path, topology, ...
struct OtherDef {
  std::uint64_t ref = 0;
  std::uint32_t name = undefined_ref;
};

struct TraceDefinitions {
  ClockProperties clock;
  unsigned clock_definitions = 0;  ///< one in a good archive
  Table<StringDef> strings;
  Table<AttributeDef> attributes;
  Table<SystemNodeDef> nodes;
  Table<LocationGroupDef> location_groups;
  Table<LocationDef> locations;
  Table<RegionDef> regions;
  Table<GroupDef> groups;
  Table<CommDef> comms;
  Table<RmaWindowDef> windows;
  Table<IoParadigmDef> io_paradigms;
  Table<IoFileDef> io_files;
  Table<IoHandleDef> io_handles;
  Table<ParameterDef> parameters;
  Table<MetricMemberDef> metric_members;
  Table<MetricDef> metrics;
  Table<ParadigmDef> paradigms;
  Table<SourceCodeLocationDef> source_code_locations;
  Table<CallingContextDef> calling_contexts;
  Table<InterruptGeneratorDef> interrupt_generators;
  Table<OtherDef> others[static_cast<std::size_t>(ReferenceKind::count_)];  ///< kinds without a table above
  std::map<std::string_view, std::uint64_t>
      without_table;                    ///< how many, by kind: those of `others`, and those of others
  std::uint64_t records = 0;            ///< in the file
  std::vector<std::string> duplicates;  ///< "region 7": references defined more than once
  std::vector<std::string> orphans;     ///< properties and domains of what is not defined

  /// Of an instance its class, else itself; nullptr: it is not defined.
  const MetricDef* class_of(const MetricDef* metric) const {
    return metric != nullptr && metric->is_instance ? metrics.find(metric->metric_class) : metric;
  }
  /// The string, or "" when there is none.
  std::string_view text(std::uint64_t string_ref) const {
    const auto* found = strings.find(string_ref);
    return found == nullptr ? std::string_view{} : std::string_view{found->text};
  }
  bool defined(ReferenceKind kind, std::uint64_t ref) const;
};

/// One definition naming another.
struct ReferenceUse {
  std::string_view record;  ///< "Region"
  std::uint64_t self = 0;   ///< its reference, or of what it belongs to
  std::string_view field;   ///< "source file"
  ReferenceKind kind = ReferenceKind::none;
  std::uint64_t ref = 0;  ///< never the undefined reference of the kind
};

}  // namespace tracer::otf2
