// SPDX-License-Identifier: BSD-3-Clause
// The places of a loaded object that have addresses of other objects' symbols. Of use before main(): needs the C
// library only.
#pragma once

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracer/base/loaded_objects.hpp"

namespace tracer {

/// A place, called slot, that the loader fills with the address of a symbol, or of where the symbol is bound at its
/// first call.
struct Slot {
  std::uintptr_t at, addend;
  const ElfW(Sym) * symbol;
  const char* name;

  std::uintptr_t value() const noexcept {
    std::uintptr_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof value);
    return value;
  }
};

/// Calls visit(Slot) for each of a relocation table: `table` and `bytes` are the tags of its address and its size,
/// `without_symbol` the number of its first entries that have none.
template <class Visit>
void for_each_slot(const LoadedObject& object, ElfW(Sxword) table, ElfW(Sxword) bytes, std::size_t without_symbol,
                   Visit visit) noexcept {
  const auto* const symbols = object.table<ElfW(Sym)>(DT_SYMTAB);
  const char* const strings = object.strings();
  const auto* relocation = object.table<ElfW(Rela)>(table);
  const std::size_t count = object.entry(bytes) / sizeof *relocation;
  if (symbols == nullptr || strings == nullptr || relocation == nullptr || count < without_symbol) return;
  relocation += without_symbol;
  for (std::size_t left = count - without_symbol; left > 0; --left, ++relocation) {
    const auto index = ELF64_R_SYM(relocation->r_info);
    if (index == 0) continue;
    visit(Slot{object.base + relocation->r_offset, static_cast<std::uintptr_t>(relocation->r_addend), symbols + index,
               strings + symbols[index].st_name});
  }
}

/// Of calls, by the table that is bound at first calls.
template <class Visit>
void for_each_call_slot(const LoadedObject& object, Visit visit) noexcept {
  for_each_slot(object, DT_JMPREL, DT_PLTRELSZ, 0, visit);
}

template <class Visit>
void for_each_slot(const LoadedObject& object, Visit visit) noexcept {
  for_each_call_slot(object, visit);
  for_each_slot(object, DT_RELA, DT_RELASZ, object.entry(DT_RELACOUNT),
                visit);  // maybe a million have none, and come first
}

/// Whether the loader has made the address read-only, after it relocated the object.
inline bool is_relocated_for_good(const LoadedObject& object, std::uintptr_t at) noexcept {
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  for (unsigned i = 0; i < object.count; ++i) {
    const auto& segment = object.segments[i];
    if (segment.p_type != PT_GNU_RELRO) continue;
    const std::uintptr_t begin = (object.base + segment.p_vaddr) & ~(page - 1);
    const std::uintptr_t end = (object.base + segment.p_vaddr + segment.p_memsz) & ~(page - 1);
    if (at >= begin && at < end) return true;
  }
  return false;
}

/// Also where it is read-only, as it is again then. False: the system does not allow it.
inline bool write_slot(std::uintptr_t at, std::uintptr_t value, bool is_read_only) noexcept {
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  auto* const begin = reinterpret_cast<void*>(at & ~(page - 1));
  if (is_read_only && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
  std::memcpy(reinterpret_cast<void*>(at), &value, sizeof value);
  if (is_read_only) mprotect(begin, page, PROT_READ);
  return true;
}

}  // namespace tracer
