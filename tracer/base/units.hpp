// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace tracer {

std::string duration_text(std::uint64_t ns);                        ///< "1.234 ms"
std::string bytes_text(double bytes);                               ///< "1.5 MiB"
std::string percent_text(std::uint64_t part, std::uint64_t whole);  ///< "12.5 %"; of nothing: "0.0 %"
/// As these, and "-" for nothing.
std::string duration_or_dash(std::uint64_t ns);
std::string percent_or_dash(std::uint64_t part, std::uint64_t whole);
std::string bytes_or_dash(std::uint64_t count);
std::string count_or_dash(std::uint64_t number);
/// "solve.c:12", as far as it is known.
std::string place_text(const std::string& file, std::uint32_t line);

}  // namespace tracer
