// SPDX-License-Identifier: BSD-3-Clause
// An archive as other tools write it, by the OTF2 library: references have gaps, and events and definitions are the
// caller's.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <vector>

#include "catch.hpp"

namespace tracer::test {

/// One process with one thread. First its events, then its definitions, then finish().
class ForeignArchive {
 public:
  static constexpr OTF2_SystemTreeNodeRef machine = 3, node = 5;
  static constexpr OTF2_LocationGroupRef process = 9;
  static constexpr OTF2_LocationRef location = 70;
  static constexpr OTF2_RegionRef region = 8;  ///< behind another

  explicit ForeignArchive(const std::filesystem::path& directory) {
    static const OTF2_FlushCallbacks callbacks{
        [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; }, nullptr};
    constexpr std::uint64_t chunk = 1 << 20;
    archive_ = OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk, chunk, OTF2_SUBSTRATE_POSIX,
                                 OTF2_COMPRESSION_NONE);
    REQUIRE(archive_ != nullptr);
    OTF2_Archive_SetFlushCallbacks(archive_, &callbacks, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
    OTF2_Archive_OpenEvtFiles(archive_);
    events_ = OTF2_Archive_GetEvtWriter(archive_, location);
  }
  /// Of the times from 1000 to 1100.
  OTF2_EvtWriter* events() { return events_; }
  OTF2_GlobalDefWriter* definitions() {
    if (definitions_ == nullptr) begin_definitions();
    return definitions_;
  }
  OTF2_StringRef string(const char* text) {
    const OTF2_StringRef ref = next_string_;
    next_string_ += 3;
    CHECK(OTF2_GlobalDefWriter_WriteString(definitions(), ref, text) == OTF2_SUCCESS);
    return ref;
  }
  void group(OTF2_GroupRef ref, OTF2_GroupType type, OTF2_Paradigm paradigm,
             std::initializer_list<std::uint64_t> members) {
    CHECK(OTF2_GlobalDefWriter_WriteGroup(definitions(), ref, string("group"), type, paradigm, OTF2_GROUP_FLAG_NONE,
                                          static_cast<std::uint32_t>(members.size()), members.begin()) == OTF2_SUCCESS);
  }
  void finish() {
    OTF2_Archive_CloseGlobalDefWriter(archive_, definitions_);
    OTF2_Archive_OpenDefFiles(archive_);
    OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, location));
    OTF2_Archive_CloseDefFiles(archive_);
    CHECK(OTF2_Archive_Close(archive_) == OTF2_SUCCESS);
  }

 private:
  void begin_definitions() {
    std::uint64_t count = 0;
    OTF2_EvtWriter_GetNumberOfEvents(events_, &count);
    OTF2_Archive_CloseEvtWriter(archive_, events_);
    OTF2_Archive_CloseEvtFiles(archive_);
    OTF2_GlobalDefWriter* const w = definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    OTF2_GlobalDefWriter_WriteClockProperties(w, 1'000'000'000, 1000, 100, OTF2_UNDEFINED_TIMESTAMP);
    const OTF2_StringRef none = string(""), name = string("name");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(w, machine, name, string("machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(w, node, name, string("node"), machine);
    OTF2_GlobalDefWriter_WriteLocationGroup(w, process, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(w, location, name, OTF2_LOCATION_TYPE_CPU_THREAD, count, process);
    for (const OTF2_RegionRef ref : {region - 3, region})
      OTF2_GlobalDefWriter_WriteRegion(w, ref, name, name, none, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                       OTF2_REGION_FLAG_NONE, none, 0, 0);
  }

  OTF2_Archive* archive_ = nullptr;
  OTF2_EvtWriter* events_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  OTF2_StringRef next_string_ = 4;
};

}  // namespace tracer::test
