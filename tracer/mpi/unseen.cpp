// SPDX-License-Identifier: BSD-3-Clause
// See unseen.hpp. Such calls are by addresses from dlsym (Julia's MPI.jl, Python's ctypes and cffi), or from a library
// opened with RTLD_DEEPBIND. Of the addresses nobody knows, but for whether the program began with MPI by one.
#include "tracer/mpi/unseen.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/loader_gate.hpp"
#include "tracer/base/message.hpp"
#include "tracer/base/relocations.hpp"
#include "tracer/base/standard_error.hpp"
#include "tracer/base/wanted_warnings.hpp"
#include "tracer/mpi/state.hpp"

namespace tracer::mpi {
namespace {

constinit StandardErrorOfStart standard_error;

[[gnu::constructor]] void at_the_start() {
  ::pthread_atfork(&LoaderGate::hold, &LoaderGate::resume, &LoaderGate::resume_in_child);
  standard_error.remember();
}

/// Others have no calls of it, but maybe a million relocations. The MPI's own libraries call it as they like.
bool may_bypass(const LoadedObject& object) noexcept {
  const bool is_mpis = std::strstr(object.name, "/libmpi") != nullptr || std::strstr(object.name, "/mca_") != nullptr;
  return !is_mpis && object.needs([](const char* name) { return std::strstr(name, "libmpi") != nullptr; });
}

/// MPI_X or PMPI_X.
bool is_wrapped(const char* name) noexcept {
  const char* const own = *name == 'P' ? name + 1 : name;
  return std::strncmp(own, "MPI_", 4) == 0 &&
         std::any_of(mpi_function_table.begin(), mpi_function_table.end(),
                     [own](const MpiFunctionRow& row) { return std::strcmp(row.name, own) == 0; });
}

/// The loader has bound one of its calls to the MPI itself.
bool bypasses(const LoadedObject& object, const LoadedObject& mpi) noexcept {
  bool does = false;
  for_each_slot(object, [&](const Slot& slot) {
    if (!does && mpi.contains(slot.value())) does = is_wrapped(slot.name);
  });
  return does;
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

void name_libraries_that_bypass(const tracer_front_end& table) noexcept {
  constexpr unsigned most = 8;
  char lines[most][700];
  unsigned count = 0;
  const LoadedObject mpi = object_with(real(MpiFunction::Init));
  if (mpi.contains(reinterpret_cast<std::uintptr_t>(&name_libraries_that_bypass))) return;
  // The loader's list is left before a line is printed.
  for_each_object([&](const LoadedObject& object) {
    if (object.base == mpi.base || !may_bypass(object) || !bypasses(object, mpi)) return false;
    std::snprintf(
        lines[count++], sizeof lines[0],
        "%.500s calls MPI without passing libtracer-mpi.so (opened with RTLD_DEEPBIND): its MPI calls are not "
        "recorded",
        object.name);
    return count == most;
  });
  for (unsigned i = 0; i < count; ++i) table.message(lines[i]);
}

}  // namespace tracer::mpi
