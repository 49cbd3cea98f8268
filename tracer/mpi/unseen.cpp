// SPDX-License-Identifier: BSD-3-Clause
// Warns once, at the end, of a program whose MPI calls bypass this library: it calls MPI by addresses from dlsym
// (Julia's MPI.jl, Python's ctypes and cffi), or from a library opened with RTLD_DEEPBIND.
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/message.hpp"
#include "tracer/base/wanted_warnings.hpp"
#include "tracer/mpi/state.hpp"

namespace tracer::mpi {
namespace {

constinit pid_t process = 0;
constinit struct stat standard_error {};  // of the start: the program may put a file of its own there

[[gnu::constructor]] void at_the_start() {
  process = ::getpid();
  if (::fstat(STDERR_FILENO, &standard_error) != 0) process = 0;
}

bool is_standard_error() noexcept {
  struct stat now {};
  return ::fstat(STDERR_FILENO, &now) == 0 && now.st_dev == standard_error.st_dev &&
         now.st_ino == standard_error.st_ino;
}

bool has_mpi() noexcept {
  bool has = false;
  for_each_object([&](const LoadedObject& object) { return has = std::strstr(object.name, "/libmpi") != nullptr; });
  return has;
}

[[gnu::destructor]] void at_the_end() {
  if (process != ::getpid() || has_connected.load(std::memory_order_relaxed) || !has_mpi() || !warnings_are_wanted() ||
      !is_standard_error())
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
