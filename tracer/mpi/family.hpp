// SPDX-License-Identifier: BSD-3-Clause
// What differs between the MPIs that a program may run on, as numbers: no mpi.h is compiled into the tool.
//
// Handles are pointers (Open MPI, the standard ABI) or ints (MPICH and its descendants). As arguments both travel in
// the same registers, an int with anything in the upper half; in memory they have their size.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracer/mpi_functions.hpp"

namespace tracer::mpi {

using Word = std::uintptr_t;

enum class FamilyKind : std::uint8_t { open_mpi, mpich, abi };

/// Numbers of MPI_File_open and MPI_File_seek; the defaults are ROMIO's, which Open MPI has as well.
struct FileNumbers {
  int read_only = 2, write_only = 4, create = 1, exclusive = 64, append = 128, sequential = 256, unique_open = 32,
      delete_on_close = 16;
  int seek_current = 602, seek_end = 604;
};

struct Family {
  FamilyKind kind = FamilyKind::mpich;
  bool int_handles = true;
  Word comm_world = 0x44000000, comm_self = 0x44000001, comm_null = 0x04000000;
  Word request_null = 0x2c000000, message_null = 0x2c000000;
  Word errors_return = 0x54000001;
  int any_source = -2, proc_null = -1, root = -3;
  Word status_ignore = 1, in_place = ~Word{0}, no_op = 0x5800000e, byte = 0x4c00010d, type_null = 0x0c000000;
  int lock_exclusive = 234;
  int cart = 2, graph = 1, dist_graph = 3;  ///< what MPI_Topo_test answers
  int thread_levels[4] = {0, 1, 2, 3};      ///< from MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE
  unsigned status_size = 20, source_at = 8, tag_at = 12, error_at = 16;
  FileNumbers file{};

  /// An argument's handle.
  Word handle(Word argument) const noexcept { return int_handles ? argument & 0xffffffffu : argument; }
  /// A handle in memory.
  Word load(Word array, std::size_t index = 0) const noexcept {
    if (int_handles) return reinterpret_cast<const std::uint32_t*>(array)[index];
    return reinterpret_cast<const Word*>(array)[index];
  }
  Word status_at(Word statuses, std::size_t index) const noexcept { return statuses + index * status_size; }
  int source(Word status) const noexcept { return number(status + source_at); }
  int tag(Word status) const noexcept { return number(status + tag_at); }
  /// Of a status in an array, where the call returned MPI_ERR_IN_STATUS.
  bool failed(Word status) const noexcept { return number(status + error_at) != 0; }
  bool cancelled(Word status) const noexcept;
  std::uint64_t bytes(Word status) const noexcept {
    if (kind == FamilyKind::open_mpi) {
      std::uint64_t bytes;
      std::memcpy(&bytes, reinterpret_cast<const void*>(status + 16), sizeof bytes);
      return bytes;
    }
    if (kind == FamilyKind::mpich)
      return static_cast<std::uint32_t>(number(status)) |
             static_cast<std::uint64_t>(static_cast<std::uint32_t>(number(status + 4)) >> 1) << 32;
    return query_bytes(status);
  }
  const char* name() const noexcept;
  bool is_multiple(int level) const noexcept { return level >= thread_levels[3]; }
  const char* level_name(int level) const noexcept {
    static constexpr const char* names[] = {"single", "funneled", "serialized", "multiple"};
    for (std::size_t i = 0; i < 4; ++i)
      if (thread_levels[i] == level) return names[i];
    return "unknown";
  }

 private:
  std::uint64_t query_bytes(Word status) const noexcept;
  static int number(Word at) noexcept {
    int value;
    std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof value);
    return value;
  }
};

inline constexpr Family standard_abi{.kind = FamilyKind::abi,
                                     .int_handles = false,
                                     .comm_world = 0x101,
                                     .comm_self = 0x102,
                                     .comm_null = 0x100,
                                     .request_null = 0x180,
                                     .message_null = 0x128,
                                     .errors_return = 0x142,
                                     .any_source = -1,
                                     .proc_null = -3,
                                     .root = -4,
                                     .status_ignore = 0,
                                     .in_place = 1,
                                     .no_op = 0x3d,
                                     .byte = 0x247,
                                     .type_null = 0x200,
                                     .lock_exclusive = 301,
                                     .cart = 211,
                                     .graph = 212,
                                     .dist_graph = 213,
                                     .thread_levels = {0, 1024, 2048, 4096},
                                     .status_size = 32,
                                     .source_at = 0,
                                     .tag_at = 4,
                                     .error_at = 8,
                                     .file = {.read_only = 16,
                                              .write_only = 256,
                                              .create = 2,
                                              .exclusive = 8,
                                              .append = 1,
                                              .sequential = 64,
                                              .unique_open = 128,
                                              .delete_on_close = 4,
                                              .seek_current = 402,
                                              .seek_end = 403}};

/// Valid from the first call of MPI on.
extern Family family;
/// Looks which MPI the process has. Before MPI_Init.
void find_family() noexcept;

/// The first line of what the MPI says that it is, which it may be asked at any time; "": nothing.
struct Description {
  Description() noexcept;
  char line[8192] = "";  ///< MPI_MAX_LIBRARY_VERSION_STRING of MPICH
};
/// Whether it is MPICH's, or that of a descendant, which has its numbers.
bool is_mpich(const Description& description) noexcept;

/// The MPI's own function of this name behind this library; nullptr when there is none.
void* next_function(const char* name) noexcept;

/// The MPI's PMPI_ function, looked up once. A function that the MPI does not have is one that fails.
void* resolve(MpiFunction function) noexcept;
extern std::atomic<void*> functions[mpi_functions];
inline void* real(MpiFunction function) noexcept {
  void* const known = functions[static_cast<std::size_t>(function)].load(std::memory_order_relaxed);
  return known != nullptr ? known : resolve(function);
}

/// Calls a query of the MPI that needs no communication; 0: success.
template <class... Arguments>
int ask(MpiFunction function, Arguments... arguments) noexcept {
  return reinterpret_cast<int (*)(Arguments...)>(real(function))(arguments...);
}

}  // namespace tracer::mpi
