// SPDX-License-Identifier: BSD-3-Clause
// Loops that ask libgomp for their iterations, and doacross. A loop with a static schedule does so only with `ordered`
// or a task reduction; others are the program's own code.
#include <cstdarg>

#include "tracer/gomp/loops.hpp"
#include "tracer/gomp/state.hpp"
#include "tracer/record.hpp"

namespace tracer::gomp {
namespace {

/// As ompt_dispatch_chunk_t, which headers before LLVM 15 lack.
struct Chunk {
  std::uint64_t start, iterations;
};

/// The iterations [first, last) were given to the thread.
template <class Number>
void tell_chunk(const Number* first, const Number* last) noexcept {
  const Work& work = thread.work;
  if (work.type == work_type::loop_static) return;  // each thread's share is known beforehand
  const auto distance = static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first);
  const auto stride = static_cast<std::uint64_t>(work.step);
  Chunk chunk{static_cast<std::uint64_t>(*first),
              work.step >= 0 ? iterations(distance, stride) : iterations(0 - distance, 0 - stride)};
  ompt_data_t task = word_of(thread.task), instance;
  instance.ptr = &chunk;
  on.dispatch(nullptr, &task, static_cast<ompt_dispatch_t>(dispatch_kind::loop_chunk), instance);
}

template <class Number, class Call>
[[gnu::always_inline]] inline bool begin_loop(const Work& work, Number* first, Number* last, Call call) {
  begin_work(thread, work);
  const bool has_chunk = call();
  if (has_chunk && first != nullptr) tell_chunk(first, last);
  return has_chunk;
}

template <class Number, class Call>
[[gnu::always_inline]] inline bool next_chunk(Number* first, Number* last, Call call) {
  const bool has_chunk = call();
  if (has_chunk) tell_chunk(first, last);
  return has_chunk;
}

/// Of doacross loops the first count is what is handed out.
template <class Number>
Work doacross_work(const Site& site, unsigned counts, const Number* count, std::uint16_t type) noexcept {
  return {site.code, counts != 0 ? static_cast<std::uint64_t>(*count) : 0, 1, type};
}

constexpr unsigned most_numbers = 32;

void tell_doacross(ompt_dependence_type_t type, std::uint64_t iteration) noexcept {
  if (!on.has_dependences) return;
  front->emit(TRACER_WORD(RecordKind::dependences, 0, type), 1u << 16, thread.task, iteration);
}

}  // namespace
}  // namespace tracer::gomp

using namespace tracer::gomp;
namespace work_type = tracer::work_type;
namespace sync_kind = tracer::sync_kind;

#define TRACER_NEXT(name)                                                                                   \
  bool GOMP_loop_##name##_next(long* first, long* last) {                                                   \
    TRACER_GOMP_ENTER(GOMP_loop_##name##_next, first, last);                                                \
    return next_chunk(first, last, [&] { return site.runtime->GOMP_loop_##name##_next(first, last); });     \
  }                                                                                                         \
  bool GOMP_loop_ull_##name##_next(Unsigned* first, Unsigned* last) {                                       \
    TRACER_GOMP_ENTER(GOMP_loop_ull_##name##_next, first, last);                                            \
    return next_chunk(first, last, [&] { return site.runtime->GOMP_loop_ull_##name##_next(first, last); }); \
  }

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
  TRACER_GOMP_ENTER(GOMP_loop_end_nowait);
  end_work(thread);
  site.runtime->GOMP_loop_end_nowait();
}

void GOMP_doacross_post(long* counts) {
  TRACER_GOMP_ENTER(GOMP_doacross_post, counts);
  tell_doacross(ompt_dependence_type_source, static_cast<std::uint64_t>(counts[0]));
  site.runtime->GOMP_doacross_post(counts);
}

void GOMP_doacross_ull_post(Unsigned* counts) {
  TRACER_GOMP_ENTER(GOMP_doacross_ull_post, counts);
  tell_doacross(ompt_dependence_type_source, counts[0]);
  site.runtime->GOMP_doacross_ull_post(counts);
}

// How many numbers there are is known to libgomp alone: as many are handed on as any loop may have, which reads beyond
// what the caller has put on the stack, in the caller's own frame.
#define TRACER_NUMBERS_4(n, at) n[at], n[at + 1], n[at + 2], n[at + 3]
#define TRACER_NUMBERS(n)                                                                          \
  TRACER_NUMBERS_4(n, 0), TRACER_NUMBERS_4(n, 4), TRACER_NUMBERS_4(n, 8), TRACER_NUMBERS_4(n, 12), \
      TRACER_NUMBERS_4(n, 16), TRACER_NUMBERS_4(n, 20), TRACER_NUMBERS_4(n, 24), TRACER_NUMBERS_4(n, 28)
#define TRACER_DEFINE(name, number)                                              \
  [[gnu::no_sanitize("address")]] void name(number first, ...) {                 \
    number others[most_numbers];                                                 \
    std::va_list list;                                                           \
    va_start(list, first);                                                       \
    for (number & other : others) other = va_arg(list, number);                  \
    va_end(list);                                                                \
    TRACER_GOMP_ENTER(name, first, TRACER_NUMBERS(others));                      \
    tell_doacross(ompt_dependence_type_sink, static_cast<std::uint64_t>(first)); \
    site.runtime->name(first, TRACER_NUMBERS(others));                           \
  }
TRACER_DEFINE(GOMP_doacross_wait, long)
TRACER_DEFINE(GOMP_doacross_ull_wait, Unsigned)
#undef TRACER_DEFINE
