// SPDX-License-Identifier: BSD-3-Clause
// See mpi_library.hpp.
#include "tracer/cli/launch/mpi_library.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

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
                             const std::string& preload) {
  // What has OpenMP of its own is no script, shell, interpreter or launcher: nothing that starts or loads other
  // programs.
  if (has_openmp(program) && !uses_mpi(program)) return preload;
  const std::filesystem::path library = tool_library.parent_path() / "libtracer-mpi.so";
  std::error_code error;
  if (!is_preloadable(library) || !std::filesystem::exists(library, error)) return preload;
  return preload.empty() ? library.string() : library.string() + ":" + preload;
}

}  // namespace tracer::cli
