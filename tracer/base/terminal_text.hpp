// SPDX-License-Identifier: BSD-3-Clause
// What commands write on a terminal, whoever has given the names in it.
#pragma once

#include <string>
#include <string_view>

namespace tracer {

/// shown_lines(); with `styles`, those in which commands write (SGR: bold, red, green) stay as well.
std::string shown_on_terminal(std::string_view text, bool styles);

}  // namespace tracer
