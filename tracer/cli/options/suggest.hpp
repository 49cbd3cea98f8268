// SPDX-License-Identifier: BSD-3-Clause
// "Did you mean ...?": the valid word nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tracer::cli {

/// "" when none is near: at most a third of the letters are added, left out, changed or swapped.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

/// " Did you mean '...'?", or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace tracer::cli
