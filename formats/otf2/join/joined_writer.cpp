// SPDX-License-Identifier: BSD-3-Clause
// See joined_writer.hpp.
#include "formats/otf2/join/joined_writer.hpp"

#include <otf2/OTF2_Pthread_Locks.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "formats/otf2/write/claim.hpp"
#include "formats/otf2/write/definition_writer.hpp"
#include "formats/otf2/write/event_file.hpp"
#include "formats/otf2/write/library.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/files/permissions.hpp"
#include "tracer/job/job_directory.hpp"

namespace tracer::otf2 {
namespace fs = std::filesystem;
namespace {

const OTF2_FlushCallbacks flush_callbacks{
    [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; }, nullptr};

OTF2_AttributeValue value_of(const NamedProperty& p) noexcept {
  OTF2_AttributeValue value{};
  if (p.type == OTF2_TYPE_STRING || (p.type > OTF2_TYPE_STRING && p.type != OTF2_TYPE_LOCATION)) {
    value.stringRef = static_cast<std::uint32_t>(p.value);
  } else if (p.type == OTF2_TYPE_UINT8 || p.type == OTF2_TYPE_INT8) {
    value.uint8 = static_cast<std::uint8_t>(p.value);
  } else if (p.type == OTF2_TYPE_UINT16 || p.type == OTF2_TYPE_INT16) {
    value.uint16 = static_cast<std::uint16_t>(p.value);
  } else if (p.type == OTF2_TYPE_UINT32 || p.type == OTF2_TYPE_INT32 || p.type == OTF2_TYPE_FLOAT) {
    value.uint32 = static_cast<std::uint32_t>(p.value);
  } else {
    value.uint64 = p.value;
  }
  return value;
}

}  // namespace

JoinedArchive::JoinedArchive(fs::path directory, std::uint64_t event_chunk)
    : directory_(std::move(directory)),
      event_chunk_(std::clamp<std::uint64_t>(event_chunk, OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_MAX)) {
  begin_library();
  place_ = claim_directory(directory_);
  const fs::path by_descriptor = path_of_descriptor(place_.get(), directory_);
  archive_ = OTF2_Archive_Open(by_descriptor.c_str(), "traces", OTF2_FILEMODE_WRITE, event_chunk_,
                               OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr)
    throw Error("cannot make the archive " + (directory_ / "traces.otf2").string() + ": " + take_library_message());
  check(OTF2_Archive_SetFlushCallbacks(archive_, &flush_callbacks, nullptr), "setting up the archive");
  check(OTF2_Archive_SetMemoryCallbacks(archive_, ChunkPool::callbacks(), &pool_), "setting up the archive");
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), "setting up the archive");
  locations_ = make_directory_of_locations(place_, directory_);
}

JoinedArchive::~JoinedArchive() {
  if (archive_ == nullptr) return;
  OTF2_Archive_SetDefChunkSize(archive_, OTF2_CHUNK_SIZE_MIN);  // else it refuses to close
  OTF2_Archive_Close(archive_);
  take_library_message();
  ::unlinkat(place_.get(), "traces.otf2", 0);
}

void JoinedArchive::add_empty(const std::string& name) {
  EventFile events(locations_.get(), name + ".evt", pool_, event_chunk_);
  events.finish();
  add_definitions(name);
}

void JoinedArchive::add_definitions(const std::string& name, std::span<const std::uint8_t> records) {
  local_definitions_.make(locations_.get(), name + ".def", records);
  largest_ = std::max(largest_, records.size());
}

void JoinedArchive::finish(const JoinedDefinitions& d, const JoinOptions& options) {
  std::size_t largest = std::max(max_string, largest_);
  for (const GroupDef& g : d.groups) largest = std::max(largest, g.members.size() * 9);
  check(OTF2_Archive_SetDefChunkSize(
            archive_, std::clamp<std::uint64_t>(std::bit_ceil(2 * largest), OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_MAX)),
        "sizing the definitions");
  OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (writer == nullptr) throw Error("cannot write the definitions: " + take_library_message());
  write(writer, d, options.clock);
  check(reported(OTF2_Archive_CloseGlobalDefWriter(archive_, writer)), "closing the definitions");
  Definitions anchor;
  anchor.creator = options.creator;
  anchor.description = options.description;
  anchor.properties = options.properties;
  anchor.nodes.push_back({"Linux", "machine", undefined_ref, NodeDomain::machine, {}});
  write_archive_properties(archive_, anchor);
  check(reported(OTF2_Archive_Close(std::exchange(archive_, nullptr))), "closing the archive");
  for (const char* name : {"traces.otf2", "traces.def"}) keep_from_writing(place_.get(), name);
}

void JoinedArchive::write(OTF2_GlobalDefWriter* w, const JoinedDefinitions& d, const ClockProperties& c) {
  check(OTF2_GlobalDefWriter_WriteClockProperties(w, c.resolution, c.offset, c.length, c.realtime), "clock");
  for (std::uint32_t i = 0; i < d.strings.size(); ++i)
    check(OTF2_GlobalDefWriter_WriteString(w, i, d.strings[i].substr(0, max_string).c_str()), "string");
  for (const ParadigmDef& p : d.paradigms) {
    const auto self = static_cast<OTF2_Paradigm>(p.ref);
    check(OTF2_GlobalDefWriter_WriteParadigm(w, self, p.name, p.paradigm_class), "paradigm");
    for (const NamedProperty& q : p.properties)
      check(OTF2_GlobalDefWriter_WriteParadigmProperty(w, self, static_cast<OTF2_ParadigmProperty>(q.name), q.type,
                                                       value_of(q)),
            "paradigm property");
  }
  for (const AttributeDef& a : d.attributes)
    check(OTF2_GlobalDefWriter_WriteAttribute(w, static_cast<OTF2_AttributeRef>(a.ref), a.name, a.description, a.type),
          "attribute");
  for (const ParameterDef& p : d.parameters)
    check(OTF2_GlobalDefWriter_WriteParameter(w, static_cast<OTF2_ParameterRef>(p.ref), p.name, p.type), "parameter");
  write_places(w, d);
  for (const RegionDef& r : d.regions)
    check(OTF2_GlobalDefWriter_WriteRegion(w, static_cast<OTF2_RegionRef>(r.ref), r.name, r.canonical, r.description,
                                           r.role, r.paradigm, r.flags, r.source_file, r.begin_line, r.end_line),
          "region");
  for (const SourceCodeLocationDef& s : d.source_code_locations)
    check(OTF2_GlobalDefWriter_WriteSourceCodeLocation(w, static_cast<std::uint32_t>(s.ref), s.file, s.line),
          "source code location");
  for (const CallingContextDef& s : d.calling_contexts)
    check(OTF2_GlobalDefWriter_WriteCallingContext(w, static_cast<std::uint32_t>(s.ref), s.region, s.source, s.parent),
          "calling context");
  for (const InterruptGeneratorDef& g : d.interrupt_generators)
    check(OTF2_GlobalDefWriter_WriteInterruptGenerator(w, static_cast<std::uint32_t>(g.ref), g.name, g.mode, g.base,
                                                       g.exponent, g.period),
          "interrupt generator");
  write_communicators(w, d);
  write_metrics(w, d);
}

void JoinedArchive::write_places(OTF2_GlobalDefWriter* w, const JoinedDefinitions& d) {
  for (const SystemNodeDef& n : d.nodes) {
    const auto self = static_cast<OTF2_SystemTreeNodeRef>(n.ref);
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(w, self, n.name, n.class_name, n.parent), "system tree node");
    for (const std::uint8_t domain : n.domains)
      check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w, self, domain), "system tree domain");
    for (const NamedProperty& p : n.properties)
      check(OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(w, self, p.name, p.type, value_of(p)),
            "system tree property");
  }
  for (const auto* groups : {&d.processes, &d.devices}) {
    for (const LocationGroupDef& g : *groups) {
      const auto self = static_cast<OTF2_LocationGroupRef>(g.ref);
      check(OTF2_GlobalDefWriter_WriteLocationGroup(w, self, g.name, g.type, g.system_tree_parent, g.creating_group),
            "location group");
      for (const NamedProperty& p : g.properties)
        check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(w, self, p.name, p.type, value_of(p)),
              "location group property");
    }
  }
  for (const LocationDef& l : d.locations) {
    check(OTF2_GlobalDefWriter_WriteLocation(w, l.ref, l.name, l.type, l.events, l.group), "location");
    for (const NamedProperty& p : l.properties)
      check(OTF2_GlobalDefWriter_WriteLocationProperty(w, l.ref, p.name, p.type, value_of(p)), "location property");
  }
}

void JoinedArchive::write_communicators(OTF2_GlobalDefWriter* w, const JoinedDefinitions& d) {
  for (const GroupDef& g : d.groups)
    check(OTF2_GlobalDefWriter_WriteGroup(w, static_cast<OTF2_GroupRef>(g.ref), g.name, g.type,
                                          static_cast<OTF2_Paradigm>(g.paradigm), g.flags,
                                          static_cast<std::uint32_t>(g.members.size()), g.members.data()),
          "group");
  std::vector<bool> written(d.comms.size());
  const std::function<void(const CommDef&)> put_comm = [&](const CommDef& c) {
    if (written[c.ref]) return;
    written[c.ref] = true;
    if (c.parent < d.comms.size()) put_comm(d.comms[c.parent]);
    const auto self = static_cast<OTF2_CommRef>(c.ref);
    check(c.second_group == undefined_ref
              ? OTF2_GlobalDefWriter_WriteComm(w, self, c.name, c.group, c.parent, c.flags)
              : OTF2_GlobalDefWriter_WriteInterComm(w, self, c.name, c.group, c.second_group, c.parent, c.flags),
          "comm");
  };
  for (const CommDef& c : d.comms) put_comm(c);
  for (const RmaWindowDef& r : d.windows)
    check(OTF2_GlobalDefWriter_WriteRmaWin(w, static_cast<OTF2_RmaWinRef>(r.ref), r.name, r.comm, r.flags),
          "RMA window");
  write_io(w, d);
}

void JoinedArchive::write_io(OTF2_GlobalDefWriter* w, const JoinedDefinitions& d) {
  for (const IoParadigmDef& p : d.io_paradigms)
    check(OTF2_GlobalDefWriter_WriteIoParadigm(w, static_cast<OTF2_IoParadigmRef>(p.ref), p.identification, p.name,
                                               p.paradigm_class, p.flags, 0, nullptr, nullptr, nullptr),
          "I/O paradigm");
  for (const IoFileDef& f : d.io_files) {
    const auto self = static_cast<OTF2_IoFileRef>(f.ref);
    check(f.is_directory ? OTF2_GlobalDefWriter_WriteIoDirectory(w, self, f.name, f.scope)
                         : OTF2_GlobalDefWriter_WriteIoRegularFile(w, self, f.name, f.scope),
          "I/O file");
  }
  for (const IoHandleDef& h : d.io_handles) {
    const auto self = static_cast<OTF2_IoHandleRef>(h.ref);
    check(OTF2_GlobalDefWriter_WriteIoHandle(w, self, h.name, h.file, h.paradigm, h.flags, h.comm, h.parent),
          "I/O handle");
    if (const auto& state = h.pre_created)
      check(OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(w, self, state->access, state->status),
            "state of an I/O handle");
  }
}

void JoinedArchive::write_metrics(OTF2_GlobalDefWriter* w, const JoinedDefinitions& d) {
  for (const MetricMemberDef& m : d.metric_members)
    check(OTF2_GlobalDefWriter_WriteMetricMember(w, static_cast<OTF2_MetricMemberRef>(m.ref), m.name, m.description,
                                                 m.type, m.mode, m.value_type, m.base, m.exponent, m.unit),
          "metric member");
  for (const MetricDef& m : d.metrics) {
    const auto self = static_cast<OTF2_MetricRef>(m.ref);
    if (m.is_instance) {
      check(OTF2_GlobalDefWriter_WriteMetricInstance(w, self, m.metric_class, m.recorder, m.scope_type, m.scope),
            "metric instance");
      continue;
    }
    const std::vector<OTF2_MetricMemberRef> members(m.members.begin(), m.members.end());
    check(OTF2_GlobalDefWriter_WriteMetricClass(w, self, static_cast<std::uint8_t>(members.size()), members.data(),
                                                m.occurrence, m.recorder_kind),
          "metric class");
  }
}

}  // namespace tracer::otf2
