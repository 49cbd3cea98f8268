// SPDX-License-Identifier: BSD-3-Clause
// Makes one archive of several: their definitions are joined, their event files linked under the whole's location ids.
// No event is read or written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "formats/otf2/join/local_definition_writer.hpp"
#include "tracer/definitions.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {

/// Everything of a part that decides where it stands in the whole.
struct PartSummary {
  std::vector<Property> properties;  ///< of its anchor
  ClockProperties clock;
  std::uint32_t processes = 0;
  std::uint64_t locations = 0, events = 0, bytes = 0;
  std::uint64_t event_chunk = 0;
  std::string first_process;  ///< its name
};

/// Reads a part as a whole. Throws tracer::Error where it cannot be joined: damaged, of another kind, event files
/// missing; with `own_too` also where the definitions that its locations have of their own cannot be joined.
PartSummary read_part(const std::filesystem::path& directory, bool own_too = false);

struct PartToJoin {
  std::filesystem::path directory;
  PartIdentity identity;           ///< first_process and processes are set by join()
  std::vector<ClockOffset> clock;  ///< at least two, or none
};

struct JoinOptions {
  ClockProperties clock;             ///< of the whole
  std::uint64_t event_chunk = 0;     ///< bytes, the same in all parts
  std::vector<Property> properties;  ///< of the anchor
  std::string creator, description;
  bool share = false;                   ///< to be joined with others: ranks that are not there are in those
  std::function<void()> before_anchor;  ///< makes what else is to be there when the archive is; may be empty
};

/// Nothing was written: an archive is in the directory, or another process is making one.
class NotBegun : public Error {
 public:
  using Error::Error;
};

struct JoinResult {
  std::uint64_t locations = 0, events = 0, processes = 0, copied = 0, not_joined = 0;
};

/// In the order of the whole's processes. `directory` is made, or is this user's and has no archive, else NotBegun is
/// thrown. What is there when another error is thrown is no archive: it lacks its anchor.
JoinResult join(const std::vector<PartToJoin>& parts, const std::filesystem::path& directory,
                const JoinOptions& options);

}  // namespace tracer::otf2
