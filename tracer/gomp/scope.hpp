// SPDX-License-Identifier: BSD-3-Clause
// Which loaded library an object's calls of OpenMP would go to without this one.
//
// The loader looks for each name in the program's scope first: its own libraries, and what was opened with RTLD_GLOBAL
// since. Then in the libraries that the object came with. This library answers before all of them, so the names that it
// exports do not show where a call would go. The other names of OpenMP do: the loader has bound them.
#pragma once

#include <climits>
#include <cstdint>

namespace tracer::gomp {

/// Whether it is the name of a function of locks.
bool is_name_of_lock(const char* name) noexcept;

/// A loaded library, or none.
struct Library {
  std::uintptr_t base = 0;
  char path[PATH_MAX] = "";
};

/// What an object shows of the runtime that it calls.
struct Calls {
  static constexpr unsigned most = 64;
  std::uintptr_t begin = 0;     ///< of the object; 0: the code is no object's
  const char* needed = "";      ///< in the object: the runtime that it is linked with; "": none
  bool has_old_locks = false;   ///< those of GCC before 4.4
  bool is_bound_later = false;  ///< its first call of a name binds it, and it has not yet called all that it may call
  unsigned bound = 0;           ///< how many of the next there are
  std::uintptr_t functions[most]{};  ///< other libraries', that names are bound to which this library does not export
};
/// Of the object that the address is in.
Calls calls_of(std::uintptr_t address) noexcept;

/// Of a program that has no libgomp in its scope when it begins. None: there is no runtime.
Library library_of(const Calls& calls) noexcept;
/// The runtime that the object is linked with; where it is linked with none, a libgomp that is loaded.
Library library_needed(const Calls& calls) noexcept;

/// A function that the program's scope, as it is now, has of a libgomp; nullptr: it has none.
void* function_in_scope() noexcept;

}  // namespace tracer::gomp
