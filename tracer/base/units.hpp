// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace tracer {

std::string duration_text(std::uint64_t ns);
/// All digits that it has: "150.0031 s".
std::string exact_time_text(std::uint64_t ns);
/// A moment of a run that is `whole` long, with as many digits as distinguish it from others: "150.003 s".
std::string moment_text(std::uint64_t ns, std::uint64_t whole);     ///< "1.234 ms"
std::string bytes_text(double bytes);                               ///< "1.5 MiB"
std::string percent_text(std::uint64_t part, std::uint64_t whole);  ///< "12.5 %"; of nothing: "0.0 %"
/// As these, and "-" for nothing.
std::string duration_or_dash(std::uint64_t ns);
std::string percent_or_dash(std::uint64_t part, std::uint64_t whole);
std::string bytes_or_dash(std::uint64_t count);
std::string count_or_dash(std::uint64_t number);
/// "solve.c:12", as far as known.
std::string place_text(const std::string& file, std::uint32_t line);

}  // namespace tracer
