// SPDX-License-Identifier: BSD-3-Clause
// Which of the requested samples and scheduling events the system permits, and the message about the rest.
#pragma once

#include <cstdint>
#include <string>

#include "tracer/base/config.hpp"
#include "tracer/base/counters.hpp"
#include "tracer/sample/perf_thread.hpp"
#include "tracer/sample/signal_thread.hpp"

namespace tracer::sample {

struct SamplingPlan {
  PerfOptions options;                 ///< of the kernel's own notes
  std::uint64_t signal_period_ns = 0;  ///< else: threads sample themselves
  std::string lacks;                   ///< what samples will not have, and why; "": nothing
  std::string denied;                  ///< one line for the user; "": all that was wished for is there
  bool takes_samples() const noexcept { return options.period_ns != 0 || signal_period_ns != 0; }
  bool is_empty() const noexcept { return options.period_ns == 0 && !options.switches && signal_period_ns == 0; }
};

/// Takes the signal if there is need for one. Tries on the calling thread, whose events are closed again. Throws
/// std::bad_alloc.
SamplingPlan make_plan(const Config& config);

/// An errno of PerfThread::open() as a text with what to do.
std::string reason_of(int error);
/// The same of PerfCounters::error().
std::string why_not_counted(int error, const CounterKind& kind);

}  // namespace tracer::sample
