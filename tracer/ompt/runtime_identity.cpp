// SPDX-License-Identifier: BSD-3-Clause
// Finds the runtime's build string in its mapped image: no file is opened or read.
#include "tracer/ompt/runtime_identity.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tracer/base/loader_gate.hpp"

namespace tracer::ompt {
namespace {

constexpr std::string_view build_marker = "LLVM OMP build compiler: ";
constexpr std::size_t longest_build_string = 200;

struct Search {
  std::uintptr_t address;
  std::string build;
};

bool contains(const dl_phdr_info& object, std::uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& segment = object.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && address - (object.dlpi_addr + segment.p_vaddr) < segment.p_memsz) return true;
  }
  return false;
}

// A search of our own: in a program with AddressSanitizer memmem is the sanitizer's, which would take
// the red zones between an instrumented runtime's literals for an overflow and end the program.
[[gnu::no_sanitize("address")]] std::string find_build(std::string_view image) {
  const char* const begin = image.data();
  const char* const end = begin + image.size();
  const char first = build_marker.front();
  for (const char* at = begin; at + build_marker.size() <= end; ++at) {
    if (*at != first) continue;
    std::size_t same = 1;
    while (same < build_marker.size() && at[same] == build_marker[same]) ++same;
    if (same < build_marker.size()) continue;
    std::string text;
    for (const char* c = at; c != end && *c != '\0' && text.size() < longest_build_string; ++c) text += *c;
    return text;
  }
  return "";
}

// String literals are in read-only segments, which some linkers merge with the code's.
int visit(dl_phdr_info* object, std::size_t, void* data) noexcept try {
  auto& search = *static_cast<Search*>(data);
  if (!contains(*object, search.address)) return 0;
  for (int i = 0; i < object->dlpi_phnum && search.build.empty(); ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_R | PF_W)) != PF_R) continue;
    search.build = find_build({reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr), segment.p_filesz});
  }
  return 1;
} catch (...) {
  return 1;  // as one that does not say what it is
}

std::string path_of(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return "";
  std::array<char, PATH_MAX> resolved;
  return realpath(info.dli_fname, resolved.data()) != nullptr ? resolved.data() : info.dli_fname;
}

/// Whether it is of the family whose compilers call __kmpc_error for an error directive.
bool is_of_llvm(const std::string& library, const std::string& build) {
  constexpr const char* entry = "__kmpc_error";
  if (!build.empty() || dlsym(RTLD_DEFAULT, entry) != nullptr) return true;
  void* const loaded = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == nullptr) return false;
  const bool found = dlsym(loaded, entry) != nullptr;
  dlclose(loaded);
  return found;
}

}  // namespace

RuntimeIdentity identify_runtime(const void* function) noexcept try {
  if (function == nullptr) return {};
  Search search{reinterpret_cast<std::uintptr_t>(function), ""};
  LoaderGate::iterate(visit, &search);
  const std::string library = path_of(function);
  return {library, search.build, is_of_llvm(library, search.build)};
} catch (...) {
  return {"", "", true};
}

}  // namespace tracer::ompt
