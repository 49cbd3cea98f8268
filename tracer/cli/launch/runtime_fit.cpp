// SPDX-License-Identifier: BSD-3-Clause
// Compares what the program's files leave undefined with what the runtime's file defines.
#include "tracer/cli/launch/runtime_fit.hpp"

#include <elf.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tracer/cli/launch/program_file.hpp"

namespace tracer::cli {
namespace {

namespace fs = std::filesystem;

/// Fortran's omp_*_ and omp_*_8_ begin so, too. OpenACC is of libgomp alone.
bool is_of_openmp(std::string_view name) {
  return name.starts_with("GOMP_") || name.starts_with("omp_") || name.starts_with("GOACC_");
}

using Names = std::set<std::string, std::less<>>;

/// A file's names of OpenMP.
struct OpenMpNames {
  Names defined, called, asked_for;  ///< asked for by weak references, which may lead nowhere
};

OpenMpNames names_of(const fs::path& path) {
  OpenMpNames names;
  const ProgramFile file{path};
  if (!file.valid()) return names;
  file.for_each_dynamic_symbol([&](std::string_view name, const Elf64_Sym& symbol) {
    if (!is_of_openmp(name)) return;
    const bool is_weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
    Names& kind = symbol.st_shndx != SHN_UNDEF ? names.defined : is_weak ? names.asked_for : names.called;
    kind.emplace(name);
  });
  return names;
}

/// Of what compilers call no program has functions of its own.
bool is_runtime(const OpenMpNames& names) {
  return std::any_of(names.defined.begin(), names.defined.end(),
                     [](const std::string& name) { return name.starts_with("GOMP_"); });
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
  const Names defined = names_of(runtime).defined;
  std::vector<std::pair<fs::path, OpenMpNames>> files;
  std::error_code error;
  for (const fs::path& path : files_of(program))
    if (!fs::equivalent(path, runtime, error)) files.emplace_back(path, names_of(path));
  Names own, of_runtimes;
  for (const auto& [path, names] : files)
    (is_runtime(names) ? of_runtimes : own).insert(names.defined.begin(), names.defined.end());
  for (const auto& [path, names] : files) {
    Names called = names.called;  // the first of them by name is named: the same in every run
    for (const std::string& name : names.asked_for)
      if (of_runtimes.contains(name)) called.insert(name);
    const auto missing = std::find_if(called.begin(), called.end(), [&](const std::string& name) {
      return !defined.contains(name) && !own.contains(name);
    });
    if (missing != called.end()) return {*missing, path.string()};
  }
  return {};
}

}  // namespace tracer::cli
