// SPDX-License-Identifier: BSD-3-Clause
// Ranges that overlap or change their thread: a lane's ranges become its location's events.
#pragma once

#include "tracer/event_sink.hpp"
#include "tracer/translate/resolve/annotation_lanes.hpp"
#include "tracer/translate/write/location_translator.hpp"

namespace tracer::translate {

/// The writer is flushed, not closed. Several lanes may be translated at once.
LocationResult translate_lane(const AnnotationLane& lane, const Tables& tables, const Vocabulary& vocabulary,
                              const ClockFit& clock, LocationWriter& writer);

}  // namespace tracer::translate
