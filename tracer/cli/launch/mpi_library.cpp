// SPDX-License-Identifier: BSD-3-Clause
// See mpi_library.hpp.
#include "tracer/cli/launch/mpi_library.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "tracer/cli/output/terminal.hpp"
#include "tracer/job/job_directory.hpp"

namespace tracer::cli {
namespace {

bool is_mpi(const std::string& library) {
  const std::string name = std::filesystem::path(library).filename().string();
  constexpr std::array begins{"libmpi.so",      "libmpich.so",   "libmpi_abi.so", "libmpi_mpifh", "libmpichfort",
                              "libmpi_cray.so", "libmpi_usempi", "libmpicxx",     "libmpich",     "libpsmpi"};
  return std::any_of(begins.begin(), begins.end(), [&](const char* begin) { return name.starts_with(begin); });
}

/// What launchers pass to the ranks: Open MPI, Hydra and Slurm's PMI2, PMIx.
bool is_rank_of_a_job() {
  constexpr std::array names{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  return std::any_of(names.begin(), names.end(), [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

bool uses_mpi(const Program& program) {
  return std::any_of(program.libraries.begin(), program.libraries.end(), is_mpi) || is_rank_of_a_job();
}

std::string with_mpi_library(const Program& program, const std::filesystem::path& tool_library,
                             const std::string& preload, bool is_quiet) {
  // What has OpenMP of its own is no script, shell, interpreter or launcher: nothing that starts or loads other
  // programs.
  if (has_openmp(program) && !uses_mpi(program)) return preload;
  const std::filesystem::path library = tool_library.parent_path() / "libtracer-mpi.so";
  if (!is_preloadable(library)) return preload;
  if (std::error_code error; !std::filesystem::exists(library, error)) {
    // Of the ranks of a job, each with a `tracer run` of its own, the first speaks for all.
    if (!is_quiet && (uses_mpi(program) || is_launcher(program.path)) && find_launcher().rank <= 0)
      print_note(missing_library(library) + ": MPI calls are not recorded.");
    return preload;
  }
  return preload.empty() ? library.string() : library.string() + ":" + preload;
}

}  // namespace tracer::cli
