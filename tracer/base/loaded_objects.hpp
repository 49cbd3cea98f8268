// SPDX-License-Identifier: BSD-3-Clause
// The objects that the loader has mapped, as they lie in memory. Of use before main(): needs the C library only.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

#include "tracer/base/loader_gate.hpp"

namespace tracer {

/// An object of the process, for the time of a call.
struct LoadedObject {
  std::uintptr_t base = 0;
  std::uintptr_t begin = 0, end = 0;
  const char* name = "";
  const ElfW(Phdr) * segments = nullptr;
  unsigned count = 0;
  const ElfW(Dyn) * dynamic = nullptr;

  explicit LoadedObject(const dl_phdr_info& info) noexcept
      : base(info.dlpi_addr),
        name(info.dlpi_name != nullptr ? info.dlpi_name : ""),
        segments(info.dlpi_phdr),
        count(info.dlpi_phnum) {
    begin = ~std::uintptr_t{0};
    for (unsigned i = 0; i < count; ++i) {
      const auto& segment = segments[i];
      if (segment.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(base + segment.p_vaddr);
      if (segment.p_type != PT_LOAD) continue;
      if (base + segment.p_vaddr < begin) begin = base + segment.p_vaddr;
      if (base + segment.p_vaddr + segment.p_memsz > end) end = base + segment.p_vaddr + segment.p_memsz;
    }
  }
  bool contains(std::uintptr_t address) const noexcept { return address - begin < end - begin; }

  std::uintptr_t entry(ElfW(Sxword) tag) const noexcept {
    for (const auto* d = dynamic; d != nullptr && d->d_tag != DT_NULL; ++d)
      if (d->d_tag == tag) return d->d_un.d_ptr;
    return 0;
  }
  /// Where a table is in memory; nullptr where there is none. glibc has relocated these, but for the vdso's.
  template <class Entry>
  const Entry* table(ElfW(Sxword) tag) const noexcept {
    const std::uintptr_t at = entry(tag);
    return reinterpret_cast<const Entry*>(at != 0 && at < base ? base + at : at);
  }
  const char* strings() const noexcept { return table<char>(DT_STRTAB); }
  const char* soname() const noexcept {
    const std::uintptr_t at = entry(DT_SONAME);
    return at != 0 && strings() != nullptr ? strings() + at : "";
  }
  /// Whether `is_it(name)` of one of the libraries that it needs.
  template <class Is>
  bool needs(Is is_it) const noexcept {
    const char* const names = strings();
    for (const auto* d = dynamic; names != nullptr && d != nullptr && d->d_tag != DT_NULL; ++d)
      if (d->d_tag == DT_NEEDED && is_it(names + d->d_un.d_val)) return true;
    return false;
  }
};

/// Calls visit(LoadedObject) until it returns true.
template <class Visit>
void for_each_object(Visit visit) noexcept {
  LoaderGate::iterate(
      [](dl_phdr_info* info, std::size_t, void* data) noexcept {
        const LoadedObject object(*info);
        return (*static_cast<Visit*>(data))(object) ? 1 : 0;
      },
      &visit);
}

/// Of the code or data at the address; without segments and tables where no object has it.
inline LoadedObject object_with(const void* address) noexcept {
  LoadedObject found{dl_phdr_info{}};
  for_each_object([&](const LoadedObject& object) {
    const bool is_it = object.contains(reinterpret_cast<std::uintptr_t>(address));
    if (is_it) found = object;
    return is_it;
  });
  return found;
}

}  // namespace tracer
