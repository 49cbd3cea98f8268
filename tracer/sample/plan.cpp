// SPDX-License-Identifier: BSD-3-Clause
// See plan.hpp.
#include "tracer/sample/plan.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tracer/base/counters.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/sample/clock_offset.hpp"
#include "tracer/sample/processor_kinds.hpp"

namespace tracer::sample {
namespace {

/// 0 or the errno. `lacks_kernel`: whether samples would not have the kernel's time.
int try_out(const PerfOptions& options, bool& lacks_kernel) noexcept {
  PerfThread probe;
  const int error = probe.open(options);
  if (options.period_ns != 0 && error == 0) lacks_kernel = probe.excludes_kernel();
  return error;
}

/// The setting of the system that decides what users see of it.
std::string paranoid() {
  std::string level = read_small_file("/proc/sys/kernel/perf_event_paranoid", 16);
  while (!level.empty() && level.back() == '\n') level.pop_back();
  return "kernel.perf_event_paranoid is " + (level.empty() ? "not readable" : level);
}

int try_signal(std::uint64_t period_ns) noexcept {
  if (const int error = take_signal()) return error;
  SignalThread probe;
  const int error = probe.start(period_ns);
  probe.end();
  return error;
}

/// Whether threads may come to a processor that does not have the counters of the one before it.
bool has_several_kinds() {
  ProcessorMask usable;
  if (!read_noted_processors(usable)) read_processors(0, usable);
  return processor_kinds(usable) > 1;
}

/// What of `wanted` can be read with the samples; of the rest a text for the user.
std::string choose_counters(PerfOptions& options, const std::vector<CounterId>& wanted) {
  std::map<std::string, std::string> names;  // by why
  const auto leave_out = [&](const std::string& why, const CounterKind& kind) {
    std::string& list = names[why];
    list += (list.empty() ? "" : ", ") + std::string{kind.name};
  };
  const bool is_hybrid = has_several_kinds();
  std::vector<CounterId> tried;
  for (const CounterId id : wanted)
    if (is_hybrid && counters()[id].is_hardware())
      leave_out("this machine's processors are of several kinds, each with counters of its own", counters()[id]);
    else
      tried.push_back(id);
  options.counters = tried;
  PerfThread probe;
  if (const int error = probe.open(options)) {
    options.counters.clear();
    return "no counters are read: " + reason_of(error);
  }
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const CounterKind& kind = counters()[tried[i]];
    if (const int error = probe.counters().error(i)) leave_out(why_not_counted(error, kind), kind);
  }
  options.counters.assign(probe.counters().ids().begin(), probe.counters().ids().end());
  std::string text;
  for (const auto& [why, list] : names) text += (text.empty() ? "not counted: " : "; ") + list + " (" + why + ")";
  return text;
}

}  // namespace

std::string reason_of(int error) {
  if (error == EACCES || error == EPERM) {
    return "the system forbids it (" + paranoid() +
           "; 2 or less is needed, and in containers perf_event_open must be allowed)";
  }
  if (error == ENOBUFS) return "no locked memory is left for the ring (kernel.perf_event_mlock_kb, ulimit -l)";
  if (error == ENOSYS || error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == EINVAL || error == E2BIG)
    return std::string{"this kernel has no such events ("} + std::strerror(error) + ")";
  return std::strerror(error);
}

std::string why_not_counted(int error, const CounterKind& kind) {
  if (kind.kernel_too && (error == EACCES || error == EPERM))
    return "what happens in the kernel is only counted where kernel.perf_event_paranoid is 1 or less";
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) return "this machine has no such counters";
  if (error == EINVAL || error == ENOSPC) return "the processor has no room for so many at once";
  return reason_of(error);
}

// Kernels before 4.3 report no switches, some virtual ones count but do not sample: each is tried for itself.
SamplingPlan make_plan(const Config& config) {
  const Nanoseconds period = config.sample != 0 ? 1'000'000'000 / config.sample : 0;
  SamplingPlan plan;
  plan.options = {
      config.sample_source == SampleSource::signal ? 0 : period, config.schedule, {}, own_monotonic_offset()};
  if (!plan.options.switches && period == 0) return plan;
  int no_samples = 0, no_switches = 0;
  bool lacks_kernel = false;
  if (try_out(plan.options, lacks_kernel) != 0) {
    no_samples = plan.options.period_ns != 0 ? try_out({plan.options.period_ns, false, {}}, lacks_kernel) : 0;
    no_switches = plan.options.switches ? try_out({0, true, {}}, lacks_kernel) : 0;
    if (no_samples == 0 && no_switches == 0) no_switches = EINVAL;  // not both at once
  }
  if (no_samples != 0) plan.options.period_ns = 0;
  if (no_switches != 0) plan.options.switches = false;
  if (lacks_kernel && plan.options.period_ns != 0)
    plan.lacks = "the kernel's time (" + paranoid() + "; where it is 1 or less, samples have it)";
  const bool by_signal = config.sample_source == SampleSource::signal;
  const int denied = no_samples != 0 ? no_samples : no_switches;
  std::string what;  // is missing
  if (no_samples != 0) what = "no samples are taken";
  if (no_switches != 0) what += (what.empty() ? "" : " and ") + std::string{"no scheduling is recorded"};
  if (!what.empty()) plan.denied = what + ": " + reason_of(denied);
  if (no_samples != 0 && config.sample_source == SampleSource::automatic)
    plan.denied += "; TRACER_SAMPLE_SOURCE=signal takes samples by signals, which interrupt the program";
  if (by_signal && period != 0) {
    if (const int error = try_signal(period))
      plan.denied += (plan.denied.empty() ? "" : "; ") +
                     std::string{"no samples are taken: no signal is free, or no timer ("} + std::strerror(error) + ")";
    else
      plan.signal_period_ns = period;
  }
  if (config.counters.empty()) return plan;
  const std::string not_counted = plan.options.period_ns != 0 ? choose_counters(plan.options, config.counters)
                                  : by_signal ? "no counters are read: signals do not, TRACER_SAMPLE_SOURCE=perf does"
                                              : "no counters are read";
  if (!not_counted.empty()) plan.denied += (plan.denied.empty() ? "" : "; ") + not_counted;
  return plan;
}

}  // namespace tracer::sample
