// SPDX-License-Identifier: BSD-3-Clause
// A program may define functions with names that ISO C leaves to it and POSIX does not: access(), link(), poll(). The
// loader then binds the calls of every library to them. Those of this tool's libraries are to reach the C library. Of
// use before main(): needs the C library only.
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/relocations.hpp"

namespace tracer {

/// Functions that a library takes over for the whole process: memory that one allocates another frees, and a library
/// may keep account of threads.
inline bool is_taken_over_for_all(std::string_view name) noexcept {
  for (const std::string_view part : {"alloc", "memalign", "free", "pthread_", "thrd_"})
    if (name.find(part) != std::string_view::npos) return true;
  return false;
}

/// A preloaded library means its functions for the whole process; a program or a library of it means them for itself.
/// Before version 2.34 of the C library, functions of threads and files are in libpthread as well.
inline bool is_of_the_program(const char* file) noexcept {
  const char* const slash = std::strrchr(file, '/');
  const char* const name = slash != nullptr ? slash + 1 : file;
  const char* const preloaded = std::getenv("LD_PRELOAD");
  const bool is_library = std::strstr(name, ".so") != nullptr;
  return !is_library || (std::strncmp(name, "libpthread", 10) != 0 &&
                         (preloaded == nullptr || std::strstr(preloaded, name) == nullptr));
}

/// The function that a call by this slot reaches is the program's, and no other's weak definition: of a sanitizer.
inline bool calls_the_program(const Slot& slot) noexcept {
  Dl_info info{};
  void* extra = nullptr;
  if (dladdr1(reinterpret_cast<void*>(slot.value()), &info, &extra, RTLD_DL_SYMENT) == 0 || extra == nullptr)
    return false;
  const auto& definition = *static_cast<const ElfW(Sym)*>(extra);
  return ELF64_ST_TYPE(definition.st_info) == STT_FUNC && ELF64_ST_BIND(definition.st_info) == STB_GLOBAL &&
         info.dli_sname != nullptr && std::strcmp(info.dli_sname, slot.name) == 0 && is_of_the_program(info.dli_fname);
}

/// For a constructor of the library that has `own_address`: its calls of functions that the program and the C library,
/// opened as `library`, both define reach the C library.
inline void call_the_c_library(void* library, const void* own_address) noexcept {
  const int kept_errno = errno;
  const LoadedObject own = object_with(own_address);
  if (own.dynamic != nullptr)
    for_each_slot(own, [&](const Slot& slot) {
      if (slot.symbol->st_shndx != SHN_UNDEF || is_taken_over_for_all(slot.name) || !calls_the_program(slot)) return;
      if (void* const function = dlsym(library, slot.name))
        write_slot(slot.at, reinterpret_cast<std::uintptr_t>(function), is_relocated_for_good(own, slot.at));
    });
  dlerror();  // that it defines none of a name is no error of the program's
  errno = kept_errno;
}

}  // namespace tracer
