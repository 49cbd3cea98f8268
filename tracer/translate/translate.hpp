// SPDX-License-Identifier: BSD-3-Clause
// A raw trace becomes the events and definitions of an archive: the same for a live run, a finished
// raw trace, a crashed one, and records that a test made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "tracer/device_timeline.hpp"
#include "tracer/event_sink.hpp"
#include "tracer/trace_source.hpp"
#include "tracer/translate/exclusions.hpp"
#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/translate_report.hpp"

namespace tracer::translate {

struct TranslateOptions {
  Symbolizer symbolize;                      ///< empty: addresses instead of positions
  unsigned threads = 1;                      ///< at least 1; fewer are used when none can be started
  const DeviceTimeline* devices = nullptr;   ///< not owned; nullptr: no device
  std::vector<Property> properties;          ///< further properties of the archive
  std::map<std::string, std::string> facts;  ///< of the process, from whoever saw its end
  std::function<bool(const Region&)> keep;   ///< false: its Enter and Leave are left out; empty: all are kept
  Exclusions excluded;                       ///< what contradicts itself
  Nanoseconds seen_until = 0;                ///< a trace without an end ends no sooner; 0: with its last record
  std::filesystem::path spill_directory;     ///< for tables that grow with the run; "": in memory
  std::function<void(double)> progress;      ///< 0 to 1, called by one thread at a time; may be empty
};

/// Throws tracer::Error: damaged input that cannot be skipped, or a sink that cannot write.
TranslateReport translate(const TraceSource& source, EventSink& sink, const TranslateOptions& options);

}  // namespace tracer::translate
