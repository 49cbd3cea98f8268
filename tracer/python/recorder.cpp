// SPDX-License-Identifier: BSD-3-Clause
// Records calls of Python functions as regions. An audit hook, installed before the interpreter starts, reports when
// the program begins, and when it sets a profile function of its own: that one replaces ours. The program does not see
// the hook.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tracer/connect.h"
#include "tracer/property_names.hpp"
#include "tracer/python/calls.hpp"
#include "tracer/python/functions.hpp"
#include "tracer/python/interpreter.hpp"
#include "tracer/python/monitoring.hpp"
#include "tracer/python/profile.hpp"
#include "tracer/python_choice.hpp"
#include "tracer/range_language.hpp"
#include "tracer/record.hpp"

namespace tracer::python {
namespace {

bool records_functions = false;  ///< else only the begin, so that samples begin with the program
bool is_embedded = false;        ///< the program is no `python`, whose start has an event of its own
bool has_begun = false;          ///< in a thread that runs Python: one at a time
bool has_profile = false;        ///< calls come by a profile function
bool is_new_child = false;       ///< forked, and may have no trace yet
void (*next_exit)(int) = nullptr;

/// With a name the trace begins, also that of a forked child, and with the trace the samples.
std::uint32_t begin_trace() noexcept {
  static constexpr char name[] = "Python begins";
  return tracer->intern(name, sizeof name - 1);
}

void mark_begin() noexcept {
  const std::uint32_t mark = begin_trace();
  tracer->emit(TRACER_WORD(RecordKind::range_mark, Endpoint::none, range_language::python), mark, 0, 0);
}

void begin() noexcept {
  if (has_begun) return;
  has_begun = true;
  tracer = tracer_find_and_connect(reinterpret_cast<const void*>(&find_interpreter));
  if (tracer == nullptr) return;
  tracer->fact(properties::fact(properties::python_version), python->version());
  if (!records_functions) return mark_begin();
  if (!begin_functions(*python) || begin_monitoring()) return;
  has_profile = true;
  begin_profile();
}

void step_back() noexcept {
  if (!has_profile || !end_profile()) return;
  leave_all();
  static std::atomic<bool> is_reported{false};
  if (!is_reported.exchange(true))
    tracer->message(
        "the program sets a profile function of its own: its Python functions are not recorded from there "
        "on, in the threads that have one");
}

void in_child() noexcept {
  forget_calls();
  is_new_child = tracer != nullptr;
}

/// At the first thing that the child does in Python. A few calls of functions that the parent has named make no session
/// (Forks), and a child may end by os._exit or a signal.
void begin_child() noexcept {
  is_new_child = false;
  if (!records_functions) return mark_begin();
  begin_trace();
}

bool starts_with(const char* text, const char* begin) noexcept {
  return std::strncmp(text, begin, std::strlen(begin)) == 0;
}

// Called for everything that CPython audits, on the thread that does it; errors are not ours to raise.
int audit(const char* event, Object*, void*) noexcept {
  if (has_begun) {
    // A child that only replaces itself is none of Python's.
    if (is_new_child && !starts_with(event, "os.exec")) [[unlikely]]
      begin_child();
    if (event[0] == 's' && std::strcmp(event, "sys.setprofile") == 0) step_back();
    return 0;
  }
  const bool runs = starts_with(event, "cpython.run_") || (is_embedded && std::strcmp(event, "exec") == 0);
  if (runs && python->is_initialized() != 0) begin();
  return 0;
}

[[gnu::constructor]] void prepare() noexcept {
  void* const next = ::dlsym(RTLD_NEXT, "_exit");
  std::memcpy(&next_exit, &next, sizeof next);
  const char* chosen = ::getauxval(AT_SECURE) == 0 ? std::getenv("TRACER_PYTHON") : nullptr;
  if (chosen == nullptr || !is_python_choice(chosen) || std::strcmp(chosen, "off") == 0) return;
  python = find_interpreter();
  if (python == nullptr) return;
  records_functions = std::strcmp(chosen, "start") != 0;
  is_embedded = !starts_with(program_invocation_short_name, "python");
  choose_functions(chosen);
  python->add_audit_hook(audit, nullptr);
  ::pthread_atfork(nullptr, nullptr, in_child);
}

}  // namespace
}  // namespace tracer::python

// Children of multiprocessing end by os._exit(). For who is killed nobody can do this.
extern "C" [[gnu::visibility("default")]] void _exit(int status) {
  const tracer_front_end* const known = tracer::python::tracer;
  if (known != nullptr && known->size > offsetof(tracer_front_end, save)) known->save();
  if (tracer::python::next_exit != nullptr) tracer::python::next_exit(status);
  for (;;) ::syscall(SYS_exit_group, status);
}
