// SPDX-License-Identifier: BSD-3-Clause
// What is recorded of a call, by the hook that mpi_functions.def names. A hook's run() makes the call itself: `next` is
// the MPI's function, called with the arguments just as they came.
#pragma once

#include "tracer/mpi/collectives.hpp"
#include "tracer/mpi/completion.hpp"

namespace tracer::mpi {

/// Whether messages there can be told.
inline bool is_told(const Comm& comm, int peer) noexcept {
  if (peer == family.proc_null) return false;
  if (!comm.is_foreign) [[likely]]
    return true;
  not_told(Untold::foreign_message);
  return false;
}

/// MPI ignores a status; we need one.
class Status {
 public:
  explicit Status(Word given) noexcept : at_(given == family.status_ignore ? reinterpret_cast<Word>(own_) : given) {}
  Word get() const noexcept { return at_; }

 private:
  alignas(8) char own_[64];
  Word at_;
};

struct region {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    call.enter();
    const Word result = next(words...);
    call.leave();
    return result;
  }
};

/// A region, and counted: its data is not told.
template <Untold what>
struct counted {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    not_told(what);
    return region::run(call, next, words...);
  }
};
using one_sided = counted<Untold::one_sided>;
using file_operation = counted<Untold::file_operation>;

// Point to point
// -------------------------------------------------------------------------------------------------------

struct send {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word to, Word tag,
                  Word on) noexcept {
    const Comm& comm = comm_of(call.thread, on);
    const int peer = static_cast<int>(to);
    if (is_told(comm, peer)) [[likely]] {
      call.send(Endpoint::begin, comm, peer, static_cast<int>(tag), call.bytes(count, type), 0);
    } else {
      call.enter();
    }
    const Word result = next(buffer, count, type, to, tag, on);
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
    if (static_cast<int>(result) == 0 && is_told(comm, static_cast<int>(from))) [[likely]] {
      const Word s = status.get();
      call.receive(Endpoint::end, comm, family.source(s), family.tag(s), family.bytes(s), 0);
    } else {
      call.leave();
    }
    return result;
  }
};

/// After the call: what was begun is pending, or will never end.
inline void keep(const Call& call, Pending& pending, Word request, Word result, Endpoint at) noexcept {
  if (static_cast<int>(result) == 0) {
    const Word handle = family.load(request);
    if (handle != family.request_null) add_pending(handle, pending);
  } else if (pending.kind != PendingKind::nothing && pending.is_active) {
    call.request(Endpoint::none, MpiRequestStep::cancelled, pending.number);
  }
  if (at == Endpoint::end) call.leave();
}

struct isend {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word to, Word tag, Word on,
                  Word request) noexcept {
    Pending p;
    p.comm = &comm_of(call.thread, on);
    p.peer = static_cast<int>(to);
    if (is_told(*p.comm, p.peer)) {
      p.kind = PendingKind::send;
      p.number = next_number();
      p.tag = static_cast<int>(tag);
      p.sent = call.bytes(count, type);
    }
    start(call, p, Endpoint::begin);
    const Word result = next(buffer, count, type, to, tag, on, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
};

struct irecv {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word from, Word tag, Word on,
                  Word request) noexcept {
    Pending p;
    p.comm = &comm_of(call.thread, on);
    if (is_told(*p.comm, static_cast<int>(from))) {
      p.kind = PendingKind::receive;
      p.number = next_number();
    }
    start(call, p, Endpoint::begin);
    const Word result = next(buffer, count, type, from, tag, on, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
};

struct send_init {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word to, Word tag, Word on,
                  Word request) noexcept {
    Pending p;
    p.comm = &comm_of(call.thread, on);
    p.peer = static_cast<int>(to);
    p.kind = is_told(*p.comm, p.peer) ? PendingKind::send : PendingKind::nothing;
    p.tag = static_cast<int>(tag);
    p.sent = call.bytes(count, type);
    p.is_persistent = true;
    p.is_active = false;
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
    Pending p;
    p.comm = &comm_of(call.thread, on);
    p.kind = is_told(*p.comm, static_cast<int>(from)) ? PendingKind::receive : PendingKind::nothing;
    p.is_persistent = true;
    p.is_active = false;
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
    Pending p;
    p.comm = &comm_of(call.thread, on);
    p.peer = static_cast<int>(peer);
    p.kind = is_told(*p.comm, p.peer) ? kind : PendingKind::nothing;
    p.tag = static_cast<int>(tag);
    p.sent = p.received = static_cast<std::uint64_t>(static_cast<int>(parts)) * static_cast<std::uint64_t>(count) *
                          type_size(call.thread, type);
    p.is_persistent = p.is_partitioned = true;
    p.is_active = false;
    call.enter();
    const Word result = next(buffer, parts, count, type, peer, tag, on, info, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
};
using psend_init = partitioned_init<PendingKind::send>;
using precv_init = partitioned_init<PendingKind::receive>;

/// A persistent request goes on; nullptr: not ours.
inline Pending* restart(Word request) noexcept {
  Pending* const p = claim(family.load(request));
  if (p == nullptr) return nullptr;
  p->is_active = true;
  p->may_be_cancelled = false;
  if (p->kind != PendingKind::nothing) p->number = next_number();
  return p;
}

struct start_hook {
  template <class Next>
  static Word run(const Call& call, Next next, Word request) noexcept {
    Pending* const p = restart(request);
    p != nullptr ? start(call, *p, Endpoint::begin) : call.enter();
    if (p != nullptr) release(p);
    const Word result = next(request);
    call.leave();
    return result;
  }
};

struct startall {
  template <class Next>
  static Word run(const Call& call, Next next, Word count, Word requests) noexcept {
    call.enter();
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(static_cast<int>(count)); ++i) {
      const std::size_t size = family.int_handles ? 4 : 8;
      Pending* const p = restart(requests + i * size);
      if (p == nullptr) continue;
      start(call, *p, Endpoint::none);
      release(p);
    }
    const Word result = next(count, requests);
    call.leave();
    return result;
  }
};

struct wait {
  template <class Next>
  static Word run(const Call& call, Next next, Word request, Word given) noexcept {
    Pending* const p = claim(family.load(request));
    const Status own(given);
    const Word status = wants_status(p) ? own.get() : given;
    call.enter();
    const Word result = next(request, status);
    if (p == nullptr) {
      call.leave();
    } else if (static_cast<int>(result) == 0 || family.load(request) == family.request_null) {
      complete(call, p, status, Endpoint::end);
    } else {
      release(p);
      call.leave();
    }
    return result;
  }
};

struct test {
  template <class Next>
  static Word run(const Call& call, Next next, Word request, Word flag, Word given) noexcept {
    Pending* const p = claim(family.load(request));
    const Status own(given);
    const Word status = wants_status(p) ? own.get() : given;
    call.enter();
    const Word result = next(request, flag, status);
    if (p == nullptr) {
      call.leave();
    } else if (static_cast<int>(result) == 0 && *reinterpret_cast<const int*>(flag) != 0) {
      complete(call, p, status, Endpoint::end);
    } else {
      tested(call, p, Endpoint::end);
    }
    return result;
  }
};

/// The requests of an array, claimed while MPI looks at them.
class Claims {
 public:
  Claims(const Call& call, Word count, Word requests) noexcept
      : call_(call),
        requests_(requests),
        count_(static_cast<int>(count) > 0 ? static_cast<std::size_t>(static_cast<int>(count)) : 0) {
    claims_ = claims_of(call.thread, count_);
    if (claims_ == nullptr) count_ = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      claims_[i] = claim(family.load(requests, i));
      wants_ |= wants_status(claims_[i]);
    }
  }
  std::size_t count() const noexcept { return count_; }
  bool wants_statuses() const noexcept { return wants_; }
  /// Where MPI is to write `count` of them.
  Word statuses(Word given, std::size_t count) const noexcept {
    if (!wants_ || given != family.status_ignore) return given;
    const Word own = statuses_of(call_.thread, count);
    return own != 0 ? own : given;
  }
  bool is_over(std::size_t i) const noexcept { return family.load(requests_, i) == family.request_null; }
  void complete(std::size_t i, Word status, Endpoint at = Endpoint::none) noexcept {
    if (i >= count_ || claims_[i] == nullptr) return;
    Pending* const p = claims_[i];
    claims_[i] = nullptr;
    if (wants_status(p) && status == family.status_ignore) return remove(p);  // no memory: nothing is known of it
    mpi::complete(call_, p, status, at);
  }
  /// What is still claimed is not over. From the last on: queues stay in order.
  void give_back(bool is_tested) noexcept {
    for (std::size_t i = count_; i-- > 0;) {
      if (claims_[i] == nullptr) continue;
      is_tested ? tested(call_, claims_[i], Endpoint::none) : release(claims_[i]);
    }
  }

 private:
  const Call& call_;
  Word requests_;
  std::size_t count_;
  Pending** claims_;
  bool wants_ = false;
};

/// In an array of statuses; the one that is ignored has no others behind it.
inline Word status_in(Word statuses, std::size_t index) noexcept {
  return statuses == family.status_ignore ? statuses : family.status_at(statuses, index);
}

struct waitall {
  template <class Next>
  static Word run(Call& call, Next next, Word count, Word requests, Word given) noexcept {
    Claims claims(call, count, requests);
    const Word statuses = claims.statuses(given, claims.count());
    call.enter();
    const Word result = next(count, requests, statuses);
    call.end_here();
    for (std::size_t i = 0; i < claims.count(); ++i)
      if (static_cast<int>(result) == 0 || claims.is_over(i)) claims.complete(i, status_in(statuses, i));
    claims.give_back(false);
    call.leave();
    return result;
  }
};

struct testall {
  template <class Next>
  static Word run(Call& call, Next next, Word count, Word requests, Word flag, Word given) noexcept {
    Claims claims(call, count, requests);
    const Word statuses = claims.statuses(given, claims.count());
    call.enter();
    const Word result = next(count, requests, flag, statuses);
    call.end_here();
    if (static_cast<int>(result) == 0 && *reinterpret_cast<const int*>(flag) != 0)
      for (std::size_t i = 0; i < claims.count(); ++i) claims.complete(i, status_in(statuses, i));
    claims.give_back(true);
    call.leave();
    return result;
  }
};

struct waitany {
  template <class Next>
  static Word run(Call& call, Next next, Word count, Word requests, Word index, Word given) noexcept {
    Claims claims(call, count, requests);
    const Status own(given);
    const Word status = claims.wants_statuses() ? own.get() : given;
    call.enter();
    const Word result = next(count, requests, index, status);
    call.end_here();
    const int done = *reinterpret_cast<const int*>(index);
    if (static_cast<int>(result) == 0 && done >= 0) claims.complete(static_cast<std::size_t>(done), status);
    claims.give_back(false);
    call.leave();
    return result;
  }
};

struct testany {
  template <class Next>
  static Word run(Call& call, Next next, Word count, Word requests, Word index, Word flag, Word given) noexcept {
    Claims claims(call, count, requests);
    const Status own(given);
    const Word status = claims.wants_statuses() ? own.get() : given;
    call.enter();
    const Word result = next(count, requests, index, flag, status);
    call.end_here();
    const bool is_over = static_cast<int>(result) == 0 && *reinterpret_cast<const int*>(flag) != 0;
    const int done = is_over ? *reinterpret_cast<const int*>(index) : -1;
    if (done >= 0) claims.complete(static_cast<std::size_t>(done), status);
    claims.give_back(!is_over);
    call.leave();
    return result;
  }
};

template <bool is_test>
struct some {
  template <class Next>
  static Word run(Call& call, Next next, Word count, Word requests, Word done, Word indices, Word given) noexcept {
    Claims claims(call, count, requests);
    const Word statuses = claims.statuses(given, claims.count());
    call.enter();
    const Word result = next(count, requests, done, indices, statuses);
    call.end_here();
    const int over = static_cast<int>(result) == 0 ? *reinterpret_cast<const int*>(done) : 0;
    for (int i = 0; i < over; ++i)
      claims.complete(static_cast<std::size_t>(reinterpret_cast<const int*>(indices)[i]),
                      status_in(statuses, static_cast<std::size_t>(i)));
    claims.give_back(is_test && over == 0);
    call.leave();
    return result;
  }
};
using waitsome = some<false>;
using testsome = some<true>;

/// The program will never learn of its end: it is told now.
struct request_free {
  template <class Next>
  static Word run(const Call& call, Next next, Word request) noexcept {
    Pending* const p = claim(family.load(request));
    call.enter();
    const Word result = next(request);
    if (p != nullptr && p->is_active && p->kind != PendingKind::nothing) {
      if (p->kind == PendingKind::collective) {
        call.collective(Endpoint::none, *p->comm, p->operation, p->root, p->sent, p->received, p->number);
      } else {
        call.request(Endpoint::none, p->kind == PendingKind::send ? MpiRequestStep::sent : MpiRequestStep::cancelled,
                     p->number);
      }
      if (p->kind == PendingKind::receive) not_told(Untold::freed_receive);
    }
    if (p != nullptr) remove(p);
    call.leave();
    return result;
  }
};

struct cancel {
  template <class Next>
  static Word run(const Call& call, Next next, Word request) noexcept {
    if (Pending* const p = claim(family.load(request))) {
      p->may_be_cancelled = true;
      release(p);
    }
    return region::run(call, next, request);
  }
};

struct sendrecv {
  template <class Next>
  static Word run(const Call& call, Next next, Word out, Word sent, Word sent_type, Word to, Word send_tag, Word in,
                  Word count, Word type, Word from, Word tag, Word on, Word given) noexcept {
    const Comm& comm = comm_of(call.thread, on);
    const Status status(given);
    begin(call, comm, to, send_tag, sent, sent_type);
    const Word result = next(out, sent, sent_type, to, send_tag, in, count, type, from, tag, on, status.get());
    end(call, comm, from, status.get(), result);
    return result;
  }
  static void begin(const Call& call, const Comm& comm, Word to, Word tag, Word sent, Word type) noexcept {
    const int peer = static_cast<int>(to);
    if (!is_told(comm, peer)) return call.enter();
    call.send(Endpoint::begin, comm, peer, static_cast<int>(tag), call.bytes(sent, type), 0);
  }
  static void end(const Call& call, const Comm& comm, Word from, Word s, Word result) noexcept {
    if (static_cast<int>(result) != 0 || !is_told(comm, static_cast<int>(from))) return call.leave();
    call.receive(Endpoint::end, comm, family.source(s), family.tag(s), family.bytes(s), 0);
  }
};

struct sendrecv_replace {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word to, Word send_tag, Word from,
                  Word tag, Word on, Word given) noexcept {
    const Comm& comm = comm_of(call.thread, on);
    const Status status(given);
    sendrecv::begin(call, comm, to, send_tag, count, type);
    const Word result = next(buffer, count, type, to, send_tag, from, tag, on, status.get());
    sendrecv::end(call, comm, from, status.get(), result);
    return result;
  }
};

/// One request for two messages.
struct isendrecv {
  template <class Next>
  static Word run(const Call& call, Next next, Word out, Word sent, Word sent_type, Word to, Word send_tag, Word in,
                  Word count, Word type, Word from, Word tag, Word on, Word request) noexcept {
    call.enter();
    Pending p = begin(call, comm_of(call.thread, on), to, send_tag, sent, sent_type, from);
    const Word result = next(out, sent, sent_type, to, send_tag, in, count, type, from, tag, on, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
  static Pending begin(const Call& call, Comm& comm, Word to, Word tag, Word sent, Word type, Word from) noexcept {
    Pending p;
    p.comm = &comm;
    p.peer = static_cast<int>(to);
    p.tag = static_cast<int>(tag);
    p.sent = call.bytes(sent, type);
    p.number = next_number(2);
    const bool sends = is_told(comm, p.peer), receives = is_told(comm, static_cast<int>(from));
    if (sends) call.send(Endpoint::none, comm, p.peer, p.tag, p.sent, p.number);
    p.kind = sends && receives ? PendingKind::exchange
             : sends           ? PendingKind::send
             : receives        ? PendingKind::receive
                               : PendingKind::nothing;
    if (receives) call.request(Endpoint::none, MpiRequestStep::receive_begins, sends ? p.number + 1 : p.number);
    return p;
  }
};

struct isendrecv_replace {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word to, Word send_tag, Word from,
                  Word tag, Word on, Word request) noexcept {
    call.enter();
    Pending p = isendrecv::begin(call, comm_of(call.thread, on), to, send_tag, count, type, from);
    const Word result = next(buffer, count, type, to, send_tag, from, tag, on, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
};

/// A message that was found waits under its handle, as a request does, for who receives it.
inline void keep_message(const Call& call, Word on, Word message) noexcept {
  const Word handle = family.load(message);
  Pending p;
  p.comm = &comm_of(call.thread, on);
  if (handle != family.message_null) add_pending(~handle, p);
}

struct mprobe {
  template <class Next>
  static Word run(const Call& call, Next next, Word from, Word tag, Word on, Word message, Word status) noexcept {
    call.enter();
    const Word result = next(from, tag, on, message, status);
    if (static_cast<int>(result) == 0) keep_message(call, on, message);
    call.leave();
    return result;
  }
};

struct improbe {
  template <class Next>
  static Word run(const Call& call, Next next, Word from, Word tag, Word on, Word flag, Word message,
                  Word status) noexcept {
    call.enter();
    const Word result = next(from, tag, on, flag, message, status);
    if (static_cast<int>(result) == 0 && *reinterpret_cast<const int*>(flag) != 0) keep_message(call, on, message);
    call.leave();
    return result;
  }
};

/// The communicator of a found message; nullptr: nobody's.
inline Comm* comm_of_message(Word message) noexcept {
  Pending* const p = claim(~family.load(message));
  if (p == nullptr) return nullptr;
  Comm* const comm = p->comm;
  remove(p);
  return comm;
}

struct mrecv {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word message, Word given) noexcept {
    const Comm* const comm = comm_of_message(message);
    const Status status(given);
    call.enter();
    const Word result = next(buffer, count, type, message, status.get());
    const Word s = status.get();
    if (comm != nullptr && static_cast<int>(result) == 0 && is_told(*comm, family.source(s))) {
      call.receive(Endpoint::end, *comm, family.source(s), family.tag(s), family.bytes(s), 0);
    } else {
      call.leave();
    }
    return result;
  }
};

struct imrecv {
  template <class Next>
  static Word run(const Call& call, Next next, Word buffer, Word count, Word type, Word message,
                  Word request) noexcept {
    Pending p;
    p.comm = comm_of_message(message);
    if (p.comm != nullptr && is_told(*p.comm, 0)) {
      p.kind = PendingKind::receive;
      p.number = next_number();
    }
    start(call, p, Endpoint::begin);
    const Word result = next(buffer, count, type, message, request);
    keep(call, p, request, result, Endpoint::end);
    return result;
  }
};

// Collective operations
// ------------------------------------------------------------------------------------------------

template <class Operation>
struct collective {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    const Word on = a[Operation::comm_at];
    Comm& comm = comm_of(call.thread, on);
    call.enter(begins_collective);
    const Word result = next(words...);
    const std::uint64_t time = call.now();
    std::uint32_t root;
    const Volume volume = volume_of<Operation>(call, comm, on, a, root);
    call.collective(Endpoint::end, comm, Operation::operation, root, volume.sent, volume.received, 0, time);
    return result;
  }
};

template <class Operation>
Pending pending_collective(const Call& call, Word on, const Word* a) noexcept {
  Pending p;
  p.comm = &comm_of(call.thread, on);
  p.kind = PendingKind::collective;
  p.operation = Operation::operation;
  const Volume volume = volume_of<Operation>(call, *p.comm, on, a, p.root);
  p.sent = volume.sent;
  p.received = volume.received;
  return p;
}

template <class Operation>
struct icollective {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Pending p = pending_collective<Operation>(call, a[Operation::comm_at], a);
    p.number = next_number();
    start(call, p, Endpoint::begin);
    const Word result = next(words...);
    keep(call, p, a[sizeof...(words) - 1], result, Endpoint::end);
    return result;
  }
};

template <class Operation>
struct collective_init {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Pending p = pending_collective<Operation>(call, a[Operation::comm_at], a);
    p.is_persistent = true;
    p.is_active = false;
    call.enter();
    const Word result = next(words...);
    keep(call, p, a[sizeof...(words) - 1], result, Endpoint::end);
    return result;
  }
};

// Communicators
// --------------------------------------------------------------------------------------------------------

/// (parent, ..., new communicator)
template <Making making>
struct comm_making {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Comm& parent = comm_of(call.thread, a[0]);
    const std::uint32_t ordinal = making == Making::by_parent ? next_child(parent) : 0;
    call.enter(begins_collective);
    const Word result = next(words...);
    if (static_cast<int>(result) == 0) {
      const Comm* const made = add_comm(family.load(a[sizeof...(words) - 1]), parent, making, ordinal);
      if (made != nullptr) call.comm_made(*made);
    }
    call.collective(Endpoint::end, parent, MpiOperation::create_handle, mpi_root_none, 0, 0, 0);
    return result;
  }
};
using comm_new = comm_making<Making::by_parent>;
using comm_create_group = comm_making<Making::by_group>;
using comm_merge = comm_making<Making::by_merge>;
using intercomm_create = comm_making<Making::by_leaders>;

/// (parent, ..., new communicator, request)
struct comm_idup {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Pending p;
    p.comm = &comm_of(call.thread, a[0]);
    p.kind = PendingKind::new_comm;
    p.operation = MpiOperation::create_handle;
    p.number = next_number();
    p.ordinal = next_child(*p.comm);
    p.new_comm = a[sizeof...(words) - 2];
    start(call, p, Endpoint::begin);
    const Word result = next(words...);
    keep(call, p, a[sizeof...(words) - 1], result, Endpoint::end);
    return result;
  }
};
using comm_idup_with_info = comm_idup;

/// With processes of which MPI_COMM_WORLD does not know: what is sent there is only counted.
struct comm_foreign : region {};

struct comm_free {
  template <class Next>
  static Word run(const Call& call, Next next, Word on) noexcept {
    const Word handle = family.load(on);
    const Comm& comm = comm_of(call.thread, handle);
    call.enter(begins_collective);
    const Word result = next(on);
    if (static_cast<int>(result) == 0) {
      forget_comm(handle);
      call.comm_gone(comm);
    }
    call.collective(Endpoint::end, comm, MpiOperation::destroy_handle, mpi_root_none, 0, 0, 0);
    return result;
  }
};
using comm_disconnect = comm_free;

struct comm_set_name {
  template <class Next>
  static Word run(const Call& call, Next next, Word on, Word name) noexcept {
    name_comm(comm_of(call.thread, on), reinterpret_cast<const char*>(name));
    return region::run(call, next, on, name);
  }
};

struct type_free {
  template <class Next>
  static Word run(const Call& call, Next next, Word type) noexcept {
    call.enter();
    const Word result = next(type);
    type_generation.fetch_add(1, std::memory_order_relaxed);
    call.leave();
    return result;
  }
};

// Begin and end
// --------------------------------------------------------------------------------------------------------

/// With what MPI_Init begins and MPI_Finalize ends.
void enter_world(const Call& call, int threads) noexcept;
void leave_world(const Call& call) noexcept;

struct init {
  template <class Next>
  static Word run(const Call& call, Next next, Word argc, Word argv) noexcept {
    call.enter(begins_collective);
    const Word result = next(argc, argv);
    enter_world(call, 0);
    return result;
  }
};

struct init_thread {
  template <class Next>
  static Word run(const Call& call, Next next, Word argc, Word argv, Word wanted, Word provided) noexcept {
    call.enter(begins_collective);
    const Word result = next(argc, argv, wanted, provided);
    enter_world(call, *reinterpret_cast<const int*>(provided));
    return result;
  }
};

struct finalize {
  template <class Next>
  static Word run(const Call& call, Next next) noexcept {
    call.enter(begins_collective);
    end();
    const Word result = next();
    leave_world(call);
    return result;
  }
};

}  // namespace tracer::mpi
