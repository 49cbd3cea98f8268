// SPDX-License-Identifier: BSD-3-Clause
// Hooks of one-sided communication: windows, operations on them, and what completes these.
//
// What an operation is over by: at this side when its request is waited for, by MPI_Win_complete and the flushes that
// say local; at both by MPI_Win_fence, an unlock and the other flushes (MPI 4.0, 12.5). A lock may be had later than
// MPI_Win_lock returns: it is recorded when a flush or the unlock shows that it was.
#pragma once

#include "tracer/mpi/hook.hpp"
#include "tracer/mpi/windows.hpp"

namespace tracer::mpi {

/// Where the arguments of an operation are.
struct rma_put_arguments {
  static constexpr RmaStep step = RmaStep::put;
  static constexpr unsigned target_at = 3, win_at = 7;
};
struct rma_get_arguments : rma_put_arguments {
  static constexpr RmaStep step = RmaStep::get;
};
struct rma_accumulate_arguments {
  static constexpr RmaStep step = RmaStep::atomic;
  static constexpr RmaAtomic atomic = RmaAtomic::accumulate;
  static constexpr unsigned target_at = 3, win_at = 8;
};
struct rma_get_accumulate_arguments : rma_accumulate_arguments {
  static constexpr RmaAtomic atomic = RmaAtomic::fetch_and_accumulate;
  static constexpr unsigned target_at = 6, op_at = 10, win_at = 11;
};
struct rma_fetch_and_op_arguments : rma_accumulate_arguments {
  static constexpr RmaAtomic atomic = RmaAtomic::fetch_and_accumulate;
  static constexpr unsigned target_at = 3, op_at = 5, win_at = 6;
};
struct rma_compare_and_swap_arguments : rma_accumulate_arguments {
  static constexpr RmaAtomic atomic = RmaAtomic::compare_and_swap;
  static constexpr unsigned target_at = 4, win_at = 6;
};

struct RmaBytes {
  std::uint64_t sent = 0, received = 0;
};

/// With MPI_NO_OP what is at the origin has no meaning, so the target's arguments give the amount (MPI 4.0, 12.3.4).
template <class Arguments>
RmaBytes rma_bytes(const Call& call, const Word* a) noexcept {
  if constexpr (std::is_same_v<Arguments, rma_put_arguments>) {
    return {call.bytes(a[1], a[2]), 0};
  } else if constexpr (std::is_same_v<Arguments, rma_get_arguments>) {
    return {0, call.bytes(a[1], a[2])};
  } else if constexpr (std::is_same_v<Arguments, rma_accumulate_arguments>) {
    return {call.bytes(a[1], a[2]), 0};
  } else if constexpr (std::is_same_v<Arguments, rma_get_accumulate_arguments>) {
    const std::uint64_t bytes = call.bytes(a[8], a[9]);
    return {family.handle(a[Arguments::op_at]) == family.no_op ? 0 : bytes, bytes};
  } else if constexpr (std::is_same_v<Arguments, rma_fetch_and_op_arguments>) {
    const std::uint64_t bytes = type_size(call.thread, a[2]);
    return {family.handle(a[Arguments::op_at]) == family.no_op ? 0 : bytes, bytes};
  } else {
    const std::uint64_t bytes = type_size(call.thread, a[3]);
    return {2 * bytes, bytes};
  }
}

/// An operation that is recorded.
struct Operation {
  Window* window = nullptr;  ///< nullptr: it is not
  std::uint64_t id = 0;
  std::uint32_t target = 0;
  bool is_get = false;
};

template <class Arguments>
Operation begin_operation(const Call& call, const Word* a) noexcept {
  const auto target = static_cast<std::uint32_t>(a[Arguments::target_at]);
  Window* const window = window_of(call.thread, a[Arguments::win_at]);
  if (window == nullptr || target >= window->size) {
    if (window == nullptr && static_cast<int>(target) != family.proc_null) count_unrecorded(Unrecorded::one_sided);
    call.enter();
    return {};
  }
  const std::uint64_t id = next_number();
  const RmaBytes bytes = rma_bytes<Arguments>(call, a);
  std::uint8_t atomic = 0;
  if constexpr (Arguments::step == RmaStep::atomic) atomic = static_cast<std::uint8_t>(Arguments::atomic);
  call.rma(Endpoint::begin, Arguments::step, window->id, target, bytes.sent, bytes.received, id, atomic);
  return {window, id, target, Arguments::step == RmaStep::get};
}

/// MPI's function has returned: what synchronises from now on, on any thread, completes the operation. False: it
/// failed, or cannot be followed, and is over.
inline bool hand_over(const Call& call, const Operation& operation, Word result) noexcept {
  if (operation.window == nullptr) return false;
  if (!failed(result)) {
    if (add_operation(*operation.window, operation.id, operation.target, operation.is_get)) return true;
    count_unrecorded(Unrecorded::completion);
  }
  call.rma(Endpoint::none, failed(result) ? RmaStep::complete_here : RmaStep::complete_there, operation.window->id, 0,
           0, 0, operation.id);
  return false;
}

template <class Arguments>
struct rma_operation {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    const Operation operation = begin_operation<Arguments>(call, a);
    const Word result = next(words...);
    hand_over(call, operation, result);
    call.leave();
    return result;
  }
};

/// With a request behind the other arguments.
template <class Arguments>
struct rma_request_operation {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Begun p{call.thread};
    const Operation operation = begin_operation<Arguments>(call, a);
    const Word result = next(words...);
    if (hand_over(call, operation, result)) {
      p->kind = PendingKind::one_sided;
      p->window = operation.window;
      p->number = operation.id;
      keep(call, p, a[sizeof...(words) - 1], result, Endpoint::end);
    } else {
      call.leave();
    }
    return result;
  }
};

using rma_put = rma_operation<rma_put_arguments>;
using rma_get = rma_operation<rma_get_arguments>;
using rma_accumulate = rma_operation<rma_accumulate_arguments>;
using rma_get_accumulate = rma_operation<rma_get_accumulate_arguments>;
using rma_fetch_and_op = rma_operation<rma_fetch_and_op_arguments>;
using rma_compare_and_swap = rma_operation<rma_compare_and_swap_arguments>;
using rma_rput = rma_request_operation<rma_put_arguments>;
using rma_rget = rma_request_operation<rma_get_arguments>;
using rma_raccumulate = rma_request_operation<rma_accumulate_arguments>;
using rma_rget_accumulate = rma_request_operation<rma_get_accumulate_arguments>;

/// (..., communicator at `comm_at`, ..., window)
template <unsigned comm_at, bool is_allocated>
struct win_making {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Comm& comm = comm_of(call.thread, a[comm_at]);
    Window* const window = new_window(comm, is_allocated);
    if (window == nullptr) return region::run(call, next, words...);
    call.rma(Endpoint::begin, RmaStep::collective_begin, window->id);
    const Word result = next(words...);
    if (ends_failed(call, result)) return result;
    keep_window(family.load(a[sizeof...(words) - 1]), window, comm);
    call.rma(Endpoint::none, RmaStep::window_made, window->id);
    call.rma_collective(window->id,
                        is_allocated ? MpiOperation::create_handle_and_allocate : MpiOperation::create_handle);
    return result;
  }
};
using win_create = win_making<4, false>;
using win_allocate = win_making<3, true>;
using win_create_dynamic = win_making<1, false>;

/// A synchronisation of `win`: calls on, and records by then(window, begun) what follows from it, the region's end with
/// it, `begun` being what was there when it began. From one that failed follows nothing.
template <class Next, class Then, class... Words>
Word synchronise(const Call& call, Word win, const Then& then, Next next, Words... words) noexcept {
  Window* const window = window_of(call.thread, win);
  if (window == nullptr) return region::run(call, next, words...);
  call.enter();
  const std::uint64_t begun = window->so_far();
  const Word result = next(words...);
  failed(result) ? call.leave() : then(*window, begun);
  return result;
}

/// What a synchronisation has completed.
inline void complete_operations(const Call& call, Window& window, std::uint32_t target, std::uint64_t begun,
                                Completes completes) noexcept {
  std::uint64_t* ids = nullptr;
  const std::size_t count = take_operations(call.thread, window, target, begun, completes, ids);
  const RmaStep step = completes == Completes::everywhere ? RmaStep::complete_there : RmaStep::complete_here;
  for (std::size_t i = 0; i < count; ++i) call.rma(Endpoint::none, step, window.id, 0, 0, 0, ids[i]);
}

inline void record_held_locks(const Call& call, Window& window, std::uint32_t target, std::uint64_t begun) noexcept {
  for (Window::Held lock; take_unrecorded_lock(window, target, begun, lock);)
    call.rma(Endpoint::none, RmaStep::lock_acquired, window.id, lock.target, 0, 0, 0, lock.type);
}

struct win_free {
  template <class Next>
  static Word run(const Call& call, Next next, Word win) noexcept {
    const Word handle = family.load(win);
    Window* const window = window_of(call.thread, handle);
    if (window == nullptr) return region::run(call, next, win);
    call.rma(Endpoint::begin, RmaStep::collective_begin, window->id);
    const std::uint64_t begun = window->so_far();
    const Word result = next(win);
    if (ends_failed(call, result)) return result;
    complete_operations(call, *window, all_ranks, begun, Completes::everywhere);
    forget_window(handle, *window);
    call.rma(Endpoint::none, RmaStep::window_gone, window->id);
    call.rma_collective(
        window->id, window->is_allocated ? MpiOperation::destroy_handle_and_deallocate : MpiOperation::destroy_handle);
    return result;
  }
};

struct win_fence {
  template <class Next>
  static Word run(const Call& call, Next next, Word assertion, Word win) noexcept {
    Window* const window = window_of(call.thread, win);
    if (window == nullptr) return region::run(call, next, assertion, win);
    call.rma(Endpoint::begin, RmaStep::collective_begin, window->id);
    const std::uint64_t begun = window->so_far();
    const Word result = next(assertion, win);
    if (ends_failed(call, result)) return result;
    complete_operations(call, *window, all_ranks, begun, Completes::everywhere);
    call.rma_collective(window->id, MpiOperation::barrier);
    return result;
  }
};

/// With the call's end.
inline void group_synchronised(const Call& call, const Window& window, std::uint32_t group,
                               std::uint8_t level) noexcept {
  call.rma(Endpoint::end, RmaStep::group_synchronised, window.id, group, 0, 0, 0, level);
}

/// MPI_Win_start and MPI_Win_post: (group, assertion, window)
template <std::uint32_t Window::*epoch>
struct win_open {
  template <class Next>
  static Word run(const Call& call, Next next, Word group, Word assertion, Word win) noexcept {
    const auto then = [&](Window& window, std::uint64_t) {
      window.*epoch = group_number(group);
      group_synchronised(call, window, window.*epoch, rma_level::processes);
    };
    return synchronise(call, win, then, next, group, assertion, win);
  }
};
using win_start = win_open<&Window::started>;
using win_post = win_open<&Window::posted>;

struct win_complete {
  template <class Next>
  static Word run(const Call& call, Next next, Word win) noexcept {
    const auto then = [&](Window& window, std::uint64_t begun) {
      complete_operations(call, window, all_ranks, begun, Completes::here_at_last);
      group_synchronised(call, window, window.started, rma_level::both);
    };
    return synchronise(call, win, then, next, win);
  }
};

struct win_wait {
  template <class Next>
  static Word run(const Call& call, Next next, Word win) noexcept {
    const auto then = [&](const Window& window, std::uint64_t) {
      group_synchronised(call, window, window.posted, rma_level::both);
    };
    return synchronise(call, win, then, next, win);
  }
};

struct win_test {
  template <class Next>
  static Word run(const Call& call, Next next, Word win, Word flag) noexcept {
    Window* const window = window_of(call.thread, win);
    call.ask();
    const Word result = next(win, flag);
    if (!call.answered(has_found(result, flag))) return result;
    if (window != nullptr && !failed(result) && *reinterpret_cast<const int*>(flag) != 0)
      group_synchronised(call, *window, window->posted, rma_level::both);
    else
      call.leave();
    return result;
  }
};

/// It may be had later than the call returns.
template <class Next, class... Words>
Word request_lock(const Call& call, Window& window, std::uint32_t target, bool is_shared, Next next,
                  Words... words) noexcept {
  const auto type = static_cast<std::uint8_t>(is_shared ? 1 : 0);  // OTF2_LockType
  call.rma(Endpoint::begin, RmaStep::lock_requested, window.id, target, 0, 0, 0, type);
  add_lock(window, target, type);
  const Word result = next(words...);
  if (failed(result)) {
    remove_lock(window, target);
    count_unrecorded(Unrecorded::failed_lock);
  }
  call.leave();
  return result;
}

struct win_lock {
  template <class Next>
  static Word run(const Call& call, Next next, Word type, Word rank, Word assertion, Word win) noexcept {
    Window* const window = window_of(call.thread, win);
    if (window == nullptr || static_cast<std::uint32_t>(rank) >= window->size)
      return region::run(call, next, type, rank, assertion, win);
    return request_lock(call, *window, static_cast<std::uint32_t>(rank),
                        static_cast<int>(type) != family.lock_exclusive, next, type, rank, assertion, win);
  }
};

struct win_lock_all {
  template <class Next>
  static Word run(const Call& call, Next next, Word assertion, Word win) noexcept {
    Window* const window = window_of(call.thread, win);
    if (window == nullptr) return region::run(call, next, assertion, win);
    return request_lock(call, *window, all_ranks, true, next, assertion, win);
  }
};

inline void unlock(const Call& call, Window& window, std::uint32_t target, std::uint64_t begun) noexcept {
  record_held_locks(call, window, target, begun);
  complete_operations(call, window, target, begun, Completes::everywhere);
  remove_lock(window, target);
  call.rma(Endpoint::end, RmaStep::lock_released, window.id, target);
}

struct win_unlock {
  template <class Next>
  static Word run(const Call& call, Next next, Word rank, Word win) noexcept {
    if (static_cast<int>(rank) == family.proc_null) return region::run(call, next, rank, win);
    const auto then = [&](Window& window, std::uint64_t begun) {
      unlock(call, window, static_cast<std::uint32_t>(rank), begun);
    };
    return synchronise(call, win, then, next, rank, win);
  }
};

struct win_unlock_all {
  template <class Next>
  static Word run(const Call& call, Next next, Word win) noexcept {
    return synchronise(
        call, win, [&](Window& window, std::uint64_t begun) { unlock(call, window, all_ranks, begun); }, next, win);
  }
};

template <bool only_here>
struct win_flushing {
  template <class Next>
  static Word run(const Call& call, Next next, Word rank, Word win) noexcept {
    if (static_cast<int>(rank) == family.proc_null) return region::run(call, next, rank, win);
    return flush(call, static_cast<std::uint32_t>(rank), win, next, rank, win);
  }
  template <class Next>
  static Word run(const Call& call, Next next, Word win) noexcept {
    return flush(call, all_ranks, win, next, win);
  }

 private:
  template <class Next, class... Words>
  static Word flush(const Call& call, std::uint32_t target, Word win, Next next, Words... words) noexcept {
    const auto then = [&](Window& window, std::uint64_t begun) {
      record_held_locks(call, window, target, begun);
      complete_operations(call, window, target, begun, only_here ? Completes::here : Completes::everywhere);
      call.leave();
    };
    return synchronise(call, win, then, next, words...);
  }
};
using win_flush = win_flushing<false>;
using win_flush_local = win_flushing<true>;

struct win_sync {
  template <class Next>
  static Word run(const Call& call, Next next, Word win) noexcept {
    const auto then = [&](const Window& window, std::uint64_t) {
      call.rma(Endpoint::end, RmaStep::memory_synchronised, window.id, window.rank);
    };
    return synchronise(call, win, then, next, win);
  }
};

struct win_set_name {
  template <class Next>
  static Word run(const Call& call, Next next, Word win, Word name) noexcept {
    if (const Window* const window = window_of(call.thread, win); window != nullptr)
      name_window(*window, reinterpret_cast<const char*>(name));
    return region::run(call, next, win, name);
  }
};

}  // namespace tracer::mpi
