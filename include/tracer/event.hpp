// SPDX-License-Identifier: BSD-3-Clause
// An event of a location, as the translator passes it to a sink. Named after OTF2's events.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tracer/time.hpp"

namespace tracer {

enum class EventType : std::uint8_t {
  program_begin,             ///< a = string ref of the program's name
  program_end,               ///< a = exit status, when b is 1
  enter,                     ///< ref = region
  leave,                     ///< ref = region
  thread_fork,               ///< a = requested number of threads, sub = paradigm, 0 OpenMP
  thread_join,               ///< sub as thread_fork
  team_begin,                ///< ref = comm
  team_end,                  ///< ref = comm
  task_create,               ///< ref = comm, sub = -, a = creator's rank, b = generation
  task_switch,               ///< as task_create; generation 0 is the implicit task of rank a
  task_complete,             ///< as task_create
  acquire_lock,              ///< a = lock, b = acquisition order (both 32 bit), sub = paradigm, 0 OpenMP
  release_lock,              ///< as acquire_lock
  measurement_on_off,        ///< a = 1 on, 0 off
  buffer_flush,              ///< a = Nanoseconds at which the flush (a wait of the producer) ended
  parameter_int,             ///< ref = parameter, a = value as int64
  parameter_uint,            ///< ref = parameter, a = value
  parameter_string,          ///< ref = parameter, a = string ref
  rma_get,                   ///< sub = window, ref = remote rank, a = bytes, b = matching id
  rma_put,                   ///< as rma_get
  rma_op_complete_blocking,  ///< sub = window, b = matching id, a = 1: of a non-blocking operation
  metric_uint,               ///< ref = metric class or instance of one member, a = value, sub = its ValueType, 0 uint64
  // MPI. `payload` is the event's first entry in the list of attributes (EventAttribute::payload).
  mpi_send,                 ///< ref = comm, a = bytes, b = receiver | tag << 32
  mpi_isend,                ///< as mpi_send, payload value = request
  mpi_isend_complete,       ///< a = request
  mpi_irecv_request,        ///< a = request
  mpi_recv,                 ///< ref = comm, a = bytes, b = sender | tag << 32
  mpi_irecv,                ///< as mpi_recv, payload value = request
  mpi_request_test,         ///< a = request
  mpi_request_cancelled,    ///< a = request
  mpi_collective_begin,     ///<
  mpi_collective_end,       ///< ref = comm, sub = operation, a = bytes sent, b = received, payload number = root
  mpi_collective_request,   ///< a = request: a non-blocking operation begins
  mpi_collective_complete,  ///< as mpi_collective_end, payload value = request
  comm_create,              ///< ref = comm
  comm_destroy,             ///< ref = comm
  // One-sided, of MPI. sub = window in all but mpi_rma_collective_begin. Level: rma_level (mpi_functions.hpp).
  mpi_rma_put,               ///< ref = remote rank, a = bytes, b = matching id
  mpi_rma_get,               ///< as mpi_rma_put
  mpi_rma_atomic,            ///< as mpi_rma_put, a = bytes sent, payload number = type, value = bytes received
  mpi_rma_complete_here,     ///< b = matching id: locally complete; a = 1: of a blocking operation
  mpi_rma_complete_there,    ///< b = matching id: complete at the remote rank
  mpi_rma_test,              ///< b = matching id
  mpi_window_create,         ///<
  mpi_window_destroy,        ///<
  mpi_rma_collective_begin,  ///<
  mpi_rma_collective_end,    ///< ref = operation, a = bytes sent, b = received, payload number = root, value = level
  mpi_rma_group_sync,        ///< ref = group, a = level
  mpi_rma_request_lock,      ///< ref = remote rank or all ones, a = type of the lock, b = its id
  mpi_rma_acquire_lock,      ///< as mpi_rma_request_lock
  mpi_rma_release_lock,      ///< ref = remote rank or all ones, b = the lock's id
  mpi_rma_sync,              ///< ref = rank, a = OTF2_RmaSyncType
  // Input and output. ref = I/O handle in all but io_delete_file.
  io_create_handle,        ///< sub = access, a = creation flags | status flags << 32
  io_destroy_handle,       ///<
  io_delete_file,          ///< ref = I/O file, sub = I/O paradigm
  io_seek,                 ///< sub = from where, a = offset requested as int64, b = offset from the file's begin
  io_operation_begin,      ///< sub = mode | flags << 8, a = bytes requested, b = matching id
  io_operation_issued,     ///< b = matching id
  io_operation_test,       ///< b = matching id
  io_operation_complete,   ///< a = bytes, b = matching id
  io_operation_cancelled,  ///< b = matching id
};

struct Event {
  Nanoseconds time;
  EventType type;
  std::uint8_t attributes;  ///< number of the batch's attributes, in order, that belong to it
  std::uint16_t sub;
  std::uint32_t ref;
  std::uint64_t a;
  std::uint64_t b;
};
static_assert(sizeof(Event) == 32 && std::is_trivially_copyable_v<Event>);

/// Of a lock: each paradigm numbers its own.
constexpr std::uint64_t lock_number(const Event& of_lock) noexcept {
  return of_lock.a | std::uint64_t{of_lock.sub} << 32;
}

/// Values equal OTF2_Type's. In 64 bits signed numbers keep their sign, and reals are stored by their bits. What comes
/// after float64 is a reference: an index into Definitions.
enum class ValueType : std::uint8_t {
  none = 0,
  uint8,
  uint16,
  uint32,
  uint64,
  int8,
  int16,
  int32,
  int64,
  float32,
  float64,
  string,
  attribute,
  location,
  region,
  group,
  metric,
  comm,
  parameter,
  rma_window,
  source_code_location,  ///< this and the next two have no definitions here
  calling_context,
  interrupt_generator,
  io_file,
  io_handle,
  location_group,
};
static_assert(static_cast<int>(ValueType::float64) == 10 && static_cast<int>(ValueType::location_group) == 25);

/// Of a metric's value.
constexpr ValueType value_type(const Event& metric) noexcept {
  return metric.sub == 0 ? ValueType::uint64 : static_cast<ValueType>(metric.sub);
}

struct EventAttribute {
  std::uint32_t attribute;  ///< index into Definitions::attributes
  std::uint64_t value;      ///< of the attribute's declared type; for strings the string ref

  /// Not an attribute but a field of the event for which Event has no space; precedes the event's attributes.
  static constexpr std::uint32_t payload_bit = 0x80000000u;
  static constexpr EventAttribute payload(std::uint32_t number, std::uint64_t value) noexcept {
    return {number | payload_bit, value};
  }
  constexpr bool is_payload() const noexcept { return (attribute & payload_bit) != 0; }
  /// Below 2^31, or one of the few values at the end of the range, such as undefined.
  constexpr std::uint32_t number() const noexcept {
    const std::uint32_t low = attribute & ~payload_bit;
    return low >= 0x7ffffff0u ? low | payload_bit : low;
  }
};

constexpr bool has_payload(EventType type) noexcept {
  return type == EventType::mpi_isend || type == EventType::mpi_irecv || type == EventType::mpi_collective_end ||
         type == EventType::mpi_collective_complete || type == EventType::mpi_rma_atomic ||
         type == EventType::mpi_rma_collective_end;
}

}  // namespace tracer
