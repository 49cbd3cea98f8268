// SPDX-License-Identifier: BSD-3-Clause
// The global definition file into TraceDefinitions.
#pragma once

#include <filesystem>
#include <functional>

#include "formats/otf2/common/trace_definitions.hpp"

namespace tracer::otf2 {

/// Throws tracer::Error.
TraceDefinitions read_definitions(const std::filesystem::path& file);

void read_references(const std::filesystem::path& file, const std::function<void(const ReferenceUse&)>& visit);

}  // namespace tracer::otf2
