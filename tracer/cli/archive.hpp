// SPDX-License-Identifier: BSD-3-Clause
// A finished archive, as reports and exports read it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "tracer/event_source.hpp"
#include "tracer/samples.hpp"

namespace tracer::cli {

/// The archive that a user means: the anchor file, its directory, or "": the newest trace
/// (./tracer-*/traces.otf2) in this directory. Throws tracer::Error with what to do next.
std::filesystem::path find_archive(const std::string& given);

/// Any OTF2 archive. Times are converted to nanoseconds; references become dense. Events that
/// tracer::Event cannot express (files, one-sided operations of MPI) are left out.
std::unique_ptr<EventSource> open_archive(const std::filesystem::path& path);

/// The samples beside an archive, given by its anchor file; none where there are none. Throws tracer::Error for a file
/// that cannot be read.
std::optional<samples::SampleSet> read_samples(const std::filesystem::path& anchor);

}  // namespace tracer::cli
