// SPDX-License-Identifier: BSD-3-Clause
// What a conversion costs: time on the clock and of the processor, for the archive.
#pragma once

#include <chrono>
#include <cstdint>

#include "tracer/definitions.hpp"

namespace tracer::translate {

/// Begins with the object. Processor times are of the whole process, on however many threads the conversion runs. Where
/// it has one thread they are of that one: others may convert beside it.
class ConversionCosts {
 public:
  explicit ConversionCosts(unsigned threads) noexcept;
  /// The first pass is over.
  void scanned() noexcept;
  /// The conversion is over: its costs become properties of the archive.
  void define(Definitions& definitions) const;

 private:
  struct ProcessorTime {
    std::uint64_t all = 0, kernel = 0;  ///< ns
    static ProcessorTime of(int whose) noexcept;
  };
  int whose_;  ///< as of getrusage()
  std::chrono::steady_clock::time_point begin_;
  ProcessorTime at_begin_, at_scanned_;
};

}  // namespace tracer::translate
