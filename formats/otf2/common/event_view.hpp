// SPDX-License-Identifier: BSD-3-Clause
// One event of an archive as it was read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tracer::otf2 {

/// Values as in the event files; unknown kinds keep their number.
enum class EventKind : std::uint8_t {
  none = 0,
  buffer_flush = 10,
  measurement_on_off,
  enter,
  leave,
  mpi_send,
  mpi_isend,
  mpi_isend_complete,
  mpi_irecv_request,
  mpi_recv,
  mpi_irecv,
  mpi_request_test,
  mpi_request_cancelled,
  mpi_collective_begin,
  mpi_collective_end,
  omp_fork,
  omp_join,
  omp_acquire_lock,
  omp_release_lock,
  omp_task_create,
  omp_task_switch,
  omp_task_complete,
  metric,
  parameter_string,
  parameter_int,
  parameter_unsigned_int,
  rma_win_create,
  rma_win_destroy,
  rma_collective_begin,
  rma_collective_end,
  rma_group_sync,
  rma_request_lock,
  rma_acquire_lock,
  rma_try_lock,
  rma_release_lock,
  rma_sync,
  rma_wait_change,
  rma_put,
  rma_get,
  rma_atomic,
  rma_op_complete_blocking,
  rma_op_complete_non_blocking,
  rma_op_test,
  rma_op_complete_remote,
  thread_fork,
  thread_join,
  thread_team_begin,
  thread_team_end,
  thread_acquire_lock,
  thread_release_lock,
  thread_task_create,
  thread_task_switch,
  thread_task_complete,
  thread_create,
  thread_begin,
  thread_wait,
  thread_end,
  calling_context_enter,
  calling_context_leave,
  calling_context_sample,
  io_create_handle,
  io_destroy_handle,
  io_duplicate_handle,
  io_seek,
  io_change_status_flags,
  io_delete_file,
  io_operation_begin,
  io_operation_test,
  io_operation_issued,
  io_operation_complete,
  io_operation_cancelled,
  io_acquire_lock,
  io_release_lock,
  io_try_lock,
  program_begin,
  program_end,
  non_blocking_collective_request,
  non_blocking_collective_complete,
  comm_create,
  comm_destroy,
  mpi_probe,
  mpi_mrecv,
  mpi_imrecv_request,
  mpi_imrecv,
  count_,
};
static_assert(static_cast<int>(EventKind::comm_destroy) == 88 && static_cast<int>(EventKind::mpi_imrecv) == 92);

/// Of a message that a probe matched: since OTF2 3.2 (read/matched_messages.hpp).
constexpr bool is_matched_receive(EventKind kind) noexcept {
  return kind >= EventKind::mpi_mrecv && kind <= EventKind::mpi_imrecv;
}

/// What a number refers to. The first fifteen after none are OTF2_MappingType in order.
enum class ReferenceKind : std::uint8_t {
  none,
  string,
  attribute,
  location,
  region,
  group,
  metric,
  comm,
  parameter,
  rma_window,
  source_code_location,
  calling_context,
  interrupt_generator,
  io_file,
  io_handle,
  location_group,
  system_tree_node,
  callpath,
  callsite,
  metric_member,
  paradigm,
  io_paradigm,
  cart_dimension,
  cart_topology,
  count_,
};
std::string_view name_of(ReferenceKind kind) noexcept;

/// How a field is stored: u8 one byte; u32, u64, i64 compressed; time eight bytes.
enum class Encoding : std::uint8_t { u8, u32, u64, i64, time };

struct EventField {
  std::string_view name;
  Encoding encoding = Encoding::u32;
  ReferenceKind refers_to = ReferenceKind::none;
};

struct EventRow {
  std::string_view name;   ///< as in the OTF2 documentation: "ThreadTaskCreate"; "" not known
  bool has_length = true;  ///< the oldest kinds have none
  std::uint8_t fields = 0;
  std::array<EventField, 7> field;
};

/// Names and meaning of EventView::field by kind. Kinds that are not known: an empty row.
const EventRow& row_of(EventKind kind) noexcept;

struct AttributeView {
  std::uint32_t attribute;
  std::uint8_t type;    ///< OTF2_Type
  std::uint64_t value;  ///< its bits: floating point as such, references after mapping
};

struct EventView {
  std::uint64_t location = 0;
  std::uint64_t time = 0;      ///< ticks of the clock, corrected by the location's clock offsets
  std::uint64_t position = 0;  ///< 1 for the location's first event
  EventKind kind = EventKind::none;
  std::array<std::uint64_t, 7> field{};       ///< by row_of(kind); i64 as its bits; references after mapping
  std::span<const AttributeView> attributes;  ///< valid until the reader's next()
  std::span<const std::uint64_t> values;      ///< Metric: values; ProgramBegin: argument strings
  std::span<const std::uint8_t> types;        ///< Metric: OTF2_Type of each value

  std::string_view name() const noexcept { return row_of(kind).name; }
  /// nullptr: the event has no such attribute.
  const AttributeView* attribute(std::uint32_t ref) const noexcept {
    for (const auto& a : attributes) {
      if (a.attribute == ref) return &a;
    }
    return nullptr;
  }
};

}  // namespace tracer::otf2
