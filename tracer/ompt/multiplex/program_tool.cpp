// SPDX-License-Identifier: BSD-3-Clause
// See program_tool.hpp. Only where LD_PRELOAD names this library, and another tool would be tried before it: whoever
// preloads it wants its trace. The other tool is handed every callback (companions.hpp).
#include "tracer/ompt/multiplex/program_tool.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "omp-tools.h"
#include "tracer/base/loaded_objects.hpp"

/// Of libtracer.so; programs of tests that are linked with this have none.
extern "C" [[gnu::weak]] ompt_start_tool_result_t* ompt_start_tool(unsigned int, const char*);

namespace tracer::ompt::several {
namespace {

constexpr const char* entry = "ompt_start_tool";
constinit bool is_first = false;

void write_slot(std::uintptr_t at, std::uintptr_t value, bool is_read_only) noexcept {
  const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const page = reinterpret_cast<void*>(at / size * size);
  if (is_read_only && ::mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return;
  *reinterpret_cast<std::uintptr_t*>(at) = value;
  is_first = true;
  if (is_read_only) ::mprotect(page, size, PROT_READ);
}

bool is_read_only(const LoadedObject& object, std::uintptr_t address) noexcept {
  for (unsigned i = 0; i < object.count; ++i) {
    const auto& segment = object.segments[i];
    if (segment.p_type == PT_GNU_RELRO && address - (object.base + segment.p_vaddr) < segment.p_memsz) return true;
  }
  return false;
}

/// The places from which the object calls the tool's start, a runtime's one.
void lead_here(const LoadedObject& object, std::uintptr_t ours) noexcept {
  const std::uintptr_t symbols = object.entry(DT_SYMTAB), table = object.entry(DT_JMPREL);
  if (symbols < object.base || table < object.base || object.entry(DT_STRTAB) == 0) return;
  const auto* const symbol = reinterpret_cast<const ElfW(Sym)*>(symbols);
  const auto* relocation = reinterpret_cast<const ElfW(Rela)*>(table);
  for (std::size_t left = object.entry(DT_PLTRELSZ) / sizeof *relocation; left > 0; --left, ++relocation) {
    const auto index = ELF64_R_SYM(relocation->r_info);
    if (index == 0 || std::strcmp(object.strings() + symbol[index].st_name, entry) != 0) continue;
    const std::uintptr_t at = object.base + relocation->r_offset;
    write_slot(at, ours, is_read_only(object, at));
  }
}

[[gnu::constructor]] void become_first() noexcept {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  if (&ompt_start_tool == nullptr || preloaded == nullptr || std::strstr(preloaded, "libtracer.so") == nullptr) return;
  Dl_info ours{}, firsts{};
  const void* const first = found_by_everybody(entry);
  const auto own = reinterpret_cast<std::uintptr_t>(&ompt_start_tool);
  if (first == nullptr || ::dladdr(first, &firsts) == 0 || ::dladdr(reinterpret_cast<void*>(own), &ours) == 0 ||
      firsts.dli_fbase == ours.dli_fbase)
    return;
  for_each_object([own](const LoadedObject& object) {
    if (!object.contains(own)) lead_here(object, own);
    return false;
  });
}

}  // namespace

void* found_by_everybody(const char* name) noexcept {
  void* const program = ::dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
  if (program == nullptr) return nullptr;
  void* const found = ::dlsym(program, name);
  ::dlclose(program);
  return found;
}

bool has_been_put_first() noexcept {
  return is_first;
}

}  // namespace tracer::ompt::several
