// SPDX-License-Identifier: BSD-3-Clause
// The wall between the OpenMP runtime and the tool: C functions through which no exception passes.
// Beside ompt_start_tool and InitializeInjection libtracer.so exports tracer_connect (front_end.cpp).
#include <exception>

#include "omp-tools.h"
#include "tracer/base/files/file.hpp"
#include "tracer/base/memory_checks.hpp"
#include "tracer/ompt/multiplex/companions.hpp"
#include "tracer/tool.hpp"

namespace {

namespace several = tracer::ompt::several;

/// Runs `work`; what it throws becomes one line for the user, and `otherwise` the result.
template <class Work, class Result>
Result without_exceptions(const char* where, Result otherwise, Work work) noexcept try {
  return work();
} catch (const std::exception& exception) {
  tracer::tool::report_failure(where, exception.what());
  return otherwise;
} catch (...) {
  tracer::tool::report_failure(where, "unknown exception");
  return otherwise;
}

/// As without_exceptions(), for what this tool does: with memory checks off.
template <class Work, class Result>
Result guarded(const char* where, Result otherwise, Work work) noexcept {
  return without_exceptions(where, otherwise, [&work] {
    const tracer::WithoutMemoryChecks unchecked;
    return work();
  });
}

/// As without_exceptions(), for what other tools do.
template <class Work>
bool guarded_others(Work work) noexcept {
  return without_exceptions("start of another tool", false, work);
}

int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t*) noexcept {
  guarded("start", 0, [lookup] { return several::prepare_companions(lookup), 0; });
  const int started = guarded("start", 0, [lookup] { return tracer::tool::start(lookup) ? 1 : 0; });
  if (!several::has_companions()) return started;
  const bool is_any = guarded_others(
      [initial_device] { return several::start_companions(initial_device, &tracer::tool::record_companion); });
  return is_any ? 1 : started;
}

void finalize(ompt_data_t*) noexcept {
  guarded("end", 0, [] { return tracer::tool::finalize(), 0; });
  guarded_others([] { return several::end_companions(), true; });
}

// exit() inside a parallel region or a task: the runtime does not finalise the tool, and this is
// the only hook. With LD_PRELOAD and linked in it runs before the runtime's finalize.
[[gnu::destructor]] void at_exit() noexcept {
  guarded("end", 0, [] { return tracer::tool::at_exit(), 0; });
}

constinit ompt_start_tool_result_t start_tool_result{&initialize, &finalize, {0}};

}  // namespace

// Called by CUDA's driver from cuInit: `tracer run` names this library in CUDA_INJECTION64_PATH. The answer is always
// that all is well: the program is to have its driver.
extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  const tracer::KeepErrno keep;
  guarded("start", 0, [] { return tracer::tool::cuda_starts(), 0; });
  return 1;
}

extern "C" [[gnu::visibility("default")]] ompt_start_tool_result_t* ompt_start_tool(unsigned int omp_version,
                                                                                    const char* runtime_version) {
  const bool accepted = guarded("start", false, [=] { return tracer::tool::accept(omp_version, runtime_version); });
  ompt_start_tool_result_t* answer = accepted ? &start_tool_result : nullptr;
  guarded_others([&] {
    if (!tracer::tool::starts_others()) return true;
    if (accepted)
      several::load_companions(omp_version, runtime_version, &tracer::tool::record_companion);
    else
      answer = several::next_tool(omp_version, runtime_version);
    return true;
  });
  return answer;
}
