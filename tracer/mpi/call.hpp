// SPDX-License-Identifier: BSD-3-Clause
// One call of a wrapped function: the records that it leaves. What they mean is in include/tracer/record_table.hpp.
#pragma once

#include "tracer/mpi/requests.hpp"
#include "tracer/mpi/state.hpp"
#include "tracer/range_language.hpp"

namespace tracer::mpi {

inline constexpr std::uint32_t begins_collective = 1;  ///< field a of the begin of mpi_call

class Call {
 public:
  Call(const tracer_front_end& table, Thread& mine, MpiFunction function, Word caller, bool has_wide_counts) noexcept
      : thread(mine),
        wide(has_wide_counts),
        front_(table),
        function_(static_cast<std::uint32_t>(function)),
        caller_(caller) {}

  void enter(std::uint32_t what = 0) const noexcept {
    emit(word(RecordKind::mpi_call, Endpoint::begin), what, 0, caller_);
  }
  void leave() const noexcept { emit(word(RecordKind::mpi_call, Endpoint::end), 0, 0, 0); }

  /// enter() of a call that tests whether something is there. Where those that find nothing are not recorded it is
  /// written with the result.
  void ask() const noexcept {
    if (records_polls) [[likely]]
      return enter();
    thread.asking_since = front_.now();
    thread.asking_caller = caller_;
  }
  /// False: it found nothing, and is not recorded.
  bool answered(bool has_found) const noexcept {
    if (thread.asking_since == 0) [[likely]]
      return true;
    const std::uint64_t since = thread.asking_since;
    thread.asking_since = 0;
    has_found ? front_.emit_at(since, word(RecordKind::mpi_call, Endpoint::begin), 0, 0, caller_)
              : count_unrecorded(Unrecorded::poll);
    return has_found;
  }

  /// `number` 0: blocking. With Endpoint::begin it is also the begin of the call, with end also its end.
  void send(Endpoint at, const Comm& comm, int peer, int tag, std::uint64_t bytes,
            std::uint64_t number) const noexcept {
    message(RecordKind::mpi_send, at, comm, peer, tag, bytes, number);
  }
  void receive(Endpoint at, const Comm& comm, int peer, int tag, std::uint64_t bytes,
               std::uint64_t number) const noexcept {
    message(RecordKind::mpi_recv, at, comm, peer, tag, bytes, number);
  }
  void request(Endpoint at, MpiRequestStep step, std::uint64_t number) const noexcept {
    emit(word(RecordKind::mpi_request, at), static_cast<std::uint32_t>(step), number,
         at == Endpoint::begin ? caller_ : 0);
  }
  void collective(Endpoint at, const Comm& comm, MpiOperation operation, std::uint32_t root, std::uint64_t sent,
                  std::uint64_t received, std::uint64_t number, std::uint64_t time = 0) const noexcept {
    const tracer_more more{.time = number, .b = static_cast<std::uint64_t>(operation), .c = 0, .a = root, .sub = 0};
    front_.emit_more(time != 0 ? time : time_, word(RecordKind::mpi_collective, at), comm.id, sent, received, &more);
  }
  void comm_made(Comm& comm) const noexcept {
    comm.is_made = true;
    emit(word(RecordKind::mpi_comm, Endpoint::begin), comm.id, 0, 0);
  }
  void comm_gone(const Comm& comm) const noexcept { emit(word(RecordKind::mpi_comm, Endpoint::end), comm.id, 0, 0); }
  Word caller() const noexcept { return caller_; }
  /// Of a one-sided operation `id`, or of a window, by RmaStep; with Endpoint::begin and end also the call's.
  void rma(Endpoint at, RmaStep step, std::uint32_t window, std::uint32_t target = 0, std::uint64_t sent = 0,
           std::uint64_t received = 0, std::uint64_t id = 0, std::uint8_t type = 0) const noexcept {
    const tracer_more more{.time = id,
                           .b = target,
                           .c = received,
                           .a = static_cast<std::uint32_t>(step) | std::uint32_t{type} << 8,
                           .sub = 0};
    front_.emit_more(time_, word(RecordKind::mpi_rma, at), window, sent, at == Endpoint::begin ? caller_ : 0, &more);
  }
  void rma_collective(std::uint32_t window, MpiOperation operation) const noexcept {
    rma(Endpoint::end, RmaStep::collective_end, window, 0, 0, 0, 0, static_cast<std::uint8_t>(operation));
  }
  struct Io {
    std::uint8_t mode = 0;  ///< by IoStep
    std::uint16_t flags = 0;
    std::uint64_t bytes = 0, id = 0, offset = 0;
  };
  /// Of an operation on a handle, or of a handle, by IoStep; with Endpoint::begin and end also the call's.
  void io(Endpoint at, IoStep step, std::uint32_t handle, const Io& what) const noexcept {
    const tracer_more more{
        .time = what.id,
        .b = 0,
        .c = what.offset,
        .a = static_cast<std::uint32_t>(step) | std::uint32_t{what.mode} << 8 | std::uint32_t{what.flags} << 16,
        .sub = 0};
    front_.emit_more(time_, word(RecordKind::mpi_io, at), handle, what.bytes, at == Endpoint::begin ? caller_ : 0,
                     &more);
  }
  /// A word of the program: `name` of the table's intern().
  void mark(std::uint32_t name, std::int64_t payload) const noexcept {
    constexpr std::uint32_t signed_payload = 2 << 4;
    emit(TRACER_WORD(RecordKind::range_mark, Endpoint::none, range_language::mpi | signed_payload), name, 0,
         static_cast<std::uint64_t>(payload));
  }
  std::uint64_t now() const noexcept { return front_.now(); }
  /// All records from here on are of this moment: looking at the clock costs as much as the rest of a record.
  void end_here() noexcept { time_ = front_.now(); }

  /// A count as an argument, and one of an array of them.
  std::uint64_t count(Word argument) const noexcept {
    const auto number = wide ? static_cast<std::int64_t>(argument) : static_cast<int>(argument);
    return number > 0 ? static_cast<std::uint64_t>(number) : 0;
  }
  std::uint64_t count_at(Word array, std::uint64_t index) const noexcept {
    const auto number =
        wide ? reinterpret_cast<const std::int64_t*>(array)[index] : reinterpret_cast<const int*>(array)[index];
    return number > 0 ? static_cast<std::uint64_t>(number) : 0;
  }
  std::uint64_t bytes(Word counted, Word datatype) const noexcept { return bytes_of(thread, count(counted), datatype); }

  Thread& thread;
  const bool wide;

 private:
  void emit(std::uint32_t first, std::uint32_t a, std::uint64_t b, std::uint64_t c) const noexcept {
    time_ == 0 ? front_.emit(first, a, b, c) : front_.emit_at(time_, first, a, b, c);
  }
  std::uint32_t word(RecordKind kind, Endpoint at) const noexcept { return TRACER_WORD(kind, at, function_); }
  void message(RecordKind kind, Endpoint at, const Comm& comm, int peer, int tag, std::uint64_t bytes,
               std::uint64_t number) const noexcept {
    const tracer_more more{
        .time = number, .b = static_cast<std::uint32_t>(tag), .c = 0, .a = static_cast<std::uint32_t>(peer), .sub = 0};
    front_.emit_more(time_, word(kind, at), comm.id, bytes, at == Endpoint::begin ? caller_ : 0, &more);
  }

  const tracer_front_end& front_;
  const std::uint32_t function_;
  const Word caller_;
  std::uint64_t time_ = 0;  ///< 0: each record's own
};

}  // namespace tracer::mpi
