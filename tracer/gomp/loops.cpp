// SPDX-License-Identifier: BSD-3-Clause
// Loops that ask libgomp for their iterations. A loop with a static schedule does so only with `ordered`
// or a task reduction; others are the program's own code.
#include "tracer/gomp/loops.hpp"
#include "tracer/gomp/state.hpp"

namespace tracer::gomp {
namespace {

/// Not of static loops, in which each thread's share is known beforehand.
template <class Number>
[[gnu::noinline]] void record_chunk(const Work& work, const Number* first, const Number* last) noexcept {
  if (!hands_out_chunks(work.type)) return;
  const auto distance = static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first);
  const auto stride = static_cast<std::uint64_t>(work.step);
  on.emit(TRACER_WORD(RecordKind::dispatch, Endpoint::none, dispatch_kind::loop_chunk), 0,
          static_cast<std::uint64_t>(*first),
          work.step >= 0 ? iterations(distance, stride) : iterations(0 - distance, 0 - stride));
}

/// The iterations [first, last) were given to the thread. Chunks come too often to be recorded each, unless it is asked
/// for: they are counted.
template <class Number>
[[gnu::always_inline]] inline void tell_chunk(Work& work, const Number* first, const Number* last) noexcept {
  ++work.chunks;
  if (on.has_chunks) [[unlikely]]
    record_chunk(work, first, last);
}

template <class Number, class Call>
[[gnu::always_inline]] inline bool begin_loop(const Work& work, Number* first, Number* last, Call call) {
  begin_work(thread, work);
  const bool has_chunk = call();
  if (has_chunk && first != nullptr) tell_chunk(thread.work, first, last);
  return has_chunk;
}

/// `next`: of a runtime. Within a loop that the thread has begun the place of the call is not asked for.
template <class Number, class Next>
[[gnu::always_inline]] inline bool next_chunk(const Runtime& runtime, Next next, Number* first, Number* last) {
  const bool has_chunk = (runtime.*next)(first, last);
  if (has_chunk) tell_chunk(thread.work, first, last);
  return has_chunk;
}

/// Of doacross loops the first count is what is handed out.
template <class Number>
Work doacross_work(const Site& site, unsigned counts, const Number* count, std::uint16_t type) noexcept {
  return {site.code, counts != 0 ? static_cast<std::uint64_t>(*count) : 0, 1, type, 0, site.runtime};
}

}  // namespace
}  // namespace tracer::gomp

using namespace tracer::gomp;
namespace work_type = tracer::work_type;
namespace sync_kind = tracer::sync_kind;

#define TRACER_NEXT_OF(name, number)                                   \
  bool name(number* first, number* last) {                             \
    if (const Runtime* const runtime = thread.work.runtime) [[likely]] \
      return next_chunk(*runtime, &Runtime::name, first, last);        \
    TRACER_GOMP_ENTER(name, first, last);                              \
    return next_chunk(*site.runtime, &Runtime::name, first, last);     \
  }
#define TRACER_NEXT(name)                       \
  TRACER_NEXT_OF(GOMP_loop_##name##_next, long) \
  TRACER_NEXT_OF(GOMP_loop_ull_##name##_next, Unsigned)

#define TRACER_DEFINE(name, type)                                                                                    \
  bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long* first, long* last) {              \
    TRACER_GOMP_ENTER(GOMP_loop_##name##_start, start, end, step, chunk, first, last);                               \
    return begin_loop(loop_work(site, start, end, step, work_type::type), first, last,                               \
                      [&] { return site.runtime->GOMP_loop_##name##_start(start, end, step, chunk, first, last); }); \
  }                                                                                                                  \
  bool GOMP_loop_ull_##name##_start(bool up, Unsigned start, Unsigned end, Unsigned step, Unsigned chunk,            \
                                    Unsigned* first, Unsigned* last) {                                               \
    TRACER_GOMP_ENTER(GOMP_loop_ull_##name##_start, up, start, end, step, chunk, first, last);                       \
    return begin_loop(loop_work(site, up, start, end, step, work_type::type), first, last, [&] {                     \
      return site.runtime->GOMP_loop_ull_##name##_start(up, start, end, step, chunk, first, last);                   \
    });                                                                                                              \
  }                                                                                                                  \
  TRACER_NEXT(name)
TRACER_GOMP_CHUNKED_LOOPS(TRACER_DEFINE)
#undef TRACER_DEFINE

#define TRACER_DEFINE(name, type)                                                                                     \
  bool GOMP_loop_##name##_start(long start, long end, long step, long* first, long* last) {                           \
    TRACER_GOMP_ENTER(GOMP_loop_##name##_start, start, end, step, first, last);                                       \
    return begin_loop(loop_work(site, start, end, step, scheduled(*site.runtime)), first, last,                       \
                      [&] { return site.runtime->GOMP_loop_##name##_start(start, end, step, first, last); });         \
  }                                                                                                                   \
  bool GOMP_loop_ull_##name##_start(bool up, Unsigned start, Unsigned end, Unsigned step, Unsigned* first,            \
                                    Unsigned* last) {                                                                 \
    TRACER_GOMP_ENTER(GOMP_loop_ull_##name##_start, up, start, end, step, first, last);                               \
    return begin_loop(loop_work(site, up, start, end, step, scheduled(*site.runtime)), first, last,                   \
                      [&] { return site.runtime->GOMP_loop_ull_##name##_start(up, start, end, step, first, last); }); \
  }                                                                                                                   \
  TRACER_NEXT(name)
TRACER_GOMP_RUNTIME_LOOPS(TRACER_DEFINE)
#undef TRACER_DEFINE

#define TRACER_DEFINE(name, type)                                                                               \
  bool GOMP_loop_doacross_##name##_start(unsigned counts, long* count, long chunk, long* first, long* last) {   \
    TRACER_GOMP_ENTER(GOMP_loop_doacross_##name##_start, counts, count, chunk, first, last);                    \
    return begin_loop(doacross_work(site, counts, count, work_type::type), first, last, [&] {                   \
      return site.runtime->GOMP_loop_doacross_##name##_start(counts, count, chunk, first, last);                \
    });                                                                                                         \
  }                                                                                                             \
  bool GOMP_loop_ull_doacross_##name##_start(unsigned counts, Unsigned* count, Unsigned chunk, Unsigned* first, \
                                             Unsigned* last) {                                                  \
    TRACER_GOMP_ENTER(GOMP_loop_ull_doacross_##name##_start, counts, count, chunk, first, last);                \
    return begin_loop(doacross_work(site, counts, count, work_type::type), first, last, [&] {                   \
      return site.runtime->GOMP_loop_ull_doacross_##name##_start(counts, count, chunk, first, last);            \
    });                                                                                                         \
  }
TRACER_GOMP_DOACROSS_LOOPS(TRACER_DEFINE)
#undef TRACER_DEFINE

bool GOMP_loop_doacross_runtime_start(unsigned counts, long* count, long* first, long* last) {
  TRACER_GOMP_ENTER(GOMP_loop_doacross_runtime_start, counts, count, first, last);
  return begin_loop(doacross_work(site, counts, count, scheduled(*site.runtime)), first, last,
                    [&] { return site.runtime->GOMP_loop_doacross_runtime_start(counts, count, first, last); });
}

bool GOMP_loop_ull_doacross_runtime_start(unsigned counts, Unsigned* count, Unsigned* first, Unsigned* last) {
  TRACER_GOMP_ENTER(GOMP_loop_ull_doacross_runtime_start, counts, count, first, last);
  return begin_loop(doacross_work(site, counts, count, scheduled(*site.runtime)), first, last,
                    [&] { return site.runtime->GOMP_loop_ull_doacross_runtime_start(counts, count, first, last); });
}

namespace {
std::uint16_t work_of(const Runtime& runtime, long schedule) noexcept {
  return (schedule & 0xff) == 0 ? scheduled(runtime) : work_of_schedule(schedule);
}
}  // namespace

// Where no chunk is asked for (`first` is null) the loop's first comes with the next call.
#define TRACER_DEFINE(name)                                                                                   \
  bool name(long start, long end, long step, long schedule, long chunk, long* first, long* last,              \
            std::uintptr_t* reductions, void** memory) {                                                      \
    TRACER_GOMP_ENTER(name, start, end, step, schedule, chunk, first, last, reductions, memory);              \
    return begin_loop(loop_work(site, start, end, step, work_of(*site.runtime, schedule)), first, last, [&] { \
      return site.runtime->name(start, end, step, schedule, chunk, first, last, reductions, memory);          \
    });                                                                                                       \
  }
TRACER_DEFINE(GOMP_loop_start)
TRACER_DEFINE(GOMP_loop_ordered_start)
#undef TRACER_DEFINE

#define TRACER_DEFINE(name)                                                                                       \
  bool name(bool up, Unsigned start, Unsigned end, Unsigned step, long schedule, Unsigned chunk, Unsigned* first, \
            Unsigned* last, std::uintptr_t* reductions, void** memory) {                                          \
    TRACER_GOMP_ENTER(name, up, start, end, step, schedule, chunk, first, last, reductions, memory);              \
    return begin_loop(loop_work(site, up, start, end, step, work_of(*site.runtime, schedule)), first, last, [&] { \
      return site.runtime->name(up, start, end, step, schedule, chunk, first, last, reductions, memory);          \
    });                                                                                                           \
  }
TRACER_DEFINE(GOMP_loop_ull_start)
TRACER_DEFINE(GOMP_loop_ull_ordered_start)
#undef TRACER_DEFINE

bool GOMP_loop_doacross_start(unsigned counts, long* count, long schedule, long chunk, long* first, long* last,
                              std::uintptr_t* reductions, void** memory) {
  TRACER_GOMP_ENTER(GOMP_loop_doacross_start, counts, count, schedule, chunk, first, last, reductions, memory);
  return begin_loop(doacross_work(site, counts, count, work_of(*site.runtime, schedule)), first, last, [&] {
    return site.runtime->GOMP_loop_doacross_start(counts, count, schedule, chunk, first, last, reductions, memory);
  });
}

bool GOMP_loop_ull_doacross_start(unsigned counts, Unsigned* count, long schedule, Unsigned chunk, Unsigned* first,
                                  Unsigned* last, std::uintptr_t* reductions, void** memory) {
  TRACER_GOMP_ENTER(GOMP_loop_ull_doacross_start, counts, count, schedule, chunk, first, last, reductions, memory);
  return begin_loop(doacross_work(site, counts, count, work_of(*site.runtime, schedule)), first, last, [&] {
    return site.runtime->GOMP_loop_ull_doacross_start(counts, count, schedule, chunk, first, last, reductions, memory);
  });
}

void GOMP_loop_end() {
  TRACER_GOMP_ENTER(GOMP_loop_end);
  end_work(thread);
  waiting(sync_kind::barrier_implicit_workshare, site.code, [&] { site.runtime->GOMP_loop_end(); });
}

bool GOMP_loop_end_cancel() {
  TRACER_GOMP_ENTER(GOMP_loop_end_cancel);
  end_work(thread);
  return waiting(sync_kind::barrier_implicit_workshare, site.code,
                 [&] { return site.runtime->GOMP_loop_end_cancel(); });
}

void GOMP_loop_end_nowait() {
  Thread& self = thread;
  if (const Runtime* const runtime = self.work.runtime; runtime != nullptr && is_known(self)) [[likely]] {
    end_work(self);
    return runtime->GOMP_loop_end_nowait();
  }
  TRACER_GOMP_ENTER(GOMP_loop_end_nowait);
  end_work(thread);
  site.runtime->GOMP_loop_end_nowait();
}
