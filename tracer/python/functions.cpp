// SPDX-License-Identifier: BSD-3-Clause
// See functions.hpp.
#include "tracer/python/functions.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tracer/program_names.hpp"

namespace tracer::python {
namespace {

const char* modules = "";  ///< with commas between them; "": all but the standard library
bool has_standard_library = false;
std::ptrdiff_t extra = -1;
constinit ProgramNames names;  ///< a program may generate code as long as it runs

/// In the code object: never 0, which is "not looked up yet".
void* stored(std::uint32_t name) noexcept {
  return reinterpret_cast<void*>(std::uintptr_t{name} << 1 | 1);
}

/// A reference that ends with the block. What fails is no object, and no error.
class Held {
 public:
  Held(const Interpreter& interpreter, Object* object) noexcept : interpreter_(interpreter), object_(object) {
    if (object == nullptr) interpreter.clear_error();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (object_ != nullptr) interpreter_.release(object_);
  }
  Object* get() const noexcept { return object_; }
  /// "" where it is no text.
  const char* text() const noexcept {
    const char* text = object_ != nullptr ? interpreter_.text(object_) : nullptr;
    if (text == nullptr) interpreter_.clear_error();
    return text != nullptr ? text : "";
  }

 private:
  const Interpreter& interpreter_;
  Object* object_;
};

/// .../lib/python3.11/json/decoder.py, but not what is installed below it.
bool is_of_standard_library(const char* file) noexcept {
  if (std::strncmp(file, "<frozen ", 8) == 0) return true;
  if (std::strstr(file, "/site-packages/") != nullptr || std::strstr(file, "/dist-packages/") != nullptr) return false;
  for (const char* at = file; (at = std::strstr(at, "/python3")) != nullptr; ++at) {
    const char* end = at + 8;
    while ((*end >= '0' && *end <= '9') || *end == '.' || *end == 't') ++end;
    if (*end == '/' && at - file >= 4 && (std::strncmp(at - 4, "/lib", 4) == 0 || std::strncmp(at - 4, "ib64", 4) == 0))
      return true;
  }
  return false;
}

/// `module` itself, or one below a module that was named.
bool is_named(const char* module) noexcept {
  for (const char* at = modules; *at != '\0';) {
    const std::size_t length = std::strcspn(at, ",");
    if (length != 0 && std::strncmp(module, at, length) == 0 && (module[length] == '\0' || module[length] == '.'))
      return true;
    at += length;
    if (*at == ',') ++at;
  }
  return false;
}

/// Parts of the function around them, entered once for each element: <genexpr>, <listcomp>, <lambda>.
bool is_part_of_function(const char* name) noexcept {
  const char* const dot = std::strrchr(name, '.');
  const char* const own = dot != nullptr ? dot + 1 : name;  // below "outer.<locals>"
  return *own == '<' && std::strcmp(own, "<module>") != 0;
}

/// __name__ of the module whose function runs; "" where it has none. A worker that multiprocessing spawns runs the
/// program's first module as __mp_main__: it has the functions that its parent has as __main__.
class ModuleName {
 public:
  explicit ModuleName(const Interpreter& interpreter) noexcept
      : globals_(interpreter, globals_of(interpreter, reinterpret_cast<Object*>(interpreter.current_frame()))) {
    Object* const name = globals_.get() != nullptr ? interpreter.item(globals_.get(), "__name__") : nullptr;
    const char* const text = name != nullptr ? interpreter.text(name) : nullptr;
    if (text != nullptr)
      text_ = std::strcmp(text, "__mp_main__") == 0 ? "__main__" : text;
    else
      interpreter.clear_error();
  }
  const char* text() const noexcept { return text_; }

 private:
  static Object* globals_of(const Interpreter& interpreter, Object* frame) noexcept {
    return frame != nullptr ? interpreter.attribute(frame, "f_globals") : nullptr;
  }

  Held globals_;
  const char* text_ = "";
};

/// "name\nfile\nline", which the translator takes apart (tracer/translate/regions).
std::uint32_t make_name(const Interpreter& interpreter, const tracer_front_end& tracer, Object* code) noexcept {
  const Held file_object(interpreter, interpreter.attribute(code, "co_filename"));
  const char* file = file_object.text();
  const ModuleName module(interpreter);
  const bool is_chosen =
      *modules != '\0' ? is_named(module.text()) : has_standard_library || !is_of_standard_library(file);
  if (!is_chosen) return 0;
  const Held qualified(interpreter, interpreter.attribute(code, "co_qualname"));  // since 3.11
  const Held plain(interpreter, interpreter.attribute(code, "co_name"));
  const char* name = *qualified.text() != '\0' ? qualified.text() : plain.text();
  if (is_part_of_function(name)) return 0;
  const Held first_line(interpreter, interpreter.attribute(code, "co_firstlineno"));
  const long line = first_line.get() != nullptr ? interpreter.number(first_line.get()) : 0;
  char text[2560];
  const bool is_module = std::strcmp(name, "<module>") == 0;
  const int length = is_module
                         ? std::snprintf(text, sizeof text, "<module %.900s>\n%.1500s\n%ld", module.text(), file, line)
                         : std::snprintf(text, sizeof text, "%.900s\n%.1500s\n%ld", name, file, line);
  return length > 0 ? names.id_of(tracer, text, static_cast<std::size_t>(length)) : 0;
}

}  // namespace

void choose_functions(const char* chosen) noexcept {
  has_standard_library = std::strcmp(chosen, "all") == 0;
  modules = has_standard_library || std::strcmp(chosen, "on") == 0 ? "" : chosen;
}

bool begin_functions(const Interpreter& interpreter) noexcept {
  extra = interpreter.request_extra(nullptr);
  return extra >= 0;
}

std::uint32_t name_of(const Interpreter& interpreter, const tracer_front_end& tracer, Object* code) noexcept {
  void* known = nullptr;
  std::uint32_t name = 0;
  if (interpreter.get_extra(code, extra, &known) != 0) {
    interpreter.clear_error();  // of another interpreter in this process: it has no such number
  } else if (known != nullptr) [[likely]] {
    name = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(known) >> 1);
  } else {
    name = make_name(interpreter, tracer, code);
    if (interpreter.set_extra(code, extra, stored(name)) != 0) {
      interpreter.clear_error();
      name = 0;
    }
  }
  return name;
}

}  // namespace tracer::python
