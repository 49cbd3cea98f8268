// SPDX-License-Identifier: BSD-3-Clause
// Reads any OTF2 archive (POSIX files, uncompressed), whoever wrote it: definitions as plain structs,
// events location by location or in order of time, in bounded memory.
//
// It parses the files itself: the OTF2 library trusts what it reads and crashes, or never ends, on
// truncated and damaged archives. Here every length is checked and every fault is a tracer::Error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "formats/otf2/common/trace_definitions.hpp"
#include "formats/otf2/read/event_reader.hpp"
#include "formats/otf2/read/head_heap.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {

class LocalDefinitionFiles;

/// The anchor file's contents.
struct ArchiveInfo {
  std::filesystem::path anchor;     ///< .../traces.otf2
  std::filesystem::path directory;  ///< where it is
  std::string name;                 ///< "traces": of the files next to the anchor
  unsigned version[3] = {};         ///< of the OTF2 library that wrote it
  unsigned format = 0;              ///< trace format
  unsigned substrate = 0, compression = 0;
  std::uint64_t event_chunk = 0, definition_chunk = 0;  ///< bytes
  std::uint64_t locations = 0, definitions = 0;         ///< announced numbers
  std::string machine, creator, description;
  std::vector<Property> properties;

  /// nullptr: the archive has no such property.
  const std::string* property(std::string_view property_name) const;
  std::filesystem::path definition_file() const { return directory / (name + ".def"); }
  std::filesystem::path event_file(std::uint64_t location) const;
  std::filesystem::path local_definition_file(std::uint64_t location) const;
};

/// One archive. Everything const may be used by several threads at once.
class Trace {
 public:
  /// `path` is the anchor file or the directory of it. Reads anchor and definitions; throws
  /// tracer::Error when they are missing, damaged or of a kind that is not supported.
  static Trace open(const std::filesystem::path& path);

  const ArchiveInfo& info() const { return info_; }
  const TraceDefinitions& definitions() const { return definitions_; }

  /// The events of one location in the order of its file. Throws when there is no such file.
  EventReader events(std::uint64_t location) const;
  /// The same, with so many bytes of the file in memory (EventReader), whatever the number of locations.
  EventReader events(std::uint64_t location, std::size_t window) const;
  /// For an event that a reader of events() gave: completes a matched receive in the form of older archives.
  void complete(EventView& view) const {
    if (is_matched_receive(view.kind)) complete_receive(view);
  }

  /// All events in order of time (by the location's definition where times are equal);
  /// `visit(const EventView&)`, the view being valid during the call. About 48 KiB per location,
  /// 48 MiB together (4 KiB each where there are more than 12,000).
  template <typename Visit>
  void for_each_event(Visit&& visit) const {
    for_each_event(visit, [](std::uint64_t, const Error&) { throw; });
  }
  /// As above; a location that cannot be read on is given to `broken(location, const Error&)`, called
  /// while the error is handled, and the others go on. `wanted`, when it is not empty, selects locations, in the order
  /// of definitions().locations; the files of the others are not opened.
  template <typename Visit, typename Broken>
  void for_each_event(Visit&& visit, Broken&& broken, const std::vector<bool>& wanted = {}) const;
  /// As above, from other places: `open(i)` gives the reader of the i-th location, or none where it has no more events.
  template <typename Open, typename Visit, typename Broken>
  void for_each_event_of(Open&& open, Visit&& visit, Broken&& broken) const;

  /// Every reference that one definition makes to another, from the file anew.
  void for_each_reference(const std::function<void(const ReferenceUse&)>& visit) const;

 private:
  void complete_receive(EventView& view) const;

  ArchiveInfo info_;
  TraceDefinitions definitions_;
  std::shared_ptr<LocalDefinitionFiles> local_definitions_;
};

/// Only the anchor file. Throws tracer::Error.
ArchiveInfo read_anchor(const std::filesystem::path& path);

template <typename Visit, typename Broken>
void Trace::for_each_event(Visit&& visit, Broken&& broken, const std::vector<bool>& wanted) const {
  const auto open = [&](std::size_t i) -> std::optional<EventReader> {
    if (!wanted.empty() && !wanted[i]) return std::nullopt;
    return events(definitions_.locations[i].ref);
  };
  for_each_event_of(open, visit, broken);
}

template <typename Open, typename Visit, typename Broken>
void Trace::for_each_event_of(Open&& open, Visit&& visit, Broken&& broken) const {
  struct Stream {
    std::optional<EventReader> reader;
    EventView view;
  };
  std::vector<Stream> streams(definitions_.locations.size());
  HeadHeap heads;
  const auto next = [&](std::size_t i) {
    try {
      if (!streams[i].reader) streams[i].reader = open(i);
      if (!streams[i].reader || !streams[i].reader->next(streams[i].view)) return false;
      complete(streams[i].view);
      return true;
    } catch (const Error& error) {
      broken(definitions_.locations[i].ref, error);
      return false;
    }
  };
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (next(i)) heads.add({streams[i].view.time, i});
  }
  while (!heads.empty()) {
    const auto i = heads.first().second;
    const HeadHeap::Head other = heads.second();
    if (other.second < streams.size()) {  // it comes next, and may have been out of all caches since its last event
      const auto* soon = reinterpret_cast<const char*>(&streams[other.second]);
      for (std::size_t line = 0; line < sizeof(Stream); line += 64) __builtin_prefetch(soon + line);
    }
    streams[i].reader->expect();
    bool more = true;
    do {  // as long as this location is the first
      visit(static_cast<const EventView&>(streams[i].view));
      more = next(i);
    } while (more && HeadHeap::Head{streams[i].view.time, i} < other);
    if (more)
      heads.change_first({streams[i].view.time, i});
    else
      heads.remove_first();
  }
}

}  // namespace tracer::otf2
