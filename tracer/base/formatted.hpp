// SPDX-License-Identifier: BSD-3-Clause
// Text by printf's formats, however long it becomes, with numbers as C has them whatever the program's locale.
#pragma once

#include <cstdarg>
#include <string>

namespace tracer {

[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);
std::string formatted_list(const char* format, std::va_list arguments);

}  // namespace tracer
