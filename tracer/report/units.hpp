// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace tracer::report {

std::string duration_text(std::uint64_t ns);  ///< "1.234 ms"
std::string bytes_text(double bytes);         ///< "1.5 MiB"
std::string count_text(std::uint64_t count);  ///< "1,234,567"

}  // namespace tracer::report
