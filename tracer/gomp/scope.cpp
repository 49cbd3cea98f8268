// SPDX-License-Identifier: BSD-3-Clause
// See scope.hpp.
#include "tracer/gomp/scope.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/relocations.hpp"
#include "tracer/gomp/runtime.hpp"

namespace tracer::gomp {
namespace {

/// LLVM's and Intel's: their locks have the names of libgomp's, and other sizes.
bool is_other_runtime(const char* path) noexcept {
  return std::strncmp(file_of(path), "libomp.", 7) == 0 || std::strncmp(file_of(path), "libomp5.", 8) == 0 ||
         std::strncmp(file_of(path), "libomp-", 7) == 0 || std::strncmp(file_of(path), "libiomp5", 8) == 0;
}

bool is_name_of_openmp(const char* name) noexcept {
  return std::strncmp(name, "omp_", 4) == 0 || std::strncmp(name, "GOMP_", 5) == 0;
}

const char* runtime_needed_by(const LoadedObject& object) noexcept {
  const char* needed = "";
  for (const auto* d = object.dynamic; d != nullptr && d->d_tag != DT_NULL; ++d) {
    if (d->d_tag != DT_NEEDED) continue;
    const char* const name = object.strings() + d->d_un.d_val;
    if (is_libgomp(name)) return name;
    if (*needed == '\0' && is_other_runtime(name)) needed = name;
  }
  return needed;
}

/// Of the versions of libgomp's names.
bool needs_first_version_only(const LoadedObject& object) noexcept {
  const std::uintptr_t needs = object.entry(DT_VERNEED);
  if (needs == 0 || object.entry(DT_STRTAB) == 0) return false;
  const char* const strings = object.strings();
  bool is_old = false, is_new = false;
  const auto* need = reinterpret_cast<const ElfW(Verneed)*>(needs < object.base ? object.base + needs : needs);
  for (;;) {
    if (is_libgomp(strings + need->vn_file)) {
      const auto* version = reinterpret_cast<const ElfW(Vernaux)*>(reinterpret_cast<const char*>(need) + need->vn_aux);
      for (unsigned i = 0; i < need->vn_cnt; ++i) {
        is_old |= std::strcmp(strings + version->vna_name, "OMP_1.0") == 0;
        is_new |= std::strcmp(strings + version->vna_name, "OMP_3.0") == 0 ||
                  std::strncmp(strings + version->vna_name, "GOMP_4", 6) == 0;
        version = reinterpret_cast<const ElfW(Vernaux)*>(reinterpret_cast<const char*>(version) + version->vna_next);
      }
    }
    if (need->vn_next == 0) break;
    need = reinterpret_cast<const ElfW(Verneed)*>(reinterpret_cast<const char*>(need) + need->vn_next);
  }
  return is_old && !is_new;
}

bool refers_to_locks(const LoadedObject& object) noexcept {
  bool refers = false;
  for_each_slot(object, [&](const Slot& slot) { refers |= is_name_of_lock(slot.name); });
  return refers;
}

/// GCC before 4.4 wrote smaller locks, which libgomp distinguishes by the version of the name. Other names that an
/// object needs may be of that version, too.
bool has_old_locks(const LoadedObject& object) noexcept {
  return needs_first_version_only(object) && refers_to_locks(object);
}

/// Where it has an address of its own code instead, the loader has not looked for the name yet.
bool binds_later(const LoadedObject& object) noexcept {
  bool is_later = false;
  for_each_call_slot(object, [&](const Slot& slot) {
    is_later |= is_name_of_openmp(slot.name) && slot.symbol->st_shndx == SHN_UNDEF && object.contains(slot.value());
  });
  return is_later;
}

void take_bound(Calls& calls, const LoadedObject& object) noexcept {
  for_each_slot(object, [&](const Slot& slot) {
    if (!is_name_of_openmp(slot.name) || is_listened_to(slot.name)) return;
    const std::uintptr_t function = slot.value();
    if (function != 0 && !object.contains(function) && calls.bound < Calls::most)
      calls.functions[calls.bound++] = function;
  });
}

bool is_bound_to(const Calls& calls, const LoadedObject& object) noexcept {
  for (unsigned i = 0; i < calls.bound; ++i)
    if (object.contains(calls.functions[i])) return true;
  return false;
}

/// The first that `is_it`.
template <class Is>
Library loaded(Is is_it) noexcept {
  Library library;
  for_each_object([&](const LoadedObject& object) {
    if (!is_it(object)) return false;
    library.base = object.base;
    std::snprintf(library.path, sizeof library.path, "%s", object.name);
    return true;
  });
  return library;
}

/// The loader keeps the names by which a file was wanted: a libgomp.so.1 that is a link to libomp.so, loaded as that.
Library find_alias(const char* needed) noexcept {
  void* const handle = dlopen(needed, RTLD_NOLOAD | RTLD_LAZY);  // kept: it stays as long as the process
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return {};
  return loaded([&](const LoadedObject& object) { return object.base == map->l_addr; });
}

/// `first` is a function of the library whose names come first in the program's scope. Some names of a later version
/// may be bound to another.
Library library_bound(const Calls& calls, std::uintptr_t first) noexcept {
  const Library library =
      loaded([&](const LoadedObject& object) { return object.contains(first) && is_bound_to(calls, object); });
  if (library.base != 0) return library;
  return loaded([&](const LoadedObject& object) {
    return (is_libgomp(object.name) || is_other_runtime(object.name)) && is_bound_to(calls, object);
  });
}

/// Objects stand in the order in which they were loaded: whether that with the address was there before that which
/// begins at `begin` was bound.
bool stands_before(std::uintptr_t address, std::uintptr_t begin) noexcept {
  bool is_before = false;
  for_each_object([&](const LoadedObject& object) {
    is_before = object.contains(address);
    return is_before || object.begin == begin;
  });
  return is_before;
}

}  // namespace

bool is_name_of_lock(const char* name) noexcept {
  return std::strncmp(name, "omp_", 4) == 0 && std::strstr(name, "lock") != nullptr;
}

Calls calls_of(std::uintptr_t address) noexcept {
  Calls calls;
  for_each_object([&](const LoadedObject& object) {
    if (!object.contains(address)) return false;
    calls.begin = object.begin;
    calls.needed = runtime_needed_by(object);
    calls.has_old_locks = has_old_locks(object);
    calls.is_bound_later = binds_later(object);
    take_bound(calls, object);
    return true;
  });
  return calls;
}

Library library_needed(const Calls& calls) noexcept {
  const char* const needed = calls.needed;
  if (*needed != '\0') {
    const Library named = loaded([&](const LoadedObject& object) {
      return std::strcmp(file_of(object.name), needed) == 0 || std::strcmp(object.soname(), needed) == 0;
    });
    if (named.base != 0) return named;
    if (const Library alias = find_alias(needed); alias.base != 0) return alias;
  }
  return loaded([](const LoadedObject& object) { return is_libgomp(object.name); });
}

Library library_of(const Calls& calls) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(function_in_scope());
  const auto of_scope = [first] {
    return loaded([first](const LoadedObject& object) { return object.contains(first); });
  };
  if (first != 0 && calls.is_bound_later) return of_scope();
  if (const Library library = library_bound(calls, first); library.base != 0) return library;
  if (first != 0 && (*calls.needed == '\0' || stands_before(first, calls.begin))) return of_scope();
  return library_needed(calls);
}

void* function_in_scope() noexcept {
  // A compiler's OpenMP always needs one of these.
  void* const function = dlsym(RTLD_NEXT, "GOMP_parallel");
  return function != nullptr ? function : dlsym(RTLD_NEXT, "GOMP_parallel_start");
}

}  // namespace tracer::gomp
