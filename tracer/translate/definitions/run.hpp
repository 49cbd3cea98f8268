// SPDX-License-Identifier: BSD-3-Clause
// The definitions that describe the run as a whole: machine, process, paradigm, communicator of all
// threads, clock, and the archive's properties.
#pragma once

#include <map>
#include <string>

#include "tracer/definitions.hpp"
#include "tracer/journal.hpp"
#include "tracer/translate/clock_fit.hpp"
#include "tracer/translate/translate_report.hpp"

namespace tracer::translate {

struct Tables;

/// Machine, host and process; the OpenMP paradigm. Group 0 is the paradigm's communicator of all
/// threads, filled by define_all_threads once the locations are known.
void define_process(const Journal& journal, Definitions& definitions);
void define_all_threads(std::size_t threads, Definitions& definitions);

void define_clock(Nanoseconds first, Nanoseconds last, const ClockFit& fit, Definitions& definitions);

/// What was recorded, what is missing, and what the runtime reported about itself.
/// Threads, and processes that stopped recording, which lost an unknown number of events: counted as one event each.
std::uint64_t lost_without_count(const Journal& journal);
/// A program of GCC ran on another OpenMP runtime than its own.
bool stands_in_for_libgomp(const Journal& journal);
void define_properties(const Journal& journal, const TranslateReport& report,
                       const std::map<std::string, std::string>& known, Definitions& definitions);
/// TRACER::RUN::...: the process as the kernel sees it. Times are CLOCK_MONOTONIC's, as the events' are. `known`: what
/// somebody else saw of its end. A killed run ended when something of it was seen last.
void define_run_facts(const Journal& journal, const ClockFit& fit, Nanoseconds last_event,
                      const std::map<std::string, std::string>& known, Definitions& definitions);
/// How many callbacks of each kind were recorded; of dependences and target_map, how many items they had.
void define_callback_counts(const Tables& tables, Definitions& definitions);
/// libomptarget is loaded, was to report target constructs, and has reported nothing.
void define_silent_target_library(const Tables& tables, const Journal& journal, Definitions& definitions);

}  // namespace tracer::translate
