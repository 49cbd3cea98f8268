// SPDX-License-Identifier: BSD-3-Clause
// Hooks of point to point: what sends, receives and finds messages.
#pragma once

#include "tracer/mpi/hook.hpp"

namespace tracer::mpi {

struct send {
  template <class Next>
  [[gnu::always_inline]] static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word to,
                                         Word tag, Word on) noexcept {
    const Comm& comm = comm_of(call.thread, on);
    const int peer = static_cast<int>(to);
    const bool is_begun = is_sent(comm, peer);
    if (is_begun) [[likely]] {
      call.send(Endpoint::begin, comm, peer, static_cast<int>(tag), call.bytes(count, type), 0);
    } else {
      call.enter();
    }
    const Word result = next(buffer, count, type, to, tag, on);
    if (is_begun && failed(result)) [[unlikely]]
      count_unrecorded(Unrecorded::failed_send);
    call.leave();
    return result;
  }
};

struct recv {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word from, Word tag, Word on,
                  Word given) noexcept {
    const Comm& comm = comm_of(call.thread, on);
    const Status status(given);
    call.enter();
    const Word result = next(buffer, count, type, from, tag, on, status.get());
    end(call, comm, from, status.get(), result);
    return result;
  }
  static void end(const Call& call, const Comm& comm, Word from, Word s, Word result) noexcept {
    if (!is_recorded(comm, static_cast<int>(from))) return call.leave();
    if (!failed(result)) [[likely]]
      return call.receive(Endpoint::end, comm, family.source(s), family.tag(s), family.bytes(s), 0);
    count_unrecorded(Unrecorded::failed_receive);
    call.leave();
  }
};

struct isend {
  template <class Next>
  [[gnu::always_inline]] static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word to,
                                         Word tag, Word on, Word request) noexcept {
    Comm& comm = comm_of(call.thread, on);
    const int peer = static_cast<int>(to);
    std::uint64_t number = 0;
    if (is_sent(comm, peer)) [[likely]] {
      number = next_number();
      call.send(Endpoint::begin, comm, peer, static_cast<int>(tag), call.bytes(count, type), number);
    } else {
      call.enter();
    }
    const Word result = next(buffer, count, type, to, tag, on, request);
    keep_request(call, request, result, number != 0 ? PendingKind::send : PendingKind::nothing, number, comm);
    return result;
  }
};

struct irecv {
  template <class Next>
  [[gnu::always_inline]] static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word from,
                                         Word tag, Word on, Word request) noexcept {
    Comm& comm = comm_of(call.thread, on);
    std::uint64_t number = 0;
    if (is_recorded(comm, static_cast<int>(from))) [[likely]] {
      number = next_number();
      call.request(Endpoint::begin, MpiRequestStep::receive_begins, number);
    } else {
      call.enter();
    }
    const Word result = next(buffer, count, type, from, tag, on, request);
    keep_request(call, request, result, number != 0 ? PendingKind::receive : PendingKind::nothing, number, comm);
    return result;
  }
};

struct send_init {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word to, Word tag, Word on,
                  Word request) noexcept {
    Begun p{call.thread};
    p->comm = &comm_of(call.thread, on);
    p->peer = static_cast<int>(to);
    p->kind = is_sent(*p->comm, p->peer) ? PendingKind::send : PendingKind::nothing;
    p->tag = static_cast<int>(tag);
    p->sent = call.bytes(count, type);
    p->is_persistent = true;
    p->is_active = false;
    call.enter();
    const Word result = next(buffer, count, type, to, tag, on, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
};

struct recv_init {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word from, Word tag, Word on,
                  Word request) noexcept {
    Begun p{call.thread};
    p->comm = &comm_of(call.thread, on);
    p->kind = is_recorded(*p->comm, static_cast<int>(from)) ? PendingKind::receive : PendingKind::nothing;
    p->is_persistent = true;
    p->is_active = false;
    call.enter();
    const Word result = next(buffer, count, type, from, tag, on, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
};

/// Partitioned: one message, whatever parts it goes in. The count is of one part and always wide.
template <PendingKind kind>
struct partitioned_init {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word parts, Word count, Word type, Word peer, Word tag,
                  Word on, Word info, Word request) noexcept {
    Begun p{call.thread};
    p->comm = &comm_of(call.thread, on);
    p->peer = static_cast<int>(peer);
    p->kind = is_recorded(*p->comm, p->peer) ? kind : PendingKind::nothing;
    p->tag = static_cast<int>(tag);
    p->sent = p->received = bytes_of(
        call.thread, static_cast<std::uint64_t>(static_cast<int>(parts)) * static_cast<std::uint64_t>(count), type);
    p->is_persistent = p->is_partitioned = true;
    p->is_active = false;
    call.enter();
    const Word result = next(buffer, parts, count, type, peer, tag, on, info, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
};
using psend_init = partitioned_init<PendingKind::send>;
using precv_init = partitioned_init<PendingKind::receive>;

struct sendrecv {
  template <class Next>
  static Word run(const Call& call, Next next, Word out, Word sent, Word sent_type, Word to, Word send_tag, Word in,
                  Word count, Word type, Word from, Word tag, Word on, Word given) noexcept {
    const Comm& comm = comm_of(call.thread, on);
    const Status status(given);
    const bool is_begun = begin(call, comm, to, send_tag, sent, sent_type);
    const Word result = next(out, sent, sent_type, to, send_tag, in, count, type, from, tag, on, status.get());
    end(call, comm, is_begun, from, status.get(), result);
    return result;
  }
  /// Whether what is sent is recorded.
  static bool begin(const Call& call, const Comm& comm, Word to, Word tag, Word sent, Word type) noexcept {
    const int peer = static_cast<int>(to);
    const bool is_begun = is_sent(comm, peer);
    is_begun ? call.send(Endpoint::begin, comm, peer, static_cast<int>(tag), call.bytes(sent, type), 0) : call.enter();
    return is_begun;
  }
  static void end(const Call& call, const Comm& comm, bool is_begun, Word from, Word s, Word result) noexcept {
    if (is_begun && failed(result)) [[unlikely]]
      count_unrecorded(Unrecorded::failed_send);
    recv::end(call, comm, from, s, result);
  }
};

struct sendrecv_replace {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word to, Word send_tag, Word from,
                  Word tag, Word on, Word given) noexcept {
    const Comm& comm = comm_of(call.thread, on);
    const Status status(given);
    const bool is_begun = sendrecv::begin(call, comm, to, send_tag, count, type);
    const Word result = next(buffer, count, type, to, send_tag, from, tag, on, status.get());
    sendrecv::end(call, comm, is_begun, from, status.get(), result);
    return result;
  }
};

/// One request for two messages.
struct isendrecv {
  template <class Next>
  static Word run(const Call& call, Next next, Word out, Word sent, Word sent_type, Word to, Word send_tag, Word in,
                  Word count, Word type, Word from, Word tag, Word on, Word request) noexcept {
    call.enter();
    Begun p{call.thread};
    begin(call, *p, comm_of(call.thread, on), to, send_tag, sent, sent_type, from, tag, call.bytes(count, type));
    const Word result = next(out, sent, sent_type, to, send_tag, in, count, type, from, tag, on, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
  static void begin(const Call& call, Pending& p, Comm& comm, Word to, Word tag, Word sent, Word type, Word from,
                    Word receive_tag, std::uint64_t posted) noexcept {
    p.comm = &comm;
    p.peer = static_cast<int>(to);
    p.tag = static_cast<int>(tag);
    p.sent = call.bytes(sent, type);
    p.number = next_number(2);
    const bool sends = is_sent(comm, p.peer), receives = is_recorded(comm, static_cast<int>(from));
    if (sends) call.send(Endpoint::none, comm, p.peer, p.tag, p.sent, p.number);
    p.kind = sends && receives ? PendingKind::exchange
             : sends           ? PendingKind::send
             : receives        ? PendingKind::receive
                               : PendingKind::nothing;
    p.peer = static_cast<int>(from);  // from here on of the receive
    p.tag = static_cast<int>(receive_tag);
    p.received = posted;
    if (receives) call.request(Endpoint::none, MpiRequestStep::receive_begins, sends ? p.number + 1 : p.number);
  }
};

struct isendrecv_replace {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word to, Word send_tag, Word from,
                  Word tag, Word on, Word request) noexcept {
    call.enter();
    Begun p{call.thread};
    isendrecv::begin(call, *p, comm_of(call.thread, on), to, send_tag, count, type, from, tag, call.bytes(count, type));
    const Word result = next(buffer, count, type, to, send_tag, from, tag, on, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
};

/// A message that was found waits under its handle, as a request does, for who receives it. None is found of
/// MPI_PROC_NULL.
inline void keep_found(const Call& call, Word from, Word on, Word message) noexcept {
  if (static_cast<int>(from) == family.proc_null) return;
  const Word handle = family.load(message);
  if (handle == family.message_null) return;
  Begun p{call.thread};
  p->comm = &comm_of(call.thread, on);
  p.keep(~handle);
}

struct mprobe {
  template <class Next>
  static Word run(const Call& call, Next next, Word from, Word tag, Word on, Word message, Word status) noexcept {
    call.enter();
    const Word result = next(from, tag, on, message, status);
    if (!failed(result)) keep_found(call, from, on, message);
    call.leave();
    return result;
  }
};

struct improbe {
  template <class Next>
  static Word run(const Call& call, Next next, Word from, Word tag, Word on, Word flag, Word message,
                  Word status) noexcept {
    call.ask();
    const Word result = next(from, tag, on, flag, message, status);
    if (!call.answered(has_found(result, flag))) return result;
    if (!failed(result) && *reinterpret_cast<const int*>(flag) != 0) keep_found(call, from, on, message);
    call.leave();
    return result;
  }
};

/// The communicator of a found message; nullptr: nobody's.
inline Comm* comm_of_message(Thread& thread, Word message) noexcept {
  Pending* const p = claim(thread, ~family.load(message));
  if (p == nullptr) return nullptr;
  Comm* const comm = p->comm;
  remove(p);
  return comm;
}

struct mrecv {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word message, Word given) noexcept {
    const Comm* const comm = comm_of_message(call.thread, message);
    const Status status(given);
    call.enter();
    const Word result = next(buffer, count, type, message, status.get());
    const Word s = status.get();
    comm == nullptr ? call.leave() : recv::end(call, *comm, static_cast<Word>(family.source(s)), s, result);
    return result;
  }
};

struct imrecv {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word message,
                  Word request) noexcept {
    Begun p{call.thread};
    p->comm = comm_of_message(call.thread, message);
    if (p->comm != nullptr && is_recorded(*p->comm, 0)) {
      p->kind = PendingKind::receive;
      p->number = next_number();
    }
    start(call, *p, Endpoint::begin);
    const Word result = next(buffer, count, type, message, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
};

}  // namespace tracer::mpi
