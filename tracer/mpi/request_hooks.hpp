// SPDX-License-Identifier: BSD-3-Clause
// Hooks of requests: persistent ones go on, and all are waited for, tested, freed and cancelled.
#pragma once

#include "tracer/mpi/files.hpp"
#include "tracer/mpi/hook.hpp"

namespace tracer::mpi {

/// A persistent request that is to go on.
struct Restarted {
  Pending* pending = nullptr;  ///< nullptr: not ours
  std::uint64_t before = 0;    ///< its number, where by the records it goes on already; 0: it does not
};

inline Restarted restart(const Call& call, Word handle) noexcept {
  Pending* const p = claim(call.thread, handle);
  if (p == nullptr) return {};
  const Deciding deciding(*p);
  const Restarted restarted{.pending = p, .before = p->is_active && !p->is_over ? p->number : 0};
  p->is_over = p->has_answered = false;
  p->is_active = true;
  p->may_be_cancelled = false;
  if (p->kind != PendingKind::nothing) p->number = next_number();
  return restarted;
}

/// What went on before has come to an end that nobody recorded of: MPI has started the request again.
[[gnu::noinline, gnu::cold]] inline void end_before(const Call& call, const Restarted& restarted) noexcept {
  const Deciding deciding(*restarted.pending);
  Pending earlier = *restarted.pending;
  earlier.number = restarted.before;
  earlier.is_active = true;
  fail(call, earlier, Endpoint::none);
}

/// MPI has not started it, and what was recorded of that ends. What went on before goes on.
[[gnu::noinline, gnu::cold]] inline void end_refused(const Call& call, const Restarted& restarted) noexcept {
  Pending& p = *restarted.pending;
  const Deciding deciding(p);
  std::uint64_t number = p.number;
  if (p.is_over) {  // another call has completed what went on before, by the number of now
    number = restarted.before;
  } else if (restarted.before != 0) {
    p.number = restarted.before;
  } else {
    p.is_active = false;
  }
  if (number != 0) call.request(Endpoint::none, MpiRequestStep::cancelled, number);
}

/// It went on. Open MPI gives it another handle where what it began before goes on behind the program (buffered sends).
inline void started(Pending* restarted, Word handle) noexcept {
  rename(*restarted, handle);
  release(restarted);
}

struct start_hook {
  template <class Next>
  static Word run(const Call& call, Next next, Word request) noexcept {
    const Restarted restarted = restart(call, family.load(request));
    Pending* const p = restarted.pending;
    p != nullptr ? start(call, *p, Endpoint::begin) : call.enter();
    const Word result = next(request);
    if (p != nullptr) {
      if (failed(result)) [[unlikely]]
        end_refused(call, restarted);
      else if (restarted.before != 0) [[unlikely]]
        end_before(call, restarted);
      started(p, family.load(request));
    }
    call.leave();
    return result;
  }
};

/// Where it fails, which of them MPI has started is unknown: all are recorded as started, and sends counted as failed.
struct startall {
  template <class Next>
  static Word run(const Call& call, Next next, Word count, Word requests) noexcept {
    call.enter();
    std::size_t known = call.count(count);
    Pending** const restarted = claims_of(call.thread, known);
    std::uint64_t* const before = ids_of(call.thread, known);
    if (restarted == nullptr || before == nullptr) known = 0;  // no memory: they are not recorded
    for (std::size_t i = 0; i < known; ++i) {
      const Restarted one = restart(call, family.load(requests, i));
      restarted[i] = one.pending;
      before[i] = one.before;
      if (one.pending != nullptr) start(call, *one.pending, Endpoint::none);
    }
    const Word result = next(count, requests);
    for (std::size_t i = 0; i < known; ++i) {
      Pending* const p = restarted[i];
      if (p == nullptr) continue;
      if (before[i] != 0) end_before(call, {.pending = p, .before = before[i]});
      if (failed(result) && p->kind == PendingKind::send) count_unrecorded(Unrecorded::failed_send);
      started(p, family.load(requests, i));
    }
    call.leave();
    return result;
  }
};

struct wait {
  template <class Next>
  static Word run(const Call& call, Next next, Word request, Word given) noexcept {
    Pending* const p = claim(call.thread, family.load(request));
    const Status own(given);
    const Word status = wants_status(p) ? own.get() : given;
    call.enter();
    const Word result = next(request, status);
    if (p == nullptr) {
      call.leave();
    } else if (!failed(result) || family.load(request) == family.request_null) {
      complete(call, p, status, failed(result) ? Outcome::failed : Outcome::done, Endpoint::end);
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
    Pending* const p = claim(call.thread, family.load(request));
    const Status own(given);
    const Word status = wants_status(p) ? own.get() : given;
    call.ask();
    const Word result = next(request, flag, status);
    if (!call.answered(has_found(result, flag))) {
      if (p != nullptr) release(p);
    } else if (p == nullptr) {
      call.leave();
    } else if (failed(result) && family.load(request) == family.request_null) {
      complete(call, p, status, Outcome::failed, Endpoint::end);
    } else if (!failed(result) && *reinterpret_cast<const int*>(flag) != 0) {
      complete(call, p, status, Outcome::done, Endpoint::end);
    } else {
      tested(call, p, Endpoint::end);
    }
    return result;
  }
};

/// In an array of statuses; the one that is ignored has no others behind it.
inline Word status_in(Word statuses, std::size_t index) noexcept {
  return statuses == family.status_ignore ? statuses : family.status_at(statuses, index);
}

/// The requests of an array, claimed while MPI looks at them.
class Claims {
 public:
  [[gnu::always_inline]] Claims(const Call& call, Word count, Word requests) noexcept
      : call_(call), requests_(requests), count_(call.count(count)) {
    claims_ = claims_of(call.thread, count_);
    if (claims_ == nullptr) [[unlikely]]
      end_unclaimed();
    for (std::size_t i = 0; i < count_; ++i) {
      claims_[i] = claim(call.thread, family.load(requests, i));
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
  void complete(std::size_t i, Word status, Endpoint at = Endpoint::none, Outcome outcome = Outcome::done) noexcept {
    if (i >= count_ || claims_[i] == nullptr) return;
    Pending* const p = claims_[i];
    claims_[i] = nullptr;
    const bool is_unknown = outcome == Outcome::done && wants_status(p) && status == family.status_ignore;
    is_unknown ? complete_unknown(call_, p, at) : mpi::complete(call_, p, status, outcome, at);
  }
  /// After a call that failed: what MPI has taken away is over, and its status in an array shows how.
  void complete_if_gone(std::size_t i, Word status) noexcept {
    if (i >= count_ || family.load(requests_, i) != family.request_null) return;
    const bool is_done = status != family.status_ignore && !family.failed(status);
    complete(i, status, Endpoint::none, is_done ? Outcome::done : Outcome::failed);
  }
  /// All that is gone, without a status that shows how.
  void fail_gone() noexcept {
    for (std::size_t i = 0; i < count_; ++i) complete_if_gone(i, family.status_ignore);
  }
  /// All are over, and with the last of them the call.
  void complete_all(Word statuses) noexcept {
    std::size_t left = count_;
    while (left > 0 && claims_[left - 1] == nullptr) --left;
    if (left == 0) return call_.leave();
    const bool has_statuses = !wants_ || statuses != family.status_ignore;
    for (std::size_t i = 0; i < left; ++i) {
      const Endpoint at = i + 1 == left ? Endpoint::end : Endpoint::none;
      const Word status = status_in(statuses, i);
      if (claims_[i] == nullptr || (has_statuses && complete_message(call_, claims_[i], status, at))) continue;
      complete(i, status, at);
    }
  }
  /// Call::answered(), and where nothing is recorded all are given back.
  bool answered(bool has_found) noexcept {
    if (call_.answered(has_found)) return true;
    give_back(false);
    return false;
  }
  /// What is still claimed is not over. From the last on: queues stay in order.
  void give_back(bool is_tested) noexcept {
    for (std::size_t i = count_; i-- > 0;) {
      if (claims_[i] == nullptr) continue;
      is_tested ? tested(call_, claims_[i], Endpoint::none) : release(claims_[i]);
    }
  }

 private:
  /// There is no memory to find them again behind the call, when their handles may be others': their end is recorded
  /// here.
  [[gnu::noinline, gnu::cold]] void end_unclaimed() noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      Pending* const p = claim(call_.thread, family.load(requests_, i));
      if (p != nullptr) complete_unknown(call_, p, Endpoint::none);
    }
    count_ = 0;
  }

  const Call& call_;
  Word requests_;
  std::size_t count_;
  Pending** claims_;
  bool wants_ = false;
};

/// MPI_UNDEFINED, which is negative, is beyond all.
inline std::size_t index_in(Word indices, std::size_t i = 0) noexcept {
  return static_cast<std::size_t>(reinterpret_cast<const int*>(indices)[i]);
}

struct waitall {
  template <class Next>
  static Word run(Call& call, Next next, Word count, Word requests, Word given) noexcept {
    Claims claims(call, count, requests);
    const Word statuses = claims.statuses(given, claims.count());
    call.enter();
    const Word result = next(count, requests, statuses);
    call.end_here();
    if (!failed(result)) [[likely]] {
      claims.complete_all(statuses);
      return result;
    }
    for (std::size_t i = 0; i < claims.count(); ++i) claims.complete_if_gone(i, status_in(statuses, i));
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
    call.ask();
    const Word result = next(count, requests, flag, statuses);
    if (!claims.answered(has_found(result, flag))) return result;
    call.end_here();
    if (!failed(result) && *reinterpret_cast<const int*>(flag) != 0) {
      claims.complete_all(statuses);
      return result;
    }
    if (failed(result))
      for (std::size_t i = 0; i < claims.count(); ++i) claims.complete_if_gone(i, status_in(statuses, i));
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
    failed(result) ? claims.fail_gone() : claims.complete(index_in(index), status);
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
    call.ask();
    const Word result = next(count, requests, index, flag, status);
    if (!claims.answered(has_found(result, flag))) return result;
    call.end_here();
    const bool is_over = !failed(result) && *reinterpret_cast<const int*>(flag) != 0;
    if (is_over) claims.complete(index_in(index), status);
    if (failed(result)) claims.fail_gone();
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
    is_test ? call.ask() : call.enter();
    const Word result = next(count, requests, done, indices, statuses);
    if (is_test && !claims.answered(has_found(result, done))) return result;
    call.end_here();
    // What a call that failed leaves there may be anything.
    const std::size_t completed = done != 0 && indices != 0 ? index_in(done) : 0;
    const std::size_t over = completed <= claims.count() ? completed : 0;
    for (std::size_t i = 0; i < over; ++i) {
      const std::size_t at = index_in(indices, i);
      failed(result) ? claims.complete_if_gone(at, status_in(statuses, i))
                     : claims.complete(at, status_in(statuses, i));
    }
    if (failed(result)) claims.fail_gone();
    claims.give_back(is_test && over == 0 && !failed(result));
    call.leave();
    return result;
  }
};
using waitsome = some<false>;
using testsome = some<true>;

/// The program will never learn of its end: it is recorded now.
struct request_free {
  template <class Next>
  static Word run(const Call& call, Next next, Word request) noexcept {
    Pending* const p = claim(call.thread, family.load(request));
    call.enter();
    const Word result = next(request);
    if (p != nullptr) {
      if (ends(*p, false)) abandon(call, *p, Unrecorded::freed_receive);
      remove(p);
    }
    call.leave();
    return result;
  }
};

struct cancel {
  template <class Next>
  static Word run(const Call& call, Next next, Word request) noexcept {
    if (Pending* const p = claim(call.thread, family.load(request))) {
      {
        const Deciding deciding(*p);
        p->may_be_cancelled = true;
      }
      release(p);
    }
    return region::run(call, next, request);
  }
};

}  // namespace tracer::mpi
