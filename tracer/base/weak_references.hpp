// SPDX-License-Identifier: BSD-3-Clause
// Weak references to what a preloaded library stands before. By such a reference a program asks whether the library
// behind it is there, OpenMP's or MPI's, and goes another way where it is not. The preloaded library must not be the
// answer. Of use before main(): needs the C library only.
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracer/base/loaded_objects.hpp"

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

inline bool is_relocated_for_good(const LoadedObject& object, std::uintptr_t at, std::uintptr_t page) noexcept {
  for (unsigned i = 0; i < object.count; ++i) {
    const auto& segment = object.segments[i];
    if (segment.p_type != PT_GNU_RELRO) continue;
    const std::uintptr_t begin = (object.base + segment.p_vaddr) & ~(page - 1);
    const std::uintptr_t end = (object.base + segment.p_vaddr + segment.p_memsz) & ~(page - 1);
    if (at >= begin && at < end) return true;
  }
  return false;
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
  const auto* const symbols = object.table<ElfW(Sym)>(DT_SYMTAB);
  const char* const strings = object.strings();
  if (symbols == nullptr || strings == nullptr) return;
  const auto is_one = [&](const ElfW(Sym) & symbol) {
    return is_weak_reference(symbol) && is_ours(strings + symbol.st_name);
  };
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  const auto look = [&](ElfW(Sxword) table, ElfW(Sxword) bytes, std::size_t without_symbol) {
    const auto* relocation = object.table<ElfW(Rela)>(table);
    const std::size_t count = object.entry(bytes) / sizeof *relocation;
    if (relocation == nullptr || count < without_symbol) return;
    relocation += without_symbol;
    for (std::size_t left = count - without_symbol; left > 0; --left, ++relocation) {
      const auto index = ELF64_R_SYM(relocation->r_info);
      const std::uintptr_t at = object.base + relocation->r_offset;
      if (index == 0 || !is_one(symbols[index]) || !is_in_data(object, at)) continue;
      std::uintptr_t value = 0;
      std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof value);
      if (!own.contains(value)) continue;
      visit(WeakReference{at, static_cast<std::uintptr_t>(relocation->r_addend), strings + symbols[index].st_name,
                          is_relocated_for_good(object, at, page)});
    }
  };
  look(DT_JMPREL, DT_PLTRELSZ, 0);
  look(DT_RELA, DT_RELASZ, object.entry(DT_RELACOUNT));  // maybe a million have none, and come first
}

inline void set(const WeakReference& reference) noexcept {
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  auto* const begin = reinterpret_cast<void*>(reference.at & ~(page - 1));
  if (reference.is_read_only && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return;
  std::memcpy(reinterpret_cast<void*>(reference.at), &reference.alone, sizeof reference.alone);
  if (reference.is_read_only) mprotect(begin, page, PROT_READ);
}

/// For a constructor of the library that has `own_address`: the weak references of what is loaded are as without it.
/// `is_ours(name)`: whether the library may define it.
template <class IsOurs>
void give_back_weak_references(const void* own_address, IsOurs is_ours) noexcept {
  constexpr unsigned most = 256;
  WeakReference found[most];
  unsigned count = 0;
  const int kept_errno = errno;
  LoadedObject own{dl_phdr_info{}};
  for_each_object([&](const LoadedObject& object) {
    const bool is_own = object.contains(reinterpret_cast<std::uintptr_t>(own_address));
    if (is_own) own = object;
    return is_own;
  });
  for_each_object([&](const LoadedObject& object) {
    if (object.base != own.base)
      for_each_weak_reference(object, own, is_ours, [&](const WeakReference& reference) {
        if (count < most) found[count++] = reference;
      });
    return count == most;
  });
  for (unsigned i = 0; i < count; ++i)
    if (dlsym(RTLD_NEXT, found[i].name) == nullptr) set(found[i]);
  dlerror();  // that it is nowhere is no error of the program's
  errno = kept_errno;
}

}  // namespace tracer
