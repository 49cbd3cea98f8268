// SPDX-License-Identifier: BSD-3-Clause
// See plan.hpp.
#include "tracer/sample/plan.hpp"

#include <cerrno>
#include <cstring>

#include "tracer/base/file.hpp"

namespace tracer::sample {
namespace {

int try_out(const PerfOptions& options) noexcept {
  PerfThread probe;
  return probe.open(options);
}

}  // namespace

std::string reason_of(int error) {
  if (error == EACCES || error == EPERM) {
    std::string paranoid = read_small_file("/proc/sys/kernel/perf_event_paranoid", 16);
    while (!paranoid.empty() && paranoid.back() == '\n') paranoid.pop_back();
    return "the system forbids it (kernel.perf_event_paranoid is " + (paranoid.empty() ? "not readable" : paranoid) +
           "; 2 or less is needed, and in containers perf_event_open must be allowed)";
  }
  if (error == ENOSYS || error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == EINVAL || error == E2BIG)
    return std::string{"this kernel has no such events ("} + std::strerror(error) + ")";
  return std::strerror(error);
}

Plan make_plan(const Config& config) {
  Plan plan;
  if (config.sample != 0) plan.options.period_ns = 1'000'000'000 / config.sample;
  plan.options.switches = config.schedule;
  const PerfOptions wanted = plan.options;
  if ((wanted.period_ns == 0 && !wanted.switches) || try_out(wanted) == 0) return plan;
  // Kernels before 4.3 know no switches, some virtual ones count but do not sample: each for itself.
  const int no_samples = wanted.period_ns != 0 ? try_out({wanted.period_ns, false}) : 0;
  int no_switches = wanted.switches ? try_out({0, true}) : 0;
  if (no_samples != 0) plan.options.period_ns = 0;
  if (no_samples == 0 && no_switches == 0 && wanted.period_ns != 0) no_switches = EINVAL;  // not both
  if (no_switches != 0) plan.options.switches = false;
  if (no_samples != 0 && no_switches != 0) {
    plan.denied = "no samples are taken and no scheduling is recorded: " + reason_of(no_samples);
  } else if (no_samples != 0) {
    plan.denied = "no samples are taken: " + reason_of(no_samples);
  } else if (no_switches != 0) {
    plan.denied = "no scheduling is recorded: " + reason_of(no_switches);
  }
  return plan;
}

}  // namespace tracer::sample
