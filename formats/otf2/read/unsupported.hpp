// SPDX-License-Identifier: BSD-3-Clause
// What of an archive neither Definitions nor Event can express.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "formats/otf2/common/event_view.hpp"
#include "formats/otf2/read/reader.hpp"

namespace tracer::otf2 {

class Unsupported {
 public:
  /// An event that was read; `is_translated`: it has become one of the project's.
  void note(const EventView& view, bool is_translated);
  /// Records by the name of their kind: the events that were noted, and all definitions and other files.
  std::map<std::string, std::uint64_t> all(const Trace& trace) const;
  /// Of the noted events those that did not become one of the project's, by the name of their kind.
  std::map<std::string, std::uint64_t> known_events() const;
  /// Those of the noted events whose kind has no name here: of a later version of OTF2.
  std::uint64_t unknown_events() const;

 private:
  std::array<std::uint64_t, std::size_t{UINT8_MAX} + 1> events_{};                           ///< by kind
  std::array<std::uint64_t, static_cast<std::size_t>(ReferenceKind::count_)> attributes_{};  ///< by what they refer to
  std::uint64_t arguments_ = 0;                                                              ///< of ProgramBegin
};

}  // namespace tracer::otf2
