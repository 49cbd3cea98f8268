// SPDX-License-Identifier: BSD-3-Clause
// Weak references to what a preloaded library stands before. By such a reference a program asks whether the library
// behind it is there, OpenMP's or MPI's, and goes another way where it is not. The preloaded library must not be the
// answer. Of use before main(): needs the C library only.
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cerrno>
#include <cstdint>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/relocations.hpp"

namespace tracer {

/// Where an object has the address of a function that it refers to weakly.
struct WeakReference {
  std::uintptr_t at, alone;  ///< `alone`: what is there if the function is nowhere
  const char* name;
  bool is_read_only;  ///< since it was relocated
};

inline bool is_weak_reference(const ElfW(Sym) & symbol) noexcept {
  return symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
}

inline bool is_in_data(const LoadedObject& object, std::uintptr_t at) noexcept {
  for (unsigned i = 0; i < object.count; ++i) {
    const auto& segment = object.segments[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0 &&
        at - (object.base + segment.p_vaddr) < segment.p_memsz)
      return true;
  }
  return false;
}

/// Calls visit(WeakReference) for those of the object to names for which `is_ours` is true and that `own` answers.
template <class IsOurs, class Visit>
void for_each_weak_reference(const LoadedObject& object, const LoadedObject& own, IsOurs is_ours,
                             Visit visit) noexcept {
  for_each_slot(object, [&](const Slot& slot) {
    if (is_weak_reference(*slot.symbol) && is_ours(slot.name) && is_in_data(object, slot.at) &&
        own.contains(slot.value()))
      visit(WeakReference{slot.at, slot.addend, slot.name, is_relocated_for_good(object, slot.at)});
  });
}

/// For a constructor of the library that has `own_address`: the weak references of what is loaded are as without it.
/// `is_ours(name)`: whether the library may define it.
template <class IsOurs>
void give_back_weak_references(const void* own_address, IsOurs is_ours) noexcept {
  constexpr unsigned most = 256;
  WeakReference found[most];
  unsigned count = 0;
  const int kept_errno = errno;
  const LoadedObject own = object_with(own_address);
  for_each_object([&](const LoadedObject& object) {
    if (object.base != own.base)
      for_each_weak_reference(object, own, is_ours, [&](const WeakReference& reference) {
        if (count < most) found[count++] = reference;
      });
    return count == most;
  });
  for (unsigned i = 0; i < count; ++i)
    if (dlsym(RTLD_NEXT, found[i].name) == nullptr) write_slot(found[i].at, found[i].alone, found[i].is_read_only);
  dlerror();  // that it is nowhere is no error of the program's
  errno = kept_errno;
}

}  // namespace tracer
