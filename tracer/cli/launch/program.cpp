// SPDX-License-Identifier: BSD-3-Clause
// Looks at an executable before it is run: ELF headers, symbols, libraries, set-user-id.
#include "tracer/cli/launch/program.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "tracer/base/runtime_names.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/launch/launch.hpp"
#include "tracer/cli/launch/program_file.hpp"
#include "tracer/error.hpp"

#ifndef TRACER_LIBDIR
#define TRACER_LIBDIR "lib"
#endif

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

/// The GNU C library's: /lib64/ld-linux-x86-64.so.2, /lib64/ld64.so.2, ...
bool is_glibc_loader(const fs::path& loader) {
  const std::string name = loader.filename().string();
  return name.starts_with("ld-linux") || name.starts_with("ld64.so") || name.starts_with("ld.so") ||
         name.starts_with("ld-2.");
}

/// What ldd does, by the loader itself: the program is not started, whatever it is.
std::vector<std::string> loaded_libraries(const std::string& loader, const fs::path& program) {
  std::vector<std::string> libraries;
  const std::string text = output_of({loader, "--list", fs::absolute(program).string()}, {{"LD_PRELOAD", ""}});
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view{text}.substr(at, end - at);
    at = end + 1;
    if (const std::size_t arrow = line.find(" => "); arrow != std::string_view::npos) {
      std::string_view path = line.substr(arrow + 4);
      path = path.substr(0, path.find(" ("));
      const std::string_view name = line.substr(line.find_first_not_of(" \t"), arrow);
      libraries.emplace_back(path.starts_with('/') ? path : name.substr(0, name.find(' ')));
    } else if (const std::size_t slash = line.find('/'); slash != std::string_view::npos) {  // linked in by its path
      const std::string_view path = line.substr(line.find_first_not_of(" \t"));
      libraries.emplace_back(path.substr(0, path.find(" (")));
    }
  }
  return libraries;
}

fs::path own_directory() {
  std::error_code error;
  if (const fs::path file = fs::read_symlink("/proc/self/exe", error); !error) return file.parent_path();
  // Where /proc is not mounted: the path by which this command was executed.
  const auto* const executed = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return executed == nullptr ? fs::path{} : fs::canonical(executed, error).parent_path();
}

/// The path under which the loader has `name`, "" when it finds none.
fs::path loaded_path(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return {};
  link_map* map = nullptr;
  fs::path path;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) path = map->l_name;
  dlclose(handle);
  return path;
}

/// What compilers call of a libomp: no version has lost one, and each new one has more. Its file has no other number.
std::size_t entry_points_of_compilers(const fs::path& runtime) {
  try {
    ProgramFile file{runtime};
    std::set<std::string, std::less<>> names;  // some have two versions
    if (file.valid())
      file.for_each_definition([&](std::string_view name) {
        if (name.starts_with("__kmpc_")) names.emplace(name.substr(0, name.find('@')));
      });
    return names.size();
  } catch (const Error&) {
    return 0;
  }
}

/// A runtime of another name, a vendor's, or a library that contains one.
bool is_llvm_runtime_inside(const std::string& library) {
  std::error_code error;
  if (!fs::is_regular_file(library, error)) return false;
  bool has_llvm = false;
  try {
    ProgramFile file{library};
    if (file.valid())
      file.for_each_definition([&](std::string_view symbol) { has_llvm = has_llvm || symbol == "__kmpc_fork_call"; });
  } catch (const Error&) {  // the program loads it without its being read here
  }
  return has_llvm;
}

/// Debian distinguishes its two MPIs' launchers by a suffix: mpirun.openmpi, mpirun.mpich.
template <std::size_t count>
bool is_one_of(const fs::path& program, const std::array<const char*, count>& names) {
  const std::string name = program.filename().string();
  const std::string_view begin = std::string_view{name}.substr(0, name.find('.'));
  return std::find(names.begin(), names.end(), begin) != names.end();
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  std::error_code error;
  const auto executable = [&](const fs::path& path) {
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return executable(name) ? std::optional{fs::path{name}} : std::nullopt;
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t end = rest.find(':');
    const std::string_view directory = rest.substr(0, end);
    const fs::path candidate = fs::path{directory.empty() ? "." : std::string{directory}} / name;
    if (executable(candidate)) return candidate;
    if (end == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(end + 1);
  }
}

std::string why_not_found(const std::string& name) {
  if (name.find('/') == std::string::npos) {
    std::error_code error;
    return "there is no program '" + name + "' in PATH" +
           (fs::is_regular_file(name, error) ? "; for the one in this directory write ./" + name : "");
  }
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0) return "cannot run " + name + ": " + std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return "cannot run " + name + ": it is a directory";
  if (!S_ISREG(status.st_mode)) return "cannot run " + name + ": it is no file";
  return "cannot run " + name + ": it is not executable (chmod +x makes it so)";
}

std::string why_not_started(const fs::path& path, int error) {
  std::string line;
  std::error_code ignored;
  if (error == ENOENT && fs::exists(path, ignored)) {
    std::ifstream file{path, std::ios::binary};
    std::getline(file, line);
    if (!line.starts_with("#!")) return "cannot start " + path.string() + ": its loader does not exist";
    if (line.ends_with('\r'))
      return "cannot start " + path.string() +
             ": its lines end with a carriage return, as on Windows (dos2unix removes it)";
    const std::size_t from = std::min(line.find_first_not_of(" \t", 2), line.size());
    const std::string interpreter = line.substr(from, line.find_first_of(" \t\r", from) - from);
    return "cannot start " + path.string() + ": its interpreter " + interpreter + " does not exist";
  }
  return "cannot start " + path.string() + ": " + std::strerror(error);
}

Program inspect_program(const fs::path& path) {
  Program program;
  program.path = path;
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) {
    program.set_user_id = ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
                          ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid()) ||
                          (geteuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0);
  }
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) return program;  // it may be one to execute only
  ProgramFile elf{path};
  const std::string loader = elf.interpreter();
  if (elf.is_elf() && (!elf.is_for_this_processor() || (!loader.empty() && !is_glibc_loader(loader))))
    program.kind = ProgramKind::foreign_elf;
  if (!elf.valid() || program.kind == ProgramKind::foreign_elf) return program;
  program.kind = elf.has_interpreter() ? ProgramKind::dynamic_elf : ProgramKind::static_elf;
  elf.for_each_definition([&](std::string_view name) {
    if (name == "__kmpc_fork_call") program.contains_llvm_runtime = true;
    if (name == "GOMP_parallel") program.contains_gcc_runtime = true;
    if (name == "ompt_start_tool") program.has_own_tool = true;
  });
  elf.for_each_dynamic_symbol([&](std::string_view name, const Elf64_Sym& symbol) {
    if (symbol.st_shndx == SHN_UNDEF && name.starts_with("GOACC_")) program.calls_openacc = true;
  });
  if (program.contains_llvm_runtime) program.contains_gcc_runtime = false;  // libomp has the GOMP entry points too
  if (program.kind == ProgramKind::static_elf || program.set_user_id) return program;
  program.libraries = loaded_libraries(loader, path);
  for (const std::string& library : program.libraries) {
    const std::string file = fs::path{library}.filename();
    program.has_llvm_runtime = program.has_llvm_runtime || is_llvm_runtime(file);
    program.has_gcc_runtime = program.has_gcc_runtime || is_gcc_runtime(file);
  }
  if (!program.has_llvm_runtime && !program.has_gcc_runtime)
    program.has_llvm_runtime = std::any_of(program.libraries.begin(), program.libraries.end(), is_llvm_runtime_inside);
  return program;
}

bool has_openmp(const Program& program) noexcept {
  return program.has_llvm_runtime || program.has_gcc_runtime || program.contains_llvm_runtime ||
         program.contains_gcc_runtime;
}

std::string gcc_runtime_inside(const Program& program) {
  if (program.contains_gcc_runtime) return program.path.string();
  std::error_code error;
  for (const fs::path library : program.libraries) {
    const std::string name = library.filename().string();
    if (is_gcc_runtime(name) || is_llvm_runtime(name) || !fs::is_regular_file(library, error)) continue;
    ProgramFile file{library};
    bool has_gcc = false, has_llvm = false;
    if (!file.valid()) continue;
    file.for_each_definition([&](std::string_view symbol) {
      has_gcc = has_gcc || symbol == "GOMP_parallel";
      has_llvm = has_llvm || symbol == "__kmpc_fork_call";
    });
    if (has_gcc && !has_llvm) return library.string();
  }
  return {};
}

bool is_launcher(const fs::path& program) {
  return is_one_of(program, std::array{"mpirun", "mpiexec", "orterun", "prterun", "srun", "aprun", "jsrun", "flux"});
}

bool is_wrapper(const fs::path& program) {
  return is_one_of(program, std::array{"env", "timeout", "nice", "nohup", "time", "stdbuf", "taskset", "numactl",
                                       "setsid", "chrt", "ionice", "setarch"});
}

bool is_user_changer(const fs::path& program) {
  return is_one_of(program, std::array{"sudo", "su", "doas", "pkexec", "runuser"});
}

std::vector<Program> with_openmp(std::vector<Program> programs) {
  std::erase_if(programs, [](const Program& program) { return !has_openmp(program); });
  return programs;
}

std::vector<Program> programs_below(const std::vector<std::string>& command) {
  std::vector<Program> programs;
  bool starts_job = is_launcher(command.front());
  bool is_sought = starts_job || is_wrapper(command.front());
  for (std::size_t w = 1; w < command.size(); ++w) {
    const std::string& word = command[w];
    if (starts_job && word == ":") is_sought = true;  // the next program of an MPMD job follows
    if (!is_sought || word.empty() || word.starts_with('-')) continue;
    const auto found = find_program(word);
    if (!found) continue;
    starts_job = starts_job || is_launcher(*found);
    if (is_launcher(*found) || is_wrapper(*found)) continue;
    Program program = inspect_program(*found);
    // What follows an option may be its value, though a program has that name: --map-by node.
    const bool may_be_value = command[w - 1].starts_with('-') && word.find('/') == std::string::npos;
    is_sought = may_be_value && !has_openmp(program);
    programs.push_back(std::move(program));
  }
  return programs;
}

std::string named_in_vain(const char* variable) {
  const char* given = std::getenv(variable);
  std::error_code error;
  if (given == nullptr || *given == '\0' || fs::exists(given, error)) return {};
  return std::string{variable} + " names " + given + ", which is not there";
}

std::optional<fs::path> find_tracer_library() {
  std::error_code error;
  if (const char* given = std::getenv("TRACER_LIBRARY"); given != nullptr && *given != '\0') {
    return fs::exists(given, error) ? std::optional{fs::absolute(given)} : std::nullopt;
  }
  const fs::path here = own_directory();
  for (const char* relative : {"../" TRACER_LIBDIR, "../lib", "../lib64", "."}) {
    const fs::path candidate = here / relative / "libtracer.so";
    if (fs::exists(candidate, error)) return fs::canonical(candidate, error);
  }
  return std::nullopt;
}

fs::path need_tracer_library() {
  if (std::optional<fs::path> library = find_tracer_library()) return *std::move(library);
  if (const std::string why = named_in_vain("TRACER_LIBRARY"); !why.empty()) throw Error{why + "."};
  throw Error{"libtracer.so not found next to this command, or not readable; name it with TRACER_LIBRARY."};
}

std::string missing_library(const fs::path& library) {
  const std::string text = library.string() + " is missing";
  const fs::path tree = library.parent_path().parent_path();
  std::error_code error;
  return fs::exists(tree / "CMakeCache.txt", error)
             ? text + " (cmake --build " + shell_word(tree.string()) + " builds it)"
             : text;
}

bool is_preloadable(const fs::path& library) {
  return library.native().find_first_of(" :") == std::string::npos;
}

std::optional<fs::path> newest_runtime_of(const std::vector<fs::path>& candidates) {
  std::optional<fs::path> newest;
  std::size_t most = 0;
  for (const fs::path& candidate : candidates) {
    const std::size_t entries = entry_points_of_compilers(candidate);
    if (entries <= most) continue;
    newest = candidate;
    most = entries;
  }
  return newest;
}

std::optional<fs::path> find_llvm_runtime() {
  std::error_code error;
  if (const char* given = std::getenv("TRACER_OPENMP_RUNTIME"); given != nullptr && *given != '\0') {
    return fs::exists(given, error) ? std::optional{fs::absolute(given)} : std::nullopt;
  }
  // The loader's comes first where another is no newer.
  std::vector<fs::path> candidates;
  for (const char* name : {"libomp.so.5", "libomp.so"})
    if (const fs::path path = loaded_path(name); !path.empty()) candidates.push_back(path);
  for (const auto& entry : fs::directory_iterator{"/usr/lib", error}) {
    if (!entry.path().filename().string().starts_with("llvm-")) continue;
    for (const char* file : {"lib/libomp.so.5", "lib/libomp.so"})
      if (fs::exists(entry.path() / file, error)) candidates.push_back(entry.path() / file);
  }
  if (auto newest = newest_runtime_of(candidates)) return newest;
  const fs::path of_intel = loaded_path("libiomp5.so");
  return of_intel.empty() ? std::nullopt : std::optional{of_intel};
}

}  // namespace tracer::cli
