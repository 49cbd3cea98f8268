// SPDX-License-Identifier: BSD-3-Clause
// What a trace does not have, or has and the viewer does not show.
#pragma once

#include <string>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/index/contents.hpp"

namespace tracer::view {

/// Sentences. Throws tracer::Error where the index is damaged.
std::vector<std::string> notes_of(const Definitions& definitions, const index::Contents& contents);

}  // namespace tracer::view
