// SPDX-License-Identifier: BSD-3-Clause
// Names of events in reports and tables.
#pragma once

#include <cstddef>

#include "tracer/event.hpp"

namespace tracer {

inline constexpr std::size_t event_types = static_cast<std::size_t>(EventType::io_operation_cancelled) + 1;

/// Stable: in reports and tables.
constexpr const char* name_of(EventType type) noexcept {
  constexpr const char* names[] = {"program_begin",
                                   "program_end",
                                   "enter",
                                   "leave",
                                   "thread_fork",
                                   "thread_join",
                                   "team_begin",
                                   "team_end",
                                   "task_create",
                                   "task_switch",
                                   "task_complete",
                                   "acquire_lock",
                                   "release_lock",
                                   "measurement_on_off",
                                   "buffer_flush",
                                   "parameter_int",
                                   "parameter_uint",
                                   "parameter_string",
                                   "rma_get",
                                   "rma_put",
                                   "rma_op_complete_blocking",
                                   "metric_uint",
                                   "mpi_send",
                                   "mpi_isend",
                                   "mpi_isend_complete",
                                   "mpi_irecv_request",
                                   "mpi_recv",
                                   "mpi_irecv",
                                   "mpi_request_test",
                                   "mpi_request_cancelled",
                                   "mpi_collective_begin",
                                   "mpi_collective_end",
                                   "mpi_collective_request",
                                   "mpi_collective_complete",
                                   "comm_create",
                                   "comm_destroy",
                                   "mpi_rma_put",
                                   "mpi_rma_get",
                                   "mpi_rma_atomic",
                                   "mpi_rma_complete_here",
                                   "mpi_rma_complete_there",
                                   "mpi_rma_test",
                                   "mpi_window_create",
                                   "mpi_window_destroy",
                                   "mpi_rma_collective_begin",
                                   "mpi_rma_collective_end",
                                   "mpi_rma_group_sync",
                                   "mpi_rma_request_lock",
                                   "mpi_rma_acquire_lock",
                                   "mpi_rma_release_lock",
                                   "mpi_rma_sync",
                                   "io_create_handle",
                                   "io_destroy_handle",
                                   "io_delete_file",
                                   "io_seek",
                                   "io_operation_begin",
                                   "io_operation_issued",
                                   "io_operation_test",
                                   "io_operation_complete",
                                   "io_operation_cancelled"};
  static_assert(sizeof names / sizeof names[0] == event_types);
  return names[static_cast<std::size_t>(type)];
}

}  // namespace tracer
