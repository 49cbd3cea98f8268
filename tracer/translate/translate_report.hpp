// SPDX-License-Identifier: BSD-3-Clause
// What a translation found, and how much of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "tracer/time.hpp"

namespace tracer::translate {

struct TranslateReport {
  std::uint64_t events = 0;
  std::uint64_t records = 0;
  std::uint64_t lost = 0;
  bool paused = false;      ///< by omp_control_tool, for a time or to the end
  bool doubtful = false;    ///< threads may contradict each other: the archive may not be valid
  bool left_out = false;    ///< something that contradicts itself (Exclusions)
  std::size_t threads = 0;  ///< CPU thread locations
  std::size_t streams = 0;
  Nanoseconds end = 0;  ///< when the archive's last event is
  std::map<std::string, std::uint64_t> repairs;
};

}  // namespace tracer::translate
