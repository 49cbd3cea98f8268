// SPDX-License-Identifier: BSD-3-Clause
// See interpreter.hpp.
#include "tracer/python/interpreter.hpp"

#include <dlfcn.h>

#include <cstring>

namespace tracer::python {
namespace {

Interpreter interpreter{};

/// Under the first of its names that the process has; false: under none.
template <class Function>
bool find(Function& function, const char* name, const char* older = nullptr) noexcept {
  void* symbol = ::dlsym(RTLD_DEFAULT, name);
  if (symbol == nullptr && older != nullptr) symbol = ::dlsym(RTLD_DEFAULT, older);
  std::memcpy(&function, &symbol, sizeof symbol);
  return symbol != nullptr;
}

bool find_all() noexcept {
  Interpreter& it = interpreter;
  find(it.set_profile_of, "_PyEval_SetProfile");
  const bool may_monitor = find(it.system_object, "PySys_GetObject") && find(it.new_function, "PyCFunction_NewEx") &&
                           find(it.call, "PyObject_CallObject") && find(it.build, "Py_BuildValue") &&
                           find(it.hold, "Py_IncRef") && find(it.none, "_Py_NoneStruct");
  if (!may_monitor) it.system_object = nullptr;
  return find(it.current_frame, "PyEval_GetFrame") && find(it.add_audit_hook, "PySys_AddAuditHook") &&
         find(it.is_initialized, "Py_IsInitialized") && find(it.set_profile, "PyEval_SetProfile") &&
         find(it.code_of, "PyFrame_GetCode") && find(it.import, "PyImport_ImportModule") &&
         find(it.attribute, "PyObject_GetAttrString") && find(it.item, "PyDict_GetItemString") &&
         find(it.text, "PyUnicode_AsUTF8") && find(it.number, "PyLong_AsLong") && find(it.release, "Py_DecRef") &&
         find(it.clear_error, "PyErr_Clear") &&
         find(it.request_extra, "PyUnstable_Eval_RequestCodeExtraIndex", "_PyEval_RequestCodeExtraIndex") &&
         find(it.get_extra, "PyUnstable_Code_GetExtra", "_PyCode_GetExtra") &&
         find(it.set_extra, "PyUnstable_Code_SetExtra", "_PyCode_SetExtra") &&
         find(it.this_thread, "PyThreadState_Get") && find(it.interpreter_of, "PyThreadState_GetInterpreter") &&
         find(it.first_thread, "PyInterpreterState_ThreadHead") && find(it.version, "Py_GetVersion");
}

}  // namespace

const Interpreter* find_interpreter() noexcept {
  static const bool found = find_all();
  return found ? &interpreter : nullptr;
}

}  // namespace tracer::python
