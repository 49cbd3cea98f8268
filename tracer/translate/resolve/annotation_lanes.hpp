// SPDX-License-Identifier: BSD-3-Clause
// Annotation ranges that overlap or begin and end on different threads: they get locations of the
// process, named by their domain, as many as are needed for the ranges on each to nest.
#pragma once

#include <string>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/journal.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

struct AnnotationRange {
  Ticks begin = 0, end = 0;
  std::uint64_t name = 0;  ///< word_name()
  std::uint64_t payload = 0;
  std::uint32_t details = 0;
  std::uint16_t sub = 0;
};

/// A location's ranges, in order of begin, outer ones first; each ends before or after, never within another.
struct AnnotationLane {
  LocationRef location = undefined_ref;
  std::vector<AnnotationRange> ranges;
};

/// `strays`: of all threads (write/word_events.hpp). Adds the locations to `definitions`.
std::vector<AnnotationLane> lay_out_ranges(const Tables& tables, std::vector<AnnotationRange> strays,
                                           const Journal& journal, Definitions& definitions, Repairs& repairs);

}  // namespace tracer::translate
