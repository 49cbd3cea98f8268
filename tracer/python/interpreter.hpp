// SPDX-License-Identifier: BSD-3-Clause
// The interface to the Python interpreter in the process: functions of its C interface, found by name, so that one
// library serves every version from 3.9 on.
#pragma once

#include <cstddef>

namespace tracer::python {

/// As CPython has them; their insides are never looked at.
struct Object;
struct Frame;
struct ThreadState;
struct InterpreterState;

/// What C offers to Python: PyMethodDef, with METH_FASTCALL.
struct Method {
  const char* name;
  Object* (*function)(Object* self, Object* const* arguments, ptrdiff_t count);
  int flags;
  const char* description;
};
inline constexpr int fast_call = 0x80;

using ProfileFunction = int (*)(Object* object, Frame* frame, int what, Object* argument);
using AuditHook = int (*)(const char* event, Object* arguments, void* data);

/// `what` of a ProfileFunction (Include/cpython/pystate.h).
enum : int { call = 0, returned = 3, c_call = 4, c_exception = 5, c_returned = 6 };

struct Interpreter {
  int (*add_audit_hook)(AuditHook, void*);
  int (*is_initialized)();
  void (*set_profile)(ProfileFunction, Object*);
  int (*set_profile_of)(ThreadState*, ProfileFunction, Object*);  ///< nullptr where it is not exported
  Object* (*code_of)(Frame*);
  // For sys.monitoring, since 3.12; nullptr before it.
  Object* (*system_object)(const char* name);  ///< borrowed
  Object* (*new_function)(Method*, Object* self, Object* module);
  Object* (*call)(Object* function, Object* arguments);
  Object* (*build)(const char* form, ...);
  Frame* (*current_frame)();  ///< borrowed
  void (*hold)(Object*);
  Object* none;

  Object* (*import)(const char* module);
  Object* (*attribute)(Object*, const char*);
  Object* (*item)(Object* dictionary, const char*);  ///< borrowed
  const char* (*text)(Object*);
  long (*number)(Object*);
  void (*release)(Object*);
  void (*clear_error)();
  ptrdiff_t (*request_extra)(void (*free)(void*));
  int (*get_extra)(Object* code, ptrdiff_t index, void** extra);
  int (*set_extra)(Object* code, ptrdiff_t index, void* extra);
  ThreadState* (*this_thread)();
  InterpreterState* (*interpreter_of)(ThreadState*);
  ThreadState* (*first_thread)(InterpreterState*);
  const char* (*version)();
};

/// nullptr: this process has none, or one before 3.9. Found at the first call, which no other thread makes at once.
const Interpreter* find_interpreter() noexcept;

}  // namespace tracer::python
