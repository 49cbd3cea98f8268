// SPDX-License-Identifier: BSD-3-Clause
// See family.hpp. The numbers are from the headers of Open MPI 4.1, MPICH 4.0 and the ABI of MPI 5.0.
#include "tracer/mpi/family.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "tracer/base/weak_references.hpp"

namespace tracer::mpi {
namespace {

void* in_loaded_library(const char* name) noexcept {
  // An MPI that the program loaded by dlopen (Python's mpi4py does) is in no search order: look through all libraries.
  struct Search {
    const char* name;
    void* found;
  } search{name, nullptr};
  Dl_info self{};
  ::dladdr(reinterpret_cast<void*>(&find_family), &self);
  void* const program = ::dlopen(nullptr, RTLD_LAZY);
  link_map* map = nullptr;
  if (program == nullptr || ::dlinfo(program, RTLD_DI_LINKMAP, &map) != 0) return nullptr;
  for (; map != nullptr && search.found == nullptr; map = map->l_next) {
    if (map->l_name == nullptr || std::strstr(map->l_name, "libmpi") == nullptr) continue;
    if (reinterpret_cast<void*>(map->l_addr) == self.dli_fbase) continue;
    void* const library = ::dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    search.found = ::dlsym(library, name);
    Dl_info where{};
    if (search.found != nullptr && ::dladdr(search.found, &where) != 0 && where.dli_fbase == self.dli_fbase)
      search.found = nullptr;
    ::dlclose(library);
  }
  return search.found;
}

/// Of an object of the MPI's: the program may have its own copy of it, which is the one that everybody uses.
Word address_of(const char* name) noexcept {
  void* const object = ::dlsym(RTLD_DEFAULT, name);
  return reinterpret_cast<Word>(object != nullptr ? object : in_loaded_library(name));
}

}  // namespace

Family family;
constinit std::atomic<void*> functions[mpi_functions]{};

namespace {
/// MPI_ERR_OTHER or so in every family.
int not_there() noexcept {
  return 16;
}
}  // namespace

void* resolve(MpiFunction function) noexcept {
  char name[64] = "P";
  std::strncpy(name + 1, mpi_function_table[static_cast<std::size_t>(function)].name, sizeof name - 2);
  void* found = next_function(name);
  if (found == nullptr) found = reinterpret_cast<void*>(&not_there);
  functions[static_cast<std::size_t>(function)].store(found, std::memory_order_relaxed);
  return found;
}

void* next_function(const char* name) noexcept {
  void* const next = ::dlsym(RTLD_NEXT, name);
  return next != nullptr ? next : in_loaded_library(name);
}

void find_family() noexcept {
  Family f;
  int major = 0, minor = 0;
  const auto abi_version = reinterpret_cast<int (*)(int*, int*)>(next_function("PMPI_Abi_get_version"));
  const bool has_standard_abi = abi_version != nullptr && abi_version(&major, &minor) == 0 && major >= 1;
  // Open MPI's library of that ABI has its own names as well.
  if (const Word world = has_standard_abi ? 0 : address_of("ompi_mpi_comm_world"); world != 0) {
    f = {.kind = FamilyKind::open_mpi,
         .int_handles = false,
         .comm_world = world,
         .comm_self = address_of("ompi_mpi_comm_self"),
         .comm_null = address_of("ompi_mpi_comm_null"),
         .request_null = address_of("ompi_request_null"),
         .message_null = address_of("ompi_message_null"),
         .errors_return = address_of("ompi_mpi_errors_return"),
         .any_source = -1,
         .proc_null = -2,
         .root = -4,
         .status_ignore = 0,
         .in_place = 1,
         .no_op = address_of("ompi_mpi_op_no_op"),
         .byte = address_of("ompi_mpi_byte"),
         .type_null = address_of("ompi_mpi_datatype_null"),
         .lock_exclusive = 1,
         .cart = 1,
         .graph = 2,
         .status_size = 24,
         .source_at = 0,
         .tag_at = 4,
         .error_at = 8};
  } else if (has_standard_abi) {
    f = standard_abi;
  }
  family = f;
}

Description::Description() noexcept {
  int length = 0;
  if (ask(MpiFunction::Get_library_version, &line[0], &length) != 0) line[0] = '\0';
  line[sizeof line - 1] = '\0';
  line[std::strcspn(line, "\n")] = '\0';
  for (char* c = line; *c != '\0'; ++c)
    if (*c == '\t') *c = ' ';
}

bool is_mpich(const Description& description) noexcept {
  static constexpr const char* names[] = {"MPICH", "MVAPICH", "Intel(R) MPI", "ParaStation", "psmpi"};
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char* name) { return std::strstr(description.line, name) != nullptr; });
}

bool Family::cancelled(Word status) const noexcept {
  if (kind == FamilyKind::open_mpi) return number(status + 12) != 0;
  if (kind == FamilyKind::mpich) return (number(status + 4) & 1) != 0;
  int flag = 0;
  return ask(MpiFunction::Test_cancelled, status, &flag) == 0 && flag != 0;
}

std::uint64_t Family::query_bytes(Word status) const noexcept {
  std::int64_t count = 0;
  return ask(MpiFunction::Get_count_c, status, byte, &count) == 0 && count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

namespace {

[[gnu::constructor]] void look_at_program() {
  give_back_weak_references(&family, [](const char* name) {
    const char* const rest = *name == 'P' ? name + 1 : name;
    return std::strncmp(rest, "MPI_", 4) == 0 || std::strncmp(rest, "mpi_", 4) == 0;
  });
}

}  // namespace

const char* Family::name() const noexcept {
  return kind == FamilyKind::open_mpi ? "Open MPI" : kind == FamilyKind::mpich ? "MPICH" : "MPI ABI";
}

}  // namespace tracer::mpi
