// SPDX-License-Identifier: BSD-3-Clause
// What is known of a program before it runs: which OpenMP runtime it uses, and what stands
// in the way of tracing it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tracer::cli {

/// Foreign: its loader is not the GNU C library's for this processor, and can load nothing of ours.
enum class ProgramKind { script, dynamic_elf, static_elf, foreign_elf };

struct Program {
  std::filesystem::path path;
  ProgramKind kind = ProgramKind::script;
  std::vector<std::string> libraries;  ///< as the dynamic loader resolves them: paths
  bool set_user_id = false;            ///< or with capabilities: the loader ignores LD_PRELOAD, no tools are loaded
  bool has_llvm_runtime = false;       ///< libomp or libiomp5
  bool has_gcc_runtime = false;        ///< libgomp
  bool contains_llvm_runtime = false;  ///< linked statically into the executable
  bool contains_gcc_runtime = false;
  bool calls_openacc = false;  ///< of libgomp
  bool has_own_tool = false;   ///< it defines ompt_start_tool
};

/// It is linked with an OpenMP runtime, or contains one.
bool has_openmp(const Program& program) noexcept;

/// Which of the program's files contains GCC's runtime, linked statically: the program itself, or a library. "": none.
std::string gcc_runtime_inside(const Program& program);

/// By its name one that starts the ranks of a job: mpirun, mpiexec, srun and so on.
bool is_launcher(const std::filesystem::path& program);

/// By its name one that becomes the program that its arguments name, or waits for it: env, timeout and so on.
bool is_wrapper(const std::filesystem::path& program);

/// By its name one that starts a program as another user, without variables of the loader and of tools: sudo, su and so
/// on.
bool is_user_changer(const std::filesystem::path& program);

/// The programs that a command starts by way of another: of mpirun, srun, env, timeout and so on those that stand among
/// their arguments (several of an MPMD job); also values of options that have the name of a program. Empty: none, or
/// the command alone does not show them, as of scripts. Throws as inspect_program.
std::vector<Program> programs_below(const std::vector<std::string>& command);
/// Those with OpenMP.
std::vector<Program> with_openmp(std::vector<Program> programs);

/// As execvp finds it; nullopt when there is no such executable file.
std::optional<std::filesystem::path> find_program(const std::string& name);
/// Why find_program() has found nothing.
std::string why_not_found(const std::string& name);
/// Why the program that it has found could not be started, with errno of exec.
std::string why_not_started(const std::filesystem::path& path, int error);

/// Reads the executable's headers and gets its libraries from the loader. Of one that this user may not read nothing is
/// known, as of a script. Throws tracer::Error when reading fails.
Program inspect_program(const std::filesystem::path& path);

/// "VARIABLE names FILE, which is not there"; "" where the file is there or none is named.
std::string named_in_vain(const char* variable);

/// Our libtracer.so, relative to this executable: built, installed or moved. nullopt: not found.
/// TRACER_LIBRARY overrides.
std::optional<std::filesystem::path> find_tracer_library();
/// The same; throws tracer::Error, with what to do, when it is not found.
std::filesystem::path need_tracer_library();

/// In messages, that a library of Tracer's is not at its place, and in a build tree how it is built.
std::string missing_library(const std::filesystem::path& library);

/// Whether LD_PRELOAD can name the file: the loader splits it at spaces and colons.
bool is_preloadable(const std::filesystem::path& library);

/// Of several libomps the newest, by how much of it compilers call; of equal ones the first. nullopt: none is one.
std::optional<std::filesystem::path> newest_runtime_of(const std::vector<std::filesystem::path>& candidates);

/// An LLVM OpenMP runtime that can stand in for libgomp, the newest that is found; nullopt: none on this machine.
/// TRACER_OPENMP_RUNTIME overrides.
std::optional<std::filesystem::path> find_llvm_runtime();

}  // namespace tracer::cli
