// SPDX-License-Identifier: BSD-3-Clause
// What must stand first in LD_PRELOAD.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tracer/cli/launch/program.hpp"

namespace tracer::cli {

/// A list for LD_PRELOAD with AddressSanitizer's libraries first, those of the list and those that the programs are
/// linked with: it ends a program in which another library comes before it. nullopt: such a library has a path that no
/// list can name, so that nothing can be preloaded.
std::optional<std::string> with_sanitizers_first(const std::string& list, const std::vector<Program>& programs);

}  // namespace tracer::cli
