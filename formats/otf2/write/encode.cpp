// SPDX-License-Identifier: BSD-3-Clause
// See encode.hpp.
#include "formats/otf2/write/encode.hpp"

#include "formats/otf2/common/event_view.hpp"
#include "tracer/definitions.hpp"
#include "tracer/value_table.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint8_t openmp = 3, measurement_on = 1, measurement_off = 2;  // OTF2_Paradigm, OTF2_MeasurementMode
static_assert(static_cast<std::uint8_t>(Paradigm::openmp) == openmp);
constexpr std::uint64_t undefined_status = std::uint64_t{1} << 63;  // OTF2_UNDEFINED_INT64

/// A record with its length, which is known when its fields are written.
class Body {
 public:
  Body(std::uint8_t* to, EventKind kind) noexcept : begin_(to + 2), at_(begin_) {
    *to = static_cast<std::uint8_t>(kind);
  }
  Body& u8(std::uint8_t value) noexcept { return at_ = put_u8(at_, value), *this; }
  Body& u32(std::uint64_t value) noexcept { return at_ = put(at_, static_cast<std::uint32_t>(value)), *this; }
  Body& u64(std::uint64_t value) noexcept { return at_ = put(at_, value), *this; }
  Body& i64(std::uint64_t value) noexcept { return at_ = put_signed(at_, static_cast<std::int64_t>(value)), *this; }
  Body& full(std::uint64_t value) noexcept { return at_ = put_full(at_, value), *this; }
  std::uint8_t* end() noexcept {
    begin_[-1] = static_cast<std::uint8_t>(at_ - begin_);
    return at_;
  }

 private:
  std::uint8_t* begin_;
  std::uint8_t* at_;
};

Body message(std::uint8_t* to, EventKind kind, const Event& e) noexcept {
  return Body(to, kind).u32(e.b).u32(e.ref).u32(e.b >> 32).u64(e.a);
}

Body collective(std::uint8_t* to, EventKind kind, const Event& e, const EventAttribute& payload) noexcept {
  return Body(to, kind).u8(static_cast<std::uint8_t>(e.sub)).u32(e.ref).u32(payload.number()).u64(e.a).u64(e.b);
}

/// The paradigm of a fork, a join or a lock.
std::uint8_t model_in_record(const Event& e) noexcept {
  return e.sub == 0 ? openmp : static_cast<std::uint8_t>(e.sub);
}

/// These have no length.
std::uint8_t* put_request(std::uint8_t* to, EventKind kind, std::uint64_t request) noexcept {
  return put(put_u8(to, static_cast<std::uint8_t>(kind)), request);
}

}  // namespace

std::uint8_t* put_value(std::uint8_t* to, ValueType type, std::uint64_t value) noexcept {
  switch (type) {
    case ValueType::uint8:
    case ValueType::int8:
      return put_bytes(to, value, 1);
    case ValueType::uint16:
    case ValueType::int16:
      return put_bytes(to, value, 2);
    case ValueType::float32:
      return put_bytes(to, value, 4);
    case ValueType::float64:
      return put_full(to, value);
    case ValueType::uint64:
    case ValueType::location:
      return put(to, value);
    case ValueType::int32:
      return put_signed(to, static_cast<std::int32_t>(value));
    case ValueType::int64:
      return put_signed(to, static_cast<std::int64_t>(value));
    default:  // 32 bits, and references
      return put(to, static_cast<std::uint32_t>(value));
  }
}

std::size_t most_bytes(EventType type) noexcept {
  constexpr std::size_t u32 = 5, u64 = 9, head = 2;
  using enum EventType;
  static constexpr ValueTable<EventType, std::size_t, static_cast<std::size_t>(io_operation_cancelled) + 1> bytes{
      0,
      {{enter, 1 + u32},
       {leave, 1 + u32},
       {thread_fork, head + 1 + u32},
       {measurement_on_off, head + 1},
       {thread_join, head + 1},
       {team_begin, head + u32},
       {team_end, head + u32},
       {task_create, head + 3 * u32},
       {task_switch, head + 3 * u32},
       {task_complete, head + 3 * u32},
       {acquire_lock, head + 1 + 2 * u32},
       {release_lock, head + 1 + 2 * u32},
       {buffer_flush, head + 8},
       {parameter_int, head + u32 + u64},
       {parameter_uint, head + u32 + u64},
       {parameter_string, head + 2 * u32},
       {rma_get, head + 2 * u32 + 2 * u64},
       {rma_put, head + 2 * u32 + 2 * u64},
       {rma_op_complete_blocking, head + u32 + u64},
       {metric_uint, head + u32 + 2 + u64},
       {program_begin, head + 2 * u32},
       {program_end, head + u64},
       {mpi_send, head + 3 * u32 + u64},
       {mpi_recv, head + 3 * u32 + u64},
       {mpi_isend, head + 3 * u32 + 2 * u64},
       {mpi_irecv, head + 3 * u32 + 2 * u64},
       {mpi_isend_complete, 1 + u64},
       {mpi_irecv_request, 1 + u64},
       {mpi_request_test, 1 + u64},
       {mpi_request_cancelled, 1 + u64},
       {mpi_collective_begin, head},
       {mpi_collective_end, head + 1 + 2 * u32 + 2 * u64},
       {mpi_collective_request, head + u64},
       {mpi_collective_complete, head + 1 + 2 * u32 + 3 * u64},
       {comm_create, head + u32},
       {comm_destroy, head + u32},
       {mpi_window_create, head + u32},
       {mpi_window_destroy, head + u32},
       {mpi_rma_put, head + 2 * u32 + 2 * u64},
       {mpi_rma_get, head + 2 * u32 + 2 * u64},
       {mpi_rma_atomic, head + 1 + 2 * u32 + 3 * u64},
       {mpi_rma_complete_here, head + u32 + u64},
       {mpi_rma_complete_there, head + u32 + u64},
       {mpi_rma_test, head + u32 + u64},
       {mpi_rma_collective_begin, head},
       {mpi_rma_collective_end, head + 1 + 3 * u32 + 2 * u64},
       {mpi_rma_group_sync, head + 3 * u32},
       {mpi_rma_request_lock, head + 1 + 2 * u32 + u64},
       {mpi_rma_acquire_lock, head + 1 + 2 * u32 + u64},
       {mpi_rma_release_lock, head + 1 + 2 * u32 + u64},
       {mpi_rma_sync, head + 1 + 2 * u32 + u64},
       {io_create_handle, head + 1 + 3 * u32},
       {io_destroy_handle, head + u32},
       {io_delete_file, head + 1 + u32},
       {io_seek, head + 1 + u32 + 2 * u64},
       {io_operation_begin, head + 1 + 2 * u32 + 2 * u64},
       {io_operation_complete, head + u32 + 2 * u64},
       {io_operation_issued, head + u32 + u64},
       {io_operation_test, head + u32 + u64},
       {io_operation_cancelled, head + u32 + u64}}};
  static_assert(bytes.is_complete());
  return bytes[type];
}

namespace {

/// One-sided communication of MPI.
std::uint8_t* put_rma(std::uint8_t* to, const Event& e, const EventAttribute& payload) noexcept {
  using enum EventKind;
  switch (e.type) {
    case EventType::mpi_rma_atomic:
      return Body(to, rma_atomic)
          .u32(e.sub)
          .u32(e.ref)
          .u8(static_cast<std::uint8_t>(payload.number()))
          .u64(e.a)
          .u64(payload.value)
          .u64(e.b)
          .end();
    case EventType::mpi_rma_complete_here:
      return Body(to, e.a != 0 ? EventKind::rma_op_complete_blocking : rma_op_complete_non_blocking)
          .u32(e.sub)
          .u64(e.b)
          .end();
    case EventType::mpi_rma_complete_there:
      return Body(to, rma_op_complete_remote).u32(e.sub).u64(e.b).end();
    case EventType::mpi_rma_test:
      return Body(to, rma_op_test).u32(e.sub).u64(e.b).end();
    case EventType::mpi_window_create:
      return Body(to, rma_win_create).u32(e.sub).end();
    case EventType::mpi_window_destroy:
      return Body(to, rma_win_destroy).u32(e.sub).end();
    case EventType::mpi_rma_collective_begin:
      return Body(to, rma_collective_begin).end();
    case EventType::mpi_rma_collective_end:
      return Body(to, rma_collective_end)
          .u8(static_cast<std::uint8_t>(e.ref))
          .u32(payload.value)
          .u32(e.sub)
          .u32(payload.number())
          .u64(e.a)
          .u64(e.b)
          .end();
    case EventType::mpi_rma_group_sync:
      return Body(to, rma_group_sync).u32(e.a).u32(e.sub).u32(e.ref).end();
    case EventType::mpi_rma_request_lock:
      return Body(to, rma_request_lock).u32(e.sub).u32(e.ref).u64(e.b).u8(static_cast<std::uint8_t>(e.a)).end();
    case EventType::mpi_rma_acquire_lock:
      return Body(to, rma_acquire_lock).u32(e.sub).u32(e.ref).u64(e.b).u8(static_cast<std::uint8_t>(e.a)).end();
    case EventType::mpi_rma_release_lock:
      return Body(to, rma_release_lock).u32(e.sub).u32(e.ref).u64(e.b).end();
    case EventType::mpi_rma_sync:
      return Body(to, rma_sync).u32(e.sub).u32(e.ref).u8(static_cast<std::uint8_t>(e.a)).end();
    default:
      return to;
  }
}

/// Input and output by MPI.
std::uint8_t* put_io(std::uint8_t* to, const Event& e) noexcept {
  switch (e.type) {
    case EventType::io_create_handle:
      return Body(to, EventKind::io_create_handle)
          .u32(e.ref)
          .u8(static_cast<std::uint8_t>(e.sub))
          .u32(e.a)
          .u32(e.a >> 32)
          .end();
    case EventType::io_destroy_handle:
      return Body(to, EventKind::io_destroy_handle).u32(e.ref).end();
    case EventType::io_delete_file:
      return Body(to, EventKind::io_delete_file).u8(static_cast<std::uint8_t>(e.sub)).u32(e.ref).end();
    case EventType::io_seek:
      return Body(to, EventKind::io_seek).u32(e.ref).i64(e.a).u8(static_cast<std::uint8_t>(e.sub)).u64(e.b).end();
    case EventType::io_operation_begin:
      return Body(to, EventKind::io_operation_begin)
          .u32(e.ref)
          .u8(static_cast<std::uint8_t>(e.sub))
          .u32(e.sub >> 8)
          .u64(e.a)
          .u64(e.b)
          .end();
    case EventType::io_operation_issued:
      return Body(to, EventKind::io_operation_issued).u32(e.ref).u64(e.b).end();
    case EventType::io_operation_test:
      return Body(to, EventKind::io_operation_test).u32(e.ref).u64(e.b).end();
    case EventType::io_operation_complete:
      return Body(to, EventKind::io_operation_complete).u32(e.ref).u64(e.a).u64(e.b).end();
    case EventType::io_operation_cancelled:
      return Body(to, EventKind::io_operation_cancelled).u32(e.ref).u64(e.b).end();
    default:
      return to;
  }
}

}  // namespace

std::uint8_t* put_event(std::uint8_t* to, const Event& e, std::uint32_t metric_ref,
                        const EventAttribute& payload) noexcept {
  using enum EventKind;
  switch (e.type) {
    case EventType::enter:
    case EventType::leave:
      return put_region(to, e.type, e.ref);
    case EventType::task_create:
      return Body(to, thread_task_create).u32(e.ref).u32(e.a).u32(e.b).end();
    case EventType::task_switch:
      return Body(to, thread_task_switch).u32(e.ref).u32(e.a).u32(e.b).end();
    case EventType::task_complete:
      return Body(to, thread_task_complete).u32(e.ref).u32(e.a).u32(e.b).end();
    case EventType::acquire_lock:
      return Body(to, thread_acquire_lock).u8(model_in_record(e)).u32(e.a).u32(e.b).end();
    case EventType::release_lock:
      return Body(to, thread_release_lock).u8(model_in_record(e)).u32(e.a).u32(e.b).end();
    case EventType::thread_fork:
      return Body(to, EventKind::thread_fork).u8(model_in_record(e)).u32(e.a).end();
    case EventType::thread_join:
      return Body(to, EventKind::thread_join).u8(model_in_record(e)).end();
    case EventType::team_begin:
      return Body(to, thread_team_begin).u32(e.ref).end();
    case EventType::team_end:
      return Body(to, thread_team_end).u32(e.ref).end();
    case EventType::parameter_int:
      return Body(to, EventKind::parameter_int).u32(e.ref).i64(e.a).end();
    case EventType::parameter_uint:
      return Body(to, parameter_unsigned_int).u32(e.ref).u64(e.a).end();
    case EventType::parameter_string:
      return Body(to, EventKind::parameter_string).u32(e.ref).u32(e.a).end();
    case EventType::rma_get:
    case EventType::mpi_rma_get:
      return Body(to, EventKind::rma_get).u32(e.sub).u32(e.ref).u64(e.a).u64(e.b).end();
    case EventType::rma_put:
    case EventType::mpi_rma_put:
      return Body(to, EventKind::rma_put).u32(e.sub).u32(e.ref).u64(e.a).u64(e.b).end();
    case EventType::rma_op_complete_blocking:
      return Body(to, e.a != 0 ? rma_op_complete_non_blocking : EventKind::rma_op_complete_blocking)
          .u32(e.sub)
          .u64(e.b)
          .end();
    case EventType::metric_uint:  // the library writes all types of values as it writes unsigned numbers
      return Body(to, EventKind::metric)
          .u32(metric_ref)
          .u8(1)
          .u8(static_cast<std::uint8_t>(value_type(e)))
          .u64(e.a)
          .end();
    case EventType::buffer_flush:
      return Body(to, EventKind::buffer_flush).full(e.a).end();
    case EventType::measurement_on_off:
      return Body(to, EventKind::measurement_on_off).u8(e.a != 0 ? measurement_on : measurement_off).end();
    case EventType::program_begin:
      return Body(to, EventKind::program_begin).u32(e.a).u32(0).end();
    case EventType::program_end:
      return Body(to, EventKind::program_end).i64(e.b == 1 ? e.a : undefined_status).end();
    case EventType::mpi_send:
      return message(to, EventKind::mpi_send, e).end();
    case EventType::mpi_isend:
      return message(to, EventKind::mpi_isend, e).u64(payload.value).end();
    case EventType::mpi_recv:
      return message(to, EventKind::mpi_recv, e).end();
    case EventType::mpi_irecv:
      return message(to, EventKind::mpi_irecv, e).u64(payload.value).end();
    case EventType::mpi_isend_complete:
      return put_request(to, EventKind::mpi_isend_complete, e.a);
    case EventType::mpi_irecv_request:
      return put_request(to, EventKind::mpi_irecv_request, e.a);
    case EventType::mpi_request_test:
      return put_request(to, EventKind::mpi_request_test, e.a);
    case EventType::mpi_request_cancelled:
      return put_request(to, EventKind::mpi_request_cancelled, e.a);
    case EventType::mpi_collective_begin:
      return Body(to, EventKind::mpi_collective_begin).end();
    case EventType::mpi_collective_end:
      return collective(to, EventKind::mpi_collective_end, e, payload).end();
    case EventType::mpi_collective_request:
      return Body(to, non_blocking_collective_request).u64(e.a).end();
    case EventType::mpi_collective_complete:
      return collective(to, non_blocking_collective_complete, e, payload).u64(payload.value).end();
    case EventType::comm_create:
      return Body(to, EventKind::comm_create).u32(e.ref).end();
    case EventType::comm_destroy:
      return Body(to, EventKind::comm_destroy).u32(e.ref).end();
    default:
      return e.type < EventType::io_create_handle ? put_rma(to, e, payload) : put_io(to, e);
  }
}

std::uint8_t* put_list(std::uint8_t* to, std::span<const EventAttribute> attributes, std::span<const ValueType> types,
                       std::span<const std::uint32_t> metric_refs) noexcept {
  constexpr std::uint8_t attribute_list = 6;
  const bool is_long = most_list_bytes(attributes.size()) > 2 + 254;
  to = put_u8(to, attribute_list);
  to = put_u8(to, 0xff);
  std::uint8_t* const begin = to + (is_long ? 8 : 0);
  std::uint8_t* at = put(begin, static_cast<std::uint32_t>(attributes.size()));
  for (const auto& [attribute, value] : attributes) {
    const ValueType type = attribute < types.size() ? types[attribute] : ValueType::uint64;
    at = put(at, attribute);
    at = put_u8(at, static_cast<std::uint8_t>(type));
    const bool is_metric = type == ValueType::metric && value < metric_refs.size();
    at = put_value(at, type, is_metric ? metric_refs[static_cast<std::size_t>(value)] : value);
  }
  const auto length = static_cast<std::uint64_t>(at - begin);
  if (is_long) {
    put_full(to, length);
  } else {
    to[-1] = static_cast<std::uint8_t>(length);
  }
  return at;
}

}  // namespace tracer::otf2
