// SPDX-License-Identifier: BSD-3-Clause
// A finished archive in the project's own definitions and events, as reports and exports read it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "formats/otf2/read/event_reader.hpp"
#include "formats/otf2/read/reader.hpp"
#include "tracer/event_source.hpp"

namespace tracer::otf2 {

/// Where a location's reading can go on.
struct ResumePlace {
  std::uint32_t location = 0;  ///< as the archive's definitions count
  ReadPosition position;
  std::uint64_t skip = 0;  ///< so many events behind it
};

/// An archive that can be read from the middle. Its index (tracer/index) contains the places.
class PositionedSource : public EventSource {
 public:
  /// Of the files.
  virtual const ArchiveInfo& info() const = 0;
  /// OTF2's number of a location, which its event file is named after.
  virtual std::uint64_t number_of(LocationRef location) const = 0;
  /// As read(). `ahead` gets each location's events some time before the visitor does, as they are read from the file:
  /// in the location's order, all at once, and all that were given before are with the visitor then. The position is
  /// that of the first of them.
  using Ahead = std::function<void(LocationRef, std::span<const Event>, const ReadPosition&)>;
  virtual void read(EventVisitor& visitor, const Ahead& ahead) = 0;
  using EventSource::read;
  /// During a call of read()'s visitor: where reading goes on with the first of its events, for each location that has
  /// more, in their order.
  virtual std::vector<ResumePlace> places() const = 0;
  /// As read(), from there on. Throws tracer::Error where these are no such places.
  virtual void read_on(std::span<const ResumePlace> places, EventVisitor& visitor) = 0;
  /// One location's events from `position` on, as long as `visit` returns true. The attributes are those of the events
  /// one after the other; valid during the call. Throws tracer::Error on damaged input.
  using Visit = std::function<bool(std::span<const Event>, std::span<const EventAttribute>)>;
  virtual void read_from(LocationRef location, const ReadPosition& position, const Visit& visit) = 0;
};

/// Any OTF2 archive. Times are converted to nanoseconds; references become dense. What cannot be expressed here (locks
/// of files, topologies) is left out: unsupported().
std::unique_ptr<PositionedSource> open_archive(const std::filesystem::path& path);

}  // namespace tracer::otf2
