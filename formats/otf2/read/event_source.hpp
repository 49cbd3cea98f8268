// SPDX-License-Identifier: BSD-3-Clause
// A finished archive in the project's own definitions and events, as reports and exports read it.
#pragma once

#include <filesystem>
#include <memory>

#include "tracer/event_source.hpp"

namespace tracer::otf2 {

/// Any OTF2 archive. Times are converted to nanoseconds; references become dense. Events that
/// tracer::Event cannot express (files) are left out.
std::unique_ptr<EventSource> open_archive(const std::filesystem::path& path);

}  // namespace tracer::otf2
