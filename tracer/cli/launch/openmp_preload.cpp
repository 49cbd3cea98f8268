// SPDX-License-Identifier: BSD-3-Clause
// See openmp_preload.hpp.
#include "tracer/cli/launch/openmp_preload.hpp"

#include <algorithm>
#include <span>
#include <system_error>

#include "tracer/cli/launch/mpi_library.hpp"
#include "tracer/cli/launch/runtime_fit.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/error.hpp"
#include "tracer/job/job_directory.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* what_gcc_does_not_report =
    "code of GCC reports no static loops, masked constructs, atomics, reductions and target regions; see docs/gcc.md";

constexpr const char* what_loader_splits = " has a space or a colon in its path, where the loader splits LD_PRELOAD";

std::string newest_runtime(const std::string& needed_because) {
  const auto found = find_llvm_runtime();
  if (!found) {
    if (const std::string why = named_in_vain("TRACER_OPENMP_RUNTIME"); !why.empty())
      throw Error{needed_because + ", and " + why + "."};
    throw Error{needed_because +
                ", and no LLVM runtime was found to run it with. Install one (Debian: apt-get install libomp5) or name "
                "it with --runtime."};
  }
  return found->string();
}

/// The file that is asked for, as processes with other working directories find it.
std::string runtime_asked_for(const std::string& given) {
  if (given == newest_runtime_found) return newest_runtime("the command has --runtime auto");
  return given.empty() ? given : fs::absolute(given).lexically_normal().string();
}

/// The driver, or the shared runtime, which opens it.
bool needs_cuda(const Program& program) {
  return std::any_of(program.libraries.begin(), program.libraries.end(), [](const fs::path path) {
    const std::string name = path.filename().string();
    return name.starts_with("libcuda.so") || name.starts_with("libcudart");
  });
}

void warn_if_without_runtime(const Program& program, const RunRequest& request) {
  if (program.kind != ProgramKind::dynamic_elf || has_openmp(program) || uses_mpi(program) || needs_cuda(program))
    return;
  if (is_launcher(program.path)) {
    const std::string name = program.path.filename().string();
    return print_note("processes that " + name + " starts on this host are traced. For ranks on other hosts: " + name +
                      " ... tracer run -- program");
  }
  if (program.libraries.empty())
    return print_note("the loader does not list the libraries of " + program.path.string() +
                      ", as where its path has more than 4,096 characters: its OpenMP runtime is unknown. If there is "
                      "no trace, run it by a shorter path.");
  print_note(program.path.string() +
             " is not linked with an OpenMP runtime: no trace unless it loads one later, starts programs with OpenMP "
             "or MPI, or uses CUDA" +
             (!request.listens_to_words ? "" : " or annotations (NVTX, ITT, Kokkos, ROCTx)") +
             ". If it should use OpenMP itself, compile and link it with -fopenmp.");
}

bool can_have_tool(const Program& program) {
  return program.kind != ProgramKind::static_elf && program.kind != ProgramKind::foreign_elf && !program.set_user_id &&
         !is_user_changer(program.path);
}

/// It runs all the same.
void print_why_untraced(const Program& program) {
  if (is_user_changer(program.path))
    return print_note(program.path.string() +
                      " starts the program as another user, without the variables of tracer run: no trace. Put tracer "
                      "run behind it, as in: sudo tracer run -- ./app");
  const char* const why =
      program.kind == ProgramKind::static_elf
          ? " is statically linked: the loader cannot load a tool into it. Link it dynamically (without -static)."
      : program.kind == ProgramKind::foreign_elf
          ? " is for another processor, of 32 bits, or for another C library than GNU's (musl): its loader cannot load "
            "a tool into it."
          : " is set-user-id or set-group-id, or has capabilities: the loader refuses to load a tool into it. Trace a "
            "copy without that.";
  print_note(program.path.string() + why + " It runs without a trace" +
             (program.kind == ProgramKind::static_elf ? "; what it starts is traced." : "."));
}

/// GCC's runtime inside of the program or of a library is called directly: nothing can stand before it.
void print_what_is_unrecorded(const Program& program) {
  if (const std::string within = gcc_runtime_inside(program); !within.empty())
    print_note(within +
               " contains a static copy of libgomp: its OpenMP constructs are not recorded. Link it with the shared "
               "libgomp to record them.");
}

/// False, with a message: a program would run on two runtimes at once. It keeps its own.
bool fits(const std::string& runtime, std::span<const Program> programs, bool is_silent) {
  if (!is_preloadable(runtime)) {
    if (!is_silent) print_note(runtime + what_loader_splits + ": the program keeps its own OpenMP runtime.");
    return false;
  }
  for (const Program& program : programs) {
    const MissingName missing = missing_name(program, runtime);
    if (missing.name.empty()) continue;
    if (!is_silent)
      print_note(missing.needed_by + " calls " + missing.name + ", which " + runtime +
                 " does not define: the program keeps its own OpenMP runtime.");
    return false;
  }
  return true;
}

/// Stands before libgomp.
fs::path place_before_libgomp(const fs::path& tool_library) {
  return tool_library.parent_path() / "libtracer-gomp.so";
}

/// "": it is missing, or cannot be preloaded.
std::string library_before_libgomp(const fs::path& tool_library) {
  const fs::path library = place_before_libgomp(tool_library);
  std::error_code error;
  return is_preloadable(library) && fs::exists(library, error) ? library.string() : std::string{};
}

void print_how_gcc_is_traced(const Program& program, const std::string& runtime) {
  print_note(program.path.string() + " uses libgomp, which has no OMPT support: running it with " + runtime + ".");
  print_note(what_gcc_does_not_report);
}

}  // namespace

std::string openmp_to_preload(const Program& first, const RunRequest& request, const fs::path& tool_library) {
  // Of the ranks of a job, each with a `tracer run` of its own, the first speaks for all.
  const bool is_silent = request.is_quiet || find_launcher().rank > 0;
  const std::string asked = runtime_asked_for(request.runtime);
  const std::span<const Program> below = request.openmp_below;
  const std::span<const Program> programs = below.empty() ? std::span{&first, 1} : below;
  const auto of_gcc =
      std::find_if(programs.begin(), programs.end(), [](const Program& p) { return p.has_gcc_runtime; });
  const bool has_gcc = of_gcc != programs.end();
  const bool is_known_what_starts = !below.empty() && !is_launcher(first.path);
  if (!is_silent && !is_known_what_starts && !request.begins_with_python && can_have_tool(first) &&
      (has_gcc || asked.empty()))
    warn_if_without_runtime(first, request);
  if (!is_silent)
    for (const Program& program : programs)
      can_have_tool(program) ? print_what_is_unrecorded(program) : print_why_untraced(program);
  if (!asked.empty() && fits(asked, programs, is_silent)) {
    if (has_gcc && !is_silent) print_how_gcc_is_traced(*of_gcc, asked);
    return asked;
  }
  const bool all_know_tools = std::all_of(programs.begin(), programs.end(), [](const Program& p) {
    return has_openmp(p) && !p.has_gcc_runtime && !p.contains_gcc_runtime;
  });
  if (all_know_tools) return {};
  const std::string library = library_before_libgomp(tool_library);
  if (has_gcc && !is_silent) {
    const std::string uses = of_gcc->path.string() + " uses libgomp";
    print_note(library.empty() && !is_preloadable(tool_library)
                   ? uses + ", and libtracer-gomp.so, which traces it, cannot be preloaded: try --runtime auto."
               : library.empty()
                   ? uses + ", and " + missing_library(place_before_libgomp(tool_library)) +
                         ": its constructs are not recorded."
                   : uses +
                         ": calls to it are recorded. GCC compiles static loops, masked constructs and reductions "
                         "without calls: to record them as well, build with clang or flang (docs/gcc.md)");
    if (of_gcc->calls_openacc)
      print_note(of_gcc->path.string() +
                 " uses OpenACC, whose constructs are not recorded. If it also uses OpenMP, the archive names the "
                 "functions of OpenACC that it refers to.");
  }
  return library;
}

bool is_untraceable(const Program& first, std::span<const Program> below) {
  return below.empty() ? !can_have_tool(first) : std::none_of(below.begin(), below.end(), can_have_tool);
}

bool is_badly_placed(const Program& program, const std::string& runtime, const fs::path& tool_library, bool is_quiet) {
  if (is_preloadable(tool_library)) return false;
  const bool needs_list = tool_library.native().find(':') != std::string::npos;  // also OMP_TOOL_LIBRARIES
  const bool knows_tools = has_openmp(program) && (!program.has_gcc_runtime || !runtime.empty());
  if (knows_tools && !uses_mpi(program) && !needs_list) return false;
  if (!is_quiet && find_launcher().rank <= 0)
    print_note(tool_library.string() + what_loader_splits + ": " + (needs_list ? "OpenMP, " : "OpenMP of GCC, ") +
               "MPI and Python functions are not recorded. To record them, make a link to its directory under a path "
               "without them, and set TRACER_LIBRARY=LINK/libtracer.so.");
  return true;
}

}  // namespace tracer::cli
