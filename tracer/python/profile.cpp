// SPDX-License-Identifier: BSD-3-Clause
// See profile.hpp. The function has no Python object: sys.getprofile() does not find it.
#include "tracer/python/profile.hpp"

#include "tracer/python/calls.hpp"
#include "tracer/python/functions.hpp"

namespace tracer::python {
namespace {

/// Functions of the module _thread: no audit event reports their calls.
Object* thread_starters[2] = {};

struct Thread {
  bool is_ours = false;      ///< our profile function is set
  bool is_setting = false;   ///< we set one just now
  bool is_starting = false;  ///< it starts a thread
};
thread_local Thread self;

int profile(Object*, Frame* frame, int what, Object* argument) noexcept;

// Under the interpreter's lock since the thread was made: it has not run yet. It is the first of the list.
void watch_new_thread() noexcept {
  self.is_starting = false;
  if (python->set_profile_of == nullptr) return;
  self.is_setting = true;
  ThreadState* const mine = python->this_thread();
  ThreadState* const newest = python->first_thread(python->interpreter_of(mine));
  if (newest != nullptr && newest != mine) python->set_profile_of(newest, profile, nullptr);
  self.is_setting = false;
}

std::uint32_t name_in(Frame* frame) noexcept {
  Object* const code = python->code_of(frame);
  const std::uint32_t name = name_of(*python, *tracer, code);
  python->release(code);
  return name;
}

int profile(Object*, Frame* frame, int what, Object* argument) noexcept {
  self.is_ours = true;
  if (what == call) {
    if (const std::uint32_t name = name_in(frame)) enter(name);
  } else if (what == returned) {
    if (has_open_calls())
      if (const std::uint32_t name = name_in(frame)) leave(name);
  } else if (what == c_call) {
    if (argument != nullptr && (argument == thread_starters[0] || argument == thread_starters[1])) [[unlikely]]
      self.is_starting = true;
  } else if (self.is_starting && (what == c_returned || what == c_exception)) [[unlikely]] {
    watch_new_thread();
  }
  return 0;
}

}  // namespace

void begin_profile() noexcept {
  Object* const module = python->import("_thread");
  if (module != nullptr) {
    thread_starters[0] = python->attribute(module, "start_new_thread");
    thread_starters[1] = python->attribute(module, "start_new");
  }
  python->clear_error();
  self.is_setting = self.is_ours = true;
  python->set_profile(profile, nullptr);
  self.is_setting = false;
}

bool end_profile() noexcept {
  if (self.is_setting || !self.is_ours) return false;
  self.is_ours = false;
  return true;
}

}  // namespace tracer::python
