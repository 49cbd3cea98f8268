// SPDX-License-Identifier: BSD-3-Clause
// See costs.hpp.
#include "tracer/translate/costs.hpp"

#include <sys/resource.h>

#include <string>

#include "tracer/property_names.hpp"

namespace tracer::translate {

ConversionCosts::ProcessorTime ConversionCosts::ProcessorTime::of(int whose) noexcept {
  rusage usage{};
  ::getrusage(whose, &usage);
  const auto ns = [](const timeval& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_usec) * 1000;
  };
  return {ns(usage.ru_utime) + ns(usage.ru_stime), ns(usage.ru_stime)};
}

ConversionCosts::ConversionCosts(unsigned threads) noexcept
    : whose_{threads == 1 ? RUSAGE_THREAD : RUSAGE_SELF},
      begin_{std::chrono::steady_clock::now()},
      at_begin_{ProcessorTime::of(whose_)},
      at_scanned_{at_begin_} {}

void ConversionCosts::scanned() noexcept {
  at_scanned_ = ProcessorTime::of(whose_);
}

void ConversionCosts::define(Definitions& definitions) const {
  const ProcessorTime end = ProcessorTime::of(whose_);
  const auto add = [&definitions](const char* name, std::uint64_t ns) {
    definitions.properties.push_back({std::string(properties::counter_tool) + name, std::to_string(ns)});
  };
  const auto spent = std::chrono::steady_clock::now() - begin_;
  add("convert_ns", static_cast<std::uint64_t>(std::chrono::nanoseconds(spent).count()));
  add("convert_cpu_ns", end.all - at_begin_.all);
  add("convert_kernel_ns", end.kernel - at_begin_.kernel);
  add("scan_cpu_ns", at_scanned_.all - at_begin_.all);
}

}  // namespace tracer::translate
