// SPDX-License-Identifier: BSD-3-Clause
// Warns once, at the end, of a program whose MPI calls bypass this library: it calls MPI by addresses from dlsym
// (Julia's MPI.jl, Python's ctypes and cffi), or from a library opened with RTLD_DEEPBIND.
#include <unistd.h>

#include <cstring>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/message.hpp"
#include "tracer/base/standard_error.hpp"
#include "tracer/base/wanted_warnings.hpp"
#include "tracer/mpi/state.hpp"

namespace tracer::mpi {
namespace {

constinit StandardErrorOfStart standard_error;

[[gnu::constructor]] void at_the_start() {
  standard_error.remember();
}

bool has_mpi() noexcept {
  bool has = false;
  for_each_object([&](const LoadedObject& object) { return has = std::strstr(object.name, "/libmpi") != nullptr; });
  return has;
}

[[gnu::destructor]] void at_the_end() {
  if (has_connected.load(std::memory_order_relaxed) || !has_mpi() || !warnings_are_wanted() ||
      !standard_error.is_still_there())
    return;
  // MPI allows this call at any time.
  const auto initialized = reinterpret_cast<int (*)(int*)>(next_function("PMPI_Initialized"));
  int flag = 0;
  if (initialized == nullptr || initialized(&flag) != 0 || flag == 0) return;
  constexpr char line[] =
      "tracer: warning: the program calls MPI without passing libtracer-mpi.so (by addresses from dlsym, as Julia and "
      "Python's ctypes do, or from a library opened with RTLD_DEEPBIND): its MPI calls are not recorded\n";
  write_message(STDERR_FILENO, {line, sizeof line - 1});
}

}  // namespace
}  // namespace tracer::mpi
