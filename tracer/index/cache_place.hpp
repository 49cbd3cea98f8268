// SPDX-License-Identifier: BSD-3-Clause
// The user's cache, for what belongs to an archive beside its index.
#pragma once

#include <filesystem>

#include "formats/otf2/read/event_source.hpp"

namespace tracer::index {

/// Where something of the archive is kept there, by the ending of its name. "": there is no cache.
std::filesystem::path place_in_cache(const otf2::PositionedSource& source, const char* ending);

}  // namespace tracer::index
