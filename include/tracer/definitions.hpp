// SPDX-License-Identifier: BSD-3-Clause
// The definitions of an archive, to which events refer. References are indices into these vectors
// (dense, 32 bit); strings are text, which the sink interns. Named after OTF2's records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/event.hpp"
#include "tracer/time.hpp"

namespace tracer {

inline constexpr std::uint32_t undefined_ref = 0xffffffffu;

using LocationRef = std::uint32_t;
using RegionRef = std::uint32_t;
using CommRef = std::uint32_t;

struct Property {
  std::string name, value;             ///< value: as text, of a number by text_of() (value_text.hpp)
  ValueType type = ValueType::string;  ///< a string or a number; those of an archive are strings
};
/// The first of that name; nullptr: there is none. `Properties`: a vector of them, const or not.
template <class Properties>
auto* find_property(Properties& all, std::string_view name) {
  for (auto& property : all)
    if (property.name == name) return &property;
  return static_cast<decltype(all.data())>(nullptr);
}
/// "": it is not there.
inline std::string property_value(const std::vector<Property>& all, std::string_view name) {
  const Property* const found = find_property(all, name);
  return found == nullptr ? std::string{} : found->value;
}

/// Values as OTF2_Paradigm.
enum class Paradigm : std::uint8_t {
  unknown = 0,
  user = 1,
  openmp = 3,
  mpi = 4,
  cuda = 5,
  measurement_system = 6,
  ompss = 9,
  openacc = 18,
  opencl = 19,
  hip = 23,
  openmp_target = 25,  ///< OTF2 3.1
};

/// Values as OTF2_RegionRole.
enum class RegionRole : std::uint8_t {
  unknown = 0,
  function = 1,
  wrapper = 2,
  loop = 3,
  code = 4,
  parallel = 5,
  sections = 6,
  section = 7,
  workshare = 8,
  single = 9,
  single_sblock = 10,
  master = 11,
  critical = 12,
  critical_sblock = 13,
  atomic = 14,
  barrier = 15,
  implicit_barrier = 16,
  flush = 17,
  ordered = 18,
  ordered_sblock = 19,
  task = 20,
  task_create = 21,
  task_wait = 22,
  coll_one2all = 23,
  coll_all2one = 24,
  coll_all2all = 25,
  coll_other = 26,
  file_io = 27,
  point2point = 28,
  rma = 29,
  data_transfer = 30,
  artificial = 31,
  thread_create = 32,
  thread_wait = 33,
  task_untied = 34,
  allocate = 35,
  deallocate = 36,
  reallocate = 37,
  file_io_metadata = 38,
  cancel = 39,
  kernel = 40,  ///< OTF2 3.1
};

struct Region {
  std::string name;         ///< "!$omp parallel @stencil.c:42"
  std::string canonical;    ///< as name, or the mangled name of a function
  std::string description;  ///< the user functions that contain it, "" unknown
  RegionRole role = RegionRole::unknown;
  Paradigm paradigm = Paradigm::openmp;
  std::string source_file;  ///< full path, "" unknown
  std::uint32_t begin_line = 0, end_line = 0;
  std::uint32_t flags = 0;  ///< OTF2_RegionFlag
};

enum class NodeDomain : std::uint8_t { none, machine, shared_memory, accelerator_device };

struct SystemTreeNode {
  std::string name, class_name;
  std::uint32_t parent = undefined_ref;
  NodeDomain domain = NodeDomain::none;
  std::vector<Property> properties;
};

enum class LocationGroupKind : std::uint8_t { process = 1, accelerator = 2 };

struct LocationGroup {
  std::string name;
  LocationGroupKind kind = LocationGroupKind::process;
  std::uint32_t system_tree_parent = undefined_ref;
  std::uint32_t creating_group = undefined_ref;
  std::vector<Property> properties;
};

enum class LocationKind : std::uint8_t { cpu_thread = 1, accelerator_stream = 2 };

struct Location {
  std::string name;
  LocationKind kind = LocationKind::cpu_thread;
  std::uint32_t group = 0;
  std::vector<Property> properties;
  bool used = true;  ///< false: outside the selected part of the trace
};

enum class GroupKind : std::uint8_t { comm_locations, comm_group, comm_self, locations, regions, other };

/// comm_locations: members are location refs. comm_group: indices into the paradigm's comm_locations. comm_self: none.
/// A member may be undefined_ref: it is outside this part (docs/formats/job-parts.md). No communicator's, of other
/// tools' archives: locations and regions, whose members are such; other, which has none here and is not written.
struct Group {
  std::string name;
  GroupKind kind = GroupKind::comm_group;
  Paradigm paradigm = Paradigm::openmp;
  std::vector<std::uint32_t> members;
  bool used = true;         ///< as for a communicator
  std::uint32_t flags = 0;  ///< OTF2_GroupFlag
};

struct Comm {
  std::string name;
  std::uint32_t group = 0;
  CommRef parent = undefined_ref;
  bool used = true;                            ///< false: no event refers to it, and it is not in the archive
  std::uint32_t second_group = undefined_ref;  ///< of an intercommunicator: the remote one
  bool has_events = false;                     ///< its creation and its end are events
};

struct RmaWindow {
  std::string name;
  CommRef comm = 0;
  bool used = true;         ///< false: none of its members is in the selected part of the trace
  std::uint32_t flags = 0;  ///< OTF2_RmaWinFlag
};

/// Number of OTF2's I/O paradigm, for which OTF2 has no mapping tables: equal in all archives of Tracer.
inline constexpr std::uint8_t mpi_io_paradigm = 0;

/// Of other tools' archives: POSIX, ISO C, ...
struct IoParadigm {
  std::string identification, name;
  bool is_parallel = false;
  std::uint32_t flags = 0;  ///< OTF2_IoParadigmFlag
};

struct IoFile {
  std::string name;         ///< the full path
  std::uint32_t scope = 0;  ///< system tree node; the root: on file systems that the machine has in common
  bool is_directory = false;
};

/// Of a handle that the program did not open.
struct IoHandleState {
  std::uint8_t access = 0;   ///< OTF2_IoAccessMode
  std::uint32_t status = 0;  ///< OTF2_IoStatusFlag
};

/// An I/O handle. Handles that are open at different times may be one.
struct IoHandle {
  std::string name;
  std::uint32_t file = 0;                ///< index into Definitions::io_files; undefined_ref: none
  CommRef comm = undefined_ref;          ///< undefined_ref: unknown
  std::uint32_t paradigm = 0;            ///< index into Definitions::io_paradigms
  std::uint32_t flags = 0;               ///< OTF2_IoHandleFlag
  std::uint32_t parent = undefined_ref;  ///< index into Definitions::io_handles; undefined_ref: none
  std::optional<IoHandleState> pre_created = std::nullopt;
};

struct AttributeDefinition {
  std::string name, description;
  ValueType type = ValueType::uint64;
  bool used = true;  ///< false: no event refers to it, and it is not in the archive
};

struct ParameterDefinition {
  std::string name;
  EventType type = EventType::parameter_uint;  ///< parameter_int, _uint or _string
  bool used = true;                            ///< as for an attribute
};

enum class ParadigmClass : std::uint8_t { process = 0, thread_fork_join = 1, thread_create_wait = 2, accelerator = 3 };

struct ParadigmDefinition {
  Paradigm paradigm = Paradigm::openmp;
  std::string name;
  ParadigmClass paradigm_class = ParadigmClass::thread_fork_join;
  std::string comm_name_template;  ///< "" none
  bool rma_only = false;
};

/// A metric of one member, absolute point values of `type`: uint64, int64 or float64. With `recorder` set it is a
/// metric instance recorded there for what one of the scopes names: mostly a location group.
struct Metric {
  std::string name, description, unit;
  LocationRef recorder = undefined_ref;
  std::uint32_t scope_group = undefined_ref;
  ValueType type = ValueType::uint64;
  LocationRef scope_location = undefined_ref;
  std::uint8_t kind = 0, mode = 17, base = 1;  ///< OTF2_MetricType: other, _MetricMode: absolute, at a point, _Base: 10
  std::int64_t exponent = 0;                   ///< a value counts base to the power of this
  std::uint32_t scope_node = undefined_ref;    ///< of the system tree
  std::uint32_t scope_set = undefined_ref;     ///< index into Definitions::groups
  std::uint8_t occurrence = 2;                 ///< OTF2_MetricOccurrence: asynchronous

  /// Each location that records it has values of its own: it is a class of synchronous values.
  bool of_thread() const noexcept { return recorder == undefined_ref && occurrence < 2; }
  /// What a value counts, for people: the unit with its factor, as in "10^-6 s".
  std::string shown_unit() const {
    if (exponent == 0) return unit;
    return (base == 0 ? "2^" : "10^") + std::to_string(exponent) + (unit.empty() ? "" : " ") + unit;
  }
};

struct ClockProperties {
  static constexpr std::uint64_t unknown_realtime = ~std::uint64_t{0};  ///< OTF2's, and that of archives before 3.0

  std::uint64_t resolution = 1'000'000'000;  ///< ticks per second of Event::time
  std::uint64_t offset = 0;                  ///< time of the first event
  std::uint64_t length = 0;                  ///< last event's time minus offset
  std::uint64_t realtime = 0;                ///< ns since the epoch at offset; 0 or unknown_realtime: unknown

  bool has_realtime() const noexcept { return realtime != 0 && realtime != unknown_realtime; }
  /// As exports and reports have it. 0: unknown.
  std::uint64_t known_realtime() const noexcept { return has_realtime() ? realtime : 0; }
};

struct Definitions {
  ClockProperties clock;
  std::vector<ParadigmDefinition> paradigms;
  std::vector<SystemTreeNode> nodes;  ///< parents before children; 0 is the root
  std::vector<LocationGroup> groups_of_locations;
  std::vector<Location> locations;
  std::vector<Region> regions;
  std::vector<Group> groups;
  std::vector<Comm> comms;  ///< parents before children
  std::vector<RmaWindow> windows;
  std::vector<IoFile> io_files;          ///< each once
  std::vector<IoParadigm> io_paradigms;  ///< empty: MPI's, where there are files or handles
  std::vector<IoHandle> io_handles;
  std::vector<AttributeDefinition> attributes;
  std::vector<ParameterDefinition> parameters;
  std::vector<Metric> metrics;
  std::vector<std::string> strings;  ///< referred to by string-valued events and attributes; 0 is ""
  std::vector<bool> unused_strings;  ///< by index, may be shorter: of `strings`, those that no event refers to
  std::vector<Property> properties;  ///< of the archive: OTF2:: and TRACER::
  std::string creator, description;
  /// Limits of a part of a trace, as Event::time. Not chosen: 0 and all ones. The trace may end before the second.
  Nanoseconds part_begin = 0, part_end = ~Nanoseconds{0};
};

}  // namespace tracer
