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
  if (!hands_out_chunks(work.type())) return;
  const auto distance = static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first);
  const auto stride = static_cast<std::uint64_t>(work.step);
  record(Words{TRACER_WORD(RecordKind::dispatch, Endpoint::none, dispatch_kind::loop_chunk), 0,
               static_cast<std::uint64_t>(*first),
               work.step >= 0 ? iterations(distance, stride) : iterations(0 - distance, 0 - stride)});
}

template <class Number, class Call>
[[gnu::always_inline]] inline bool begin_loop(const Work& work, Number* first, Number* last, Call call) {
  if (on.counts_chunks) [[likely]] {
    begin_recorded_work(thread, work);
    return call();
  }
  begin_work(thread, work);
  thread.work.step = work.step;
  const bool has_chunk = call();
  if (has_chunk && first != nullptr && on.has_chunks) record_chunk(thread.work, first, last);
  return has_chunk;
}

/// The same without a call, where all that is needed is at hand, so that the entry point is a jump to the libgomp of
/// the result. nullptr: it is not, and nothing has been recorded.
[[gnu::always_inline]] inline const Runtime* begin_at_hand(const void* from, Entry entry, std::uint16_t type,
                                                           std::uint64_t count) noexcept {
  Thread& self = thread;
  const Site& site = first_of(self, entry);
  tracer_lane* const lane = this_lane();
  if (site.key != key_of(from, entry) || lane == nullptr || !on.counts_chunks || self.work.end_word != 0) [[unlikely]]
    return nullptr;
  const Work work{site.code, type, count, 1, site.runtime};
  if (!put(*lane, begin_of(work))) [[unlikely]]
    return nullptr;
  self.work.begin(work);
  if (work.runtime == nullptr) __builtin_unreachable();
  return work.runtime;
}

/// Where no chunk is requested (`first` is null) the loop's first comes with the next call.
template <class Number, class Call>
inline bool begin_any_loop(Work work, Number* first, Number* last, Call call) {
  if (first == nullptr) work.begins_without_chunk();
  return begin_loop(work, first, last, call);
}

/// Outside of a loop that the thread has begun, or where each chunk is recorded. `next`: of a runtime.
template <class Number>
[[gnu::noinline]] bool next_chunk(const void* from, Entry entry, bool (*entry_point)(Number*, Number*),
                                  bool (*Runtime::*next)(Number*, Number*), Number* first, Number* last) {
  const Site site = site_of_call(from, entry, reinterpret_cast<const void*>(entry_point));
  if (site.is_silent()) return (site.runtime->*next)(first, last);
  thread.work.request();
  const bool has_chunk = (site.runtime->*next)(first, last);
  if (has_chunk && on.has_chunks) record_chunk(thread.work, first, last);
  return has_chunk;
}

/// Of a loop that the thread has not begun.
[[gnu::noinline]] void end_unknown_loop(const void* from) {
  const Site site =
      site_of_call(from, Entry::GOMP_loop_end_nowait, reinterpret_cast<const void*>(&GOMP_loop_end_nowait));
  if (!site.is_silent()) end_work(thread);
  site.runtime->GOMP_loop_end_nowait();
}

/// Of doacross loops the first count is what is handed out.
template <class Number>
Work doacross_work(const Site& site, unsigned counts, const Number* count, std::uint16_t type) noexcept {
  return {site.code, type, counts != 0 ? static_cast<std::uint64_t>(*count) : 0, 1, site.runtime};
}

}  // namespace
}  // namespace tracer::gomp

using namespace tracer::gomp;
namespace work_type = tracer::work_type;
namespace sync_kind = tracer::sync_kind;

// Within a loop that the thread has begun the place of the call is not needed.
#define TRACER_NEXT_OF(name, number)                                                                     \
  bool name(number* first, number* last) {                                                               \
    Work& work = thread.work;                                                                            \
    if (work.runtime == nullptr) [[unlikely]]                                                            \
      return next_chunk(__builtin_return_address(0), Entry::name, &::name, &Runtime::name, first, last); \
    work.request();                                                                                      \
    return work.runtime->name(first, last);                                                              \
  }
#define TRACER_NEXT(name)                       \
  TRACER_NEXT_OF(GOMP_loop_##name##_next, long) \
  TRACER_NEXT_OF(GOMP_loop_ull_##name##_next, Unsigned)

#define TRACER_DEFINE(name, type)                                                                                     \
  namespace {                                                                                                         \
  [[gnu::noinline]] bool begin_##name(long start, long end, long step, long chunk, long* first, long* last) {         \
    TRACER_GOMP_ENTER_FROM(thread.from, GOMP_loop_##name##_start, start, end, step, chunk, first, last);              \
    return begin_loop(loop_work(site, start, end, step, work_type::type), first, last,                                \
                      [&] { return site.runtime->GOMP_loop_##name##_start(start, end, step, chunk, first, last); });  \
  }                                                                                                                   \
  [[gnu::noinline]] bool begin_ull_##name(bool up, Unsigned start, Unsigned end, Unsigned step, Unsigned chunk,       \
                                          Unsigned* first, Unsigned* last) {                                          \
    TRACER_GOMP_ENTER_FROM(thread.from, GOMP_loop_ull_##name##_start, up, start, end, step, chunk, first, last);      \
    return begin_loop(loop_work(site, up, start, end, step, work_type::type), first, last, [&] {                      \
      return site.runtime->GOMP_loop_ull_##name##_start(up, start, end, step, chunk, first, last);                    \
    });                                                                                                               \
  }                                                                                                                   \
  }                                                                                                                   \
  bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long* first, long* last) {               \
    const void* const from = __builtin_return_address(0);                                                             \
    if (step == 1) [[likely]]                                                                                         \
      if (const Runtime* const runtime =                                                                              \
              begin_at_hand(from, Entry::GOMP_loop_##name##_start, work_type::type, distance(start, end))) [[likely]] \
        return runtime->GOMP_loop_##name##_start(start, end, step, chunk, first, last);                               \
    thread.from = from;                                                                                               \
    return begin_##name(start, end, step, chunk, first, last);                                                        \
  }                                                                                                                   \
  bool GOMP_loop_ull_##name##_start(bool up, Unsigned start, Unsigned end, Unsigned step, Unsigned chunk,             \
                                    Unsigned* first, Unsigned* last) {                                                \
    const void* const from = __builtin_return_address(0);                                                             \
    if (up && step == 1) [[likely]]                                                                                   \
      if (const Runtime* const runtime = begin_at_hand(from, Entry::GOMP_loop_ull_##name##_start, work_type::type,    \
                                                       distance(start, end))) [[likely]]                              \
        return runtime->GOMP_loop_ull_##name##_start(up, start, end, step, chunk, first, last);                       \
    thread.from = from;                                                                                               \
    return begin_ull_##name(up, start, end, step, chunk, first, last);                                                \
  }                                                                                                                   \
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
/// By GCC's numbers: those for schedule(runtime) and schedule(nonmonotonic: runtime) are no schedule of their own.
std::uint16_t work_of(const Runtime& runtime, long schedule) noexcept {
  constexpr long of_runtime = 0, of_nonmonotonic_runtime = 4;
  const long kind = schedule & 0xff;
  return kind == of_runtime || kind == of_nonmonotonic_runtime ? scheduled(runtime) : work_of_schedule(schedule);
}
}  // namespace

#define TRACER_DEFINE(name)                                                                                       \
  bool name(long start, long end, long step, long schedule, long chunk, long* first, long* last,                  \
            std::uintptr_t* reductions, void** memory) {                                                          \
    TRACER_GOMP_ENTER(name, start, end, step, schedule, chunk, first, last, reductions, memory);                  \
    return begin_any_loop(loop_work(site, start, end, step, work_of(*site.runtime, schedule)), first, last, [&] { \
      return site.runtime->name(start, end, step, schedule, chunk, first, last, reductions, memory);              \
    });                                                                                                           \
  }
TRACER_DEFINE(GOMP_loop_start)
TRACER_DEFINE(GOMP_loop_ordered_start)
#undef TRACER_DEFINE

#define TRACER_DEFINE(name)                                                                                           \
  bool name(bool up, Unsigned start, Unsigned end, Unsigned step, long schedule, Unsigned chunk, Unsigned* first,     \
            Unsigned* last, std::uintptr_t* reductions, void** memory) {                                              \
    TRACER_GOMP_ENTER(name, up, start, end, step, schedule, chunk, first, last, reductions, memory);                  \
    return begin_any_loop(loop_work(site, up, start, end, step, work_of(*site.runtime, schedule)), first, last, [&] { \
      return site.runtime->name(up, start, end, step, schedule, chunk, first, last, reductions, memory);              \
    });                                                                                                               \
  }
TRACER_DEFINE(GOMP_loop_ull_start)
TRACER_DEFINE(GOMP_loop_ull_ordered_start)
#undef TRACER_DEFINE

bool GOMP_loop_doacross_start(unsigned counts, long* count, long schedule, long chunk, long* first, long* last,
                              std::uintptr_t* reductions, void** memory) {
  TRACER_GOMP_ENTER(GOMP_loop_doacross_start, counts, count, schedule, chunk, first, last, reductions, memory);
  return begin_any_loop(doacross_work(site, counts, count, work_of(*site.runtime, schedule)), first, last, [&] {
    return site.runtime->GOMP_loop_doacross_start(counts, count, schedule, chunk, first, last, reductions, memory);
  });
}

bool GOMP_loop_ull_doacross_start(unsigned counts, Unsigned* count, long schedule, Unsigned chunk, Unsigned* first,
                                  Unsigned* last, std::uintptr_t* reductions, void** memory) {
  TRACER_GOMP_ENTER(GOMP_loop_ull_doacross_start, counts, count, schedule, chunk, first, last, reductions, memory);
  return begin_any_loop(doacross_work(site, counts, count, work_of(*site.runtime, schedule)), first, last, [&] {
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
  if (const Runtime* const runtime = self.work.runtime) [[likely]] {
    end_recorded_work(self);
    return runtime->GOMP_loop_end_nowait();
  }
  end_unknown_loop(__builtin_return_address(0));
}
