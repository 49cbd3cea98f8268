// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI by number: names and roles, for the wrappers and for readers of their records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tracer/definitions.hpp"

namespace tracer {

/// Values are part of the raw format (mpi_functions.def).
enum class MpiFunction : std::uint16_t {
#define TRACER_MPI(name, lower, upper, arguments, fortran, role, hook) name,
#define TRACER_MPI_DOUBLE TRACER_MPI
#include "tracer/mpi_functions.def"
#undef TRACER_MPI
#undef TRACER_MPI_DOUBLE
  count_
};

inline constexpr std::size_t mpi_functions = static_cast<std::size_t>(MpiFunction::count_);

struct MpiFunctionRow {
  const char* name;  ///< "MPI_Send"
  RegionRole role;
};

inline constexpr std::array<MpiFunctionRow, mpi_functions> mpi_function_table{{
#define TRACER_MPI(name, lower, upper, arguments, fortran, role, hook) {"MPI_" #name, RegionRole::role},
#define TRACER_MPI_DOUBLE TRACER_MPI
#include "tracer/mpi_functions.def"
#undef TRACER_MPI
#undef TRACER_MPI_DOUBLE
}};

/// The step of a request in a record of kind mpi_request; part of the raw format.
enum class MpiRequestStep : std::uint8_t {
  sent = 0,
  receive_begins = 1,
  tested = 2,
  cancelled = 3,
  collective_begins = 4
};

/// Values as OTF2_CollectiveOp; part of the raw format.
enum class MpiOperation : std::uint8_t {
  barrier = 0,
  bcast = 1,
  gather = 2,
  gatherv = 3,
  scatter = 4,
  scatterv = 5,
  allgather = 6,
  allgatherv = 7,
  alltoall = 8,
  alltoallv = 9,
  alltoallw = 10,
  allreduce = 11,
  reduce = 12,
  reduce_scatter = 13,
  scan = 14,
  exscan = 15,
  reduce_scatter_block = 16,
  create_handle = 17,
  destroy_handle = 18,
  allocate = 19,
  deallocate = 20,
  create_handle_and_allocate = 21,
  destroy_handle_and_deallocate = 22,
};

/// The step of a window in a record of kind mpi_rma; part of the raw format.
enum class RmaStep : std::uint8_t {
  put = 0,
  get = 1,
  atomic = 2,          ///< type: RmaAtomic
  complete_here = 3,   ///< an operation is complete at the origin
  complete_there = 4,  ///< at both
  tested = 5,
  window_made = 6,
  window_gone = 7,
  collective_begin = 8,
  collective_end = 9,       ///< type: MpiOperation
  group_synchronised = 10,  ///< target: the number of the group; type: rma_level, 0 processes
  lock_requested = 11,      ///< type: OTF2_LockType; target: as for all locks 0xffffffff for all ranks
  lock_acquired = 12,
  lock_released = 13,
  memory_synchronised = 14,
};

/// What a synchronisation of a window does. Values as OTF2_RmaSyncLevel; part of the raw format.
namespace rma_level {
inline constexpr std::uint8_t processes = 1 << 0, memory = 1 << 1, both = processes | memory;
}

/// Values as OTF2_RmaAtomicType; part of the raw format.
enum class RmaAtomic : std::uint8_t { accumulate = 0, compare_and_swap = 3, fetch_and_accumulate = 7 };

/// The step of a handle in a record of kind mpi_io; part of the raw format.
enum class IoStep : std::uint8_t {
  handle_made = 0,  ///< mode: IoAccess; flags: io_status; bytes: io_creation
  handle_gone = 1,
  file_deleted = 2,     ///< of a file, not of a handle
  seek = 3,             ///< mode: IoSeek; bytes: the requested offset; more: the resulting position
  operation_begin = 4,  ///< mode: IoMode; flags: io_operation
  operation_issued = 5,
  operation_tested = 6,
  operation_complete = 7,
  operation_cancelled = 8,
};

/// Values as OTF2's; part of the raw format.
enum class IoMode : std::uint8_t { read = 0, write = 1, flush = 2 };
enum class IoAccess : std::uint8_t { read_only = 0, write_only = 1, read_write = 2 };
enum class IoSeek : std::uint8_t { from_start = 0, from_current = 1, from_end = 2 };
namespace io_creation {
inline constexpr std::uint16_t create = 1 << 0, exclusive = 1 << 3, no_seek = 1 << 9, unique = 1 << 10;
}
namespace io_status {
inline constexpr std::uint16_t append = 1 << 1, delete_on_close = 1 << 8;
}
namespace io_operation {
inline constexpr std::uint16_t non_blocking = 1 << 0, collective = 1 << 1;
}

/// In the field `root` of a collective's record; as OTF2_CollectiveRoot.
inline constexpr std::uint32_t mpi_root_none = 0xffffffffu, mpi_root_self = 0xfffffffeu,
                               mpi_root_this_group = 0xfffffffdu;

}  // namespace tracer
