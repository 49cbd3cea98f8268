// SPDX-License-Identifier: BSD-3-Clause
// The record that a handler writes into its thread's ring: 32 bytes that describe a callback of the runtime.
//
// A callback is one record, or a record followed by a `more` record if one is too small.
// record_table.hpp names the fields b and c for each kind.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tracer/ids.hpp"
#include "tracer/time.hpp"

namespace tracer {

/// Values are part of the raw format: append only, never renumber (formats/raw/layout.hpp).
enum class RecordKind : std::uint8_t {
  invalid = 0,
  more = 1,  ///< second half of the record before it; `time` contains payload, not time
  thread_begin = 2,
  thread_end = 3,
  parallel_begin = 4,
  parallel_end = 5,
  implicit_task = 6,  ///< of a team's member
  initial_task = 7,   ///< of an initial thread, or of a league's team (`teams`)
  task_create = 8,
  task_schedule = 9,  ///< endpoint: `end` where the prior task is complete, which keeps it apart from a switch
  dependences = 10,   ///< one record per dependence, all with the same time
  task_dependence = 11,
  sync_region = 12,
  sync_region_wait = 13,
  reduction = 14,
  work = 15,
  dispatch = 16,
  masked = 17,
  mutex_acquire = 18,
  mutex_acquired = 19,
  mutex_released = 20,
  lock_init = 21,
  lock_destroy = 22,
  nest_lock = 23,
  flush = 24,
  cancel = 25,
  error = 26,
  control_tool = 27,
  target = 28,
  target_data_op = 29,  ///< followed by `more`
  target_submit = 30,
  target_map = 31,  ///< one record, followed by `more`, per mapped item
  device_initialize = 32,
  device_finalize = 33,
  device_load = 34,
  device_unload = 35,
  ring_wait = 36,  ///< the thread was the tool's: it waited for the drainer, or hashed what was copied
  lost = 37,       ///< the producer dropped b events between c and `time`
  // Annotations (NVTX, ITT, Kokkos, ROCTx).
  range_push = 38,  ///< nested on its thread
  range_pop = 39,
  range_start = 40,  ///< may end on another thread, in any order
  range_end = 41,
  range_mark = 42,
  range_counter = 43,
  // Of the wrappers of MPI.
  mpi_call = 44,  ///< begin and end of every function
  mpi_send = 45,
  mpi_recv = 46,
  mpi_request = 47,
  mpi_collective = 48,
  mpi_comm = 49,
  mpi_rma = 50,
  mpi_io = 51,
  count_  ///< not a kind
};

/// Values as ompt_scope_endpoint_t.
enum class Endpoint : std::uint8_t { none = 0, begin = 1, end = 2, begin_end = 3 };

struct Record {
  Ticks time;
  RecordKind kind;
  Endpoint endpoint;
  std::uint16_t sub;  ///< the callback's kind argument: sync kind, work type, mutex kind, ...
  std::uint32_t a;
  std::uint64_t b;
  std::uint64_t c;
};
static_assert(sizeof(Record) == 32 && alignof(Record) == 8);
static_assert(std::is_trivially_copyable_v<Record> && std::is_standard_layout_v<Record>);

/// parallel flags (ompt_parallel_flag_t, bits 0-1 and 30-31) in 16 bits and back.
constexpr std::uint16_t pack_parallel_flags(std::uint32_t flags) noexcept {
  return static_cast<std::uint16_t>((flags & 0x3fffu) | ((flags >> 16) & 0xc000u));
}
constexpr std::uint32_t unpack_parallel_flags(std::uint16_t sub) noexcept {
  return (sub & 0x3fffu) | (static_cast<std::uint32_t>(sub & 0xc000u) << 16);
}
/// task flags (ompt_task_flag_t, bits 0-4 and 25-31) in 16 bits and back: bits 25 and 26, importing and exporting of
/// OpenMP 6.0, are bits 5 and 6.
constexpr std::uint16_t pack_task_flags(std::uint32_t flags) noexcept {
  return static_cast<std::uint16_t>((flags & 0x1fu) | ((flags >> 20) & 0x60u) | ((flags >> 16) & 0xf800u));
}
constexpr std::uint32_t unpack_task_flags(std::uint16_t sub) noexcept {
  return (sub & 0x1fu) | (static_cast<std::uint32_t>(sub & 0x60u) << 20) |
         (static_cast<std::uint32_t>(sub & 0xf800u) << 16);
}
static_assert(unpack_task_flags(pack_task_flags(0xfe00'001fu)) == 0xfe00'001fu &&
              pack_task_flags(0xfe00'001fu) == 0xf87f);

}  // namespace tracer
