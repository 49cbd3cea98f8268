// SPDX-License-Identifier: BSD-3-Clause
// Compares what the program's files leave undefined with what the runtime's file defines.
#include "tracer/cli/launch/runtime_fit.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "tracer/cli/launch/program_file.hpp"

namespace tracer::cli {
namespace {

namespace fs = std::filesystem;

/// Fortran's omp_*_ and omp_*_8_ begin so, too. OpenACC is of libgomp alone.
bool is_of_openmp(std::string_view name) {
  return name.starts_with("GOMP_") || name.starts_with("omp_") || name.starts_with("GOACC_");
}

std::set<std::string, std::less<>> defined_by(const fs::path& runtime) {
  std::set<std::string, std::less<>> names;
  ProgramFile file{runtime};
  if (!file.valid()) return names;
  file.for_each_dynamic_symbol([&](std::string_view name, const Elf64_Sym& symbol) {
    if (symbol.st_shndx != SHN_UNDEF && is_of_openmp(name)) names.emplace(name);
  });
  return names;
}

/// What the program and its libraries call, each in a file that the loader maps.
std::vector<fs::path> files_of(const Program& program) {
  std::vector<fs::path> files{program.path};
  std::error_code error;
  for (const fs::path library : program.libraries)
    if (library.is_absolute() && fs::is_regular_file(library, error)) files.push_back(library);
  return files;
}

}  // namespace

MissingName missing_name(const Program& program, const fs::path& runtime) {
  const auto defined = defined_by(runtime);
  std::error_code error;
  for (const fs::path& path : files_of(program)) {
    if (fs::equivalent(path, runtime, error)) continue;
    ProgramFile file{path};
    if (!file.valid()) continue;
    std::set<std::string> missing;  // the first of them by name is named: the same in every run
    file.for_each_dynamic_symbol([&](std::string_view name, const Elf64_Sym& symbol) {
      if (symbol.st_shndx == SHN_UNDEF && is_of_openmp(name) && !defined.contains(name)) missing.emplace(name);
    });
    if (!missing.empty()) return {*missing.begin(), path.string()};
  }
  return {};
}

}  // namespace tracer::cli
