// SPDX-License-Identifier: BSD-3-Clause
// See monitoring.hpp. The callbacks are functions in C; the interpreter has one table of them for all threads.
#include "tracer/python/monitoring.hpp"

#include <cstddef>
#include <initializer_list>

#include "tracer/python/calls.hpp"
#include "tracer/python/functions.hpp"

namespace tracer::python {
namespace {

Object* disable = nullptr;  ///< the result for places whose events are disabled from then on

Object* answer(Object* object) noexcept {
  python->hold(object);
  return object;
}

/// Of the code object that each of these events has first; 0: not recorded.
std::uint32_t name_in(Object* const* arguments, std::ptrdiff_t count) noexcept {
  return count > 0 ? name_of(*python, *tracer, arguments[0]) : 0;
}

Object* on_enter(Object*, Object* const* arguments, std::ptrdiff_t count) noexcept {
  const std::uint32_t name = name_in(arguments, count);
  if (name == 0) return answer(disable);
  enter(name);
  return answer(python->none);
}

Object* on_leave(Object*, Object* const* arguments, std::ptrdiff_t count) noexcept {
  const std::uint32_t name = name_in(arguments, count);
  if (name == 0) return answer(disable);
  leave(name);
  return answer(python->none);
}

// Of exceptions no place can be left out.
Object* on_throw(Object*, Object* const* arguments, std::ptrdiff_t count) noexcept {
  if (const std::uint32_t name = name_in(arguments, count)) enter(name);
  return answer(python->none);
}

Object* on_unwind(Object*, Object* const* arguments, std::ptrdiff_t count) noexcept {
  if (const std::uint32_t name = name_in(arguments, count)) leave(name);
  return answer(python->none);
}

Method methods[] = {{"tracer_enter", on_enter, fast_call, nullptr},
                    {"tracer_leave", on_leave, fast_call, nullptr},
                    {"tracer_throw", on_throw, fast_call, nullptr},
                    {"tracer_unwind", on_unwind, fast_call, nullptr}};

struct Event {
  const char* name;
  std::size_t method;
};
constexpr Event events[] = {{"PY_START", 0}, {"PY_RESUME", 0}, {"PY_RETURN", 1},
                            {"PY_YIELD", 1}, {"PY_THROW", 2},  {"PY_UNWIND", 3}};

/// Calls a function of the module; takes `arguments`. False where it raises.
bool call_of(Object* module, const char* function, Object* arguments) noexcept {
  Object* const callable = python->attribute(module, function);
  Object* const result = callable != nullptr && arguments != nullptr ? python->call(callable, arguments) : nullptr;
  for (Object* object : {callable, arguments, result})
    if (object != nullptr) python->release(object);
  if (result == nullptr) python->clear_error();
  return result != nullptr;
}

/// Our tool id in the interpreter: those below are of debuggers, coverage and profilers. 0: none is free.
int take_number(Object* module) noexcept {
  for (const int number : {4, 3})
    if (call_of(module, "use_tool_id", python->build("(is)", number, "tracer"))) return number;
  return 0;
}

/// False: the interpreter does not have the event.
bool listen(Object* module, Object* names, int tool, const Event& event, long& bits) noexcept {
  Object* const number = python->attribute(names, event.name);
  Object* const function = python->new_function(&methods[event.method], nullptr, nullptr);
  bool done = false;
  if (number != nullptr && function != nullptr) {
    bits |= python->number(number);
    done = call_of(module, "register_callback", python->build("(iOO)", tool, number, function));
  }
  for (Object* object : {number, function})
    if (object != nullptr) python->release(object);
  return done;
}

}  // namespace

bool begin_monitoring() noexcept {
  Object* const module = python->system_object != nullptr ? python->system_object("monitoring") : nullptr;
  Object* const names = module != nullptr ? python->attribute(module, "events") : nullptr;
  disable = names != nullptr ? python->attribute(module, "DISABLE") : nullptr;
  bool is_ready = disable != nullptr;
  const int tool = is_ready ? take_number(module) : 0;
  long bits = 0;
  for (const Event& event : events) is_ready = is_ready && tool != 0 && listen(module, names, tool, event, bits);
  is_ready = is_ready && call_of(module, "set_events", python->build("(il)", tool, bits));
  if (names != nullptr) python->release(names);
  python->clear_error();
  return is_ready;
}

}  // namespace tracer::python
