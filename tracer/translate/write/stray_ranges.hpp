// SPDX-License-Identifier: BSD-3-Clause
// Annotation ranges that do not nest on their threads (annotation_events.hpp): found before the archive is written, by
// a first writing of the threads that have ranges, to nowhere.
#pragma once

#include <vector>

#include "tracer/journal.hpp"
#include "tracer/trace_source.hpp"
#include "tracer/translate/clock_fit.hpp"
#include "tracer/translate/definitions/vocabulary.hpp"
#include "tracer/translate/resolve/annotation_lanes.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// Of all threads, in no order. Marks each in its channel's plan, so that the writing leaves it out.
std::vector<AnnotationRange> find_stray_ranges(const TraceSource& source, Tables& tables, const Vocabulary& vocabulary,
                                               const ClockFit& clock, unsigned threads);

}  // namespace tracer::translate
