// SPDX-License-Identifier: BSD-3-Clause
// A stream's operations and its device's memory become events.
#pragma once

#include "tracer/event_sink.hpp"
#include "tracer/translate/clock_fit.hpp"
#include "tracer/translate/devices/definitions.hpp"
#include "tracer/translate/write/location_translator.hpp"

namespace tracer::translate {

/// The writer is flushed, not closed. Several locations may be translated at once.
LocationResult translate_stream(const DeviceLocation& location, const DeviceDefinitions& devices, const Tables& tables,
                                const ClockFit& clock, LocationWriter& writer);

}  // namespace tracer::translate
