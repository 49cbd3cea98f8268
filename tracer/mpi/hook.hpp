// SPDX-License-Identifier: BSD-3-Clause
// What hooks are made of. mpi_functions.def names a hook, which decides what is recorded of a call; its run() makes the
// call itself: `next` is the MPI's function, called with the arguments just as they came.
#pragma once

#include <cstddef>

#include "tracer/mpi/collectives.hpp"
#include "tracer/mpi/completion.hpp"

namespace tracer::mpi {

/// Where MPI cannot be queried, a communicator's ranks are unknown.
inline bool is_known(const Comm& comm) noexcept {
  return comm.size != 0;
}

/// What a call returns, where the program has set MPI's errors to return.
inline bool failed(Word result) noexcept {
  return static_cast<int>(result) != 0;
}

/// Whether messages there can be recorded.
inline bool is_recorded(const Comm& comm, int peer) noexcept {
  if (peer == family.proc_null) return false;
  if (!comm.is_foreign) [[likely]]
    return true;
  count_unrecorded(Unrecorded::foreign_message);
  return false;
}

/// Whether a send to it can be recorded. MPI refuses what is no rank there.
inline bool is_sent(const Comm& comm, int peer) noexcept {
  return is_recorded(comm, peer) && static_cast<std::uint64_t>(peer) < comm.others();
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

/// What MPI has answered.
inline bool has_found(Word result, Word flag) noexcept {
  return failed(result) || *reinterpret_cast<const int*>(flag) != 0;
}

/// A call that tests whether something is there, with the result where the argument `flag` points.
template <std::size_t flag>
struct asking {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word arguments[] = {words...};
    call.ask();
    const Word result = next(words...);
    if (call.answered(has_found(result, arguments[flag]))) call.leave();
    return result;
  }
};
using iprobe = asking<3>;
using parrived = asking<2>;
using request_get_status = asking<1>;

/// A region, and counted: its data is not recorded.
template <Unrecorded what>
struct counted {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    count_unrecorded(what);
    return region::run(call, next, words...);
  }
};

/// Whether a blocking collective operation has failed. Its call ends then, and is a region only: without the end of an
/// operation, the archive has no begin of one either (CollectiveCalls of the scan). The communicator's operations are
/// counted without it, as MPI refuses wrong arguments before a rank takes part.
inline bool ends_failed(const Call& call, Word result) noexcept {
  if (!failed(result)) [[likely]]
    return false;
  count_unrecorded(Unrecorded::failed_collective);
  call.leave();
  return true;
}

/// After the call: what was begun is pending, or will never end.
[[gnu::always_inline]] inline void keep(const Call& call, Begun& begun, Word request, Word result,
                                        Endpoint at) noexcept {
  if (!failed(result)) {
    const Word handle = family.load(request);
    if (handle != family.request_null) begun.keep(handle);
  } else if (begun->kind != PendingKind::nothing && begun->is_active) {
    call.request(Endpoint::none, MpiRequestStep::cancelled, begun->number);
    if (begun->kind == PendingKind::exchange)  // its receive
      call.request(Endpoint::none, MpiRequestStep::cancelled, begun->number + 1);
  }
  if (at == Endpoint::end) call.leave();
}

/// A send or a receive (number 0: of nothing) that MPI did not begin, with which the call ends.
[[gnu::noinline, gnu::cold]] inline void not_begun(const Call& call, std::uint64_t number) noexcept {
  if (number != 0) call.request(Endpoint::none, MpiRequestStep::cancelled, number);
  call.leave();
}

/// keep() of a send or a receive, with which the call ends.
[[gnu::always_inline]] inline void keep_request(const Call& call, Word request, Word result, PendingKind kind,
                                                std::uint64_t number, Comm& comm) noexcept {
  if (failed(result)) [[unlikely]]
    return not_begun(call, number);
  call.leave();
  const Word handle = family.load(request);
  if (handle != family.request_null) [[likely]]
    keep_request(call.thread, handle, kind, number, comm);
}

}  // namespace tracer::mpi
