// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions and their implicit tasks, and teams on the host.
//
// The outlined function is given to libgomp by way of member(), which each thread of the team runs. What a thread does
// behind it is not seen: a worker waits at the end of the region until its next one. Its end there is recorded when the
// next begins, as libomp does it, and readers of the trace have it leave with its master.
#include <cstdlib>
#include <new>

#include "tracer/gomp/loops.hpp"
#include "tracer/gomp/state.hpp"
#include "tracer/gomp/tail.hpp"
#include "tracer/processor.hpp"

namespace tracer::gomp {

/// What a thread was before it became a master.
struct Outer {
  std::uint64_t task, implicit, region, process;
  const void* function;
  std::uint32_t number;
  bool has_work;  ///< worksharing that it has begun and not ended
  union {
    Work work;
  };
  [[gnu::always_inline]] inline explicit Outer(const Thread& self) noexcept
      : task(self.task),
        implicit(self.implicit),
        region(self.region),
        process(self.process),
        function(self.function),
        number(self.number),
        has_work(self.work.end_word != 0 || !on.has_work) {
    if (has_work) [[unlikely]]
      new (&work) Work(self.work);
  }
  [[gnu::always_inline]] inline void restore(Thread& self) const noexcept {
    self.task = task;
    self.implicit = implicit;
    self.region = region;
    self.function = function;
    self.number = number;
    self.work.end_word = 0;
    self.work.runtime = nullptr;
    if (has_work) [[unlikely]]
      self.work = work;
  }
};

/// Lives as long as the region, in a room of its master: nobody needs it when the master has left.
struct Region {
  void* reductions;  ///< the first word of the program's data, where libgomp reads it
  Function function;
  void* data;
  const Runtime* runtime;
  const void* code;
  const Thread* master;  ///< whose number in its team is 0
  ompt_data_t id;
  bool has_work;           ///< it is a loop, or sections
  bool is_shared = false;  ///< its team has several threads; the master's
  union {
    Work work;
  };
  Outer outer;

  // Member by member: else g++ 12 clears all of it by a loop of the processor's before, which takes as long as a
  // record.
  [[gnu::always_inline]] inline Region(Function run, void* with, const Runtime* of, const void* place,
                                       const Thread& begins, const Work* loop) noexcept
      : reductions(nullptr),
        function(run),
        data(with),
        runtime(of),
        code(place),
        master(&begins),
        has_work(loop != nullptr),
        outer(begins) {
    if (loop != nullptr) new (&work) Work(*loop);
  }
};

namespace {

constexpr std::uint16_t join_barrier = sync_kind::barrier_implicit_parallel;
constexpr int team_flags = static_cast<int>(0x80000000u | ompt_parallel_invoker_runtime);
constexpr int league_flags = static_cast<int>(parallel_flag::league | ompt_parallel_invoker_runtime);

constexpr std::uint16_t packed(int flags) noexcept {
  return pack_parallel_flags(static_cast<std::uint32_t>(flags));
}

/// The barrier and the implicit task end, and the region where the thread is its master (`region` is its id, else 0):
/// at one moment.
[[gnu::always_inline]] inline void end_part(const Thread& self, std::uint64_t region, const void* code) noexcept {
  const auto number = static_cast<std::uint16_t>(self.number);
  const std::uint64_t id = self.task;
  const Words wait = sync_words(RecordKind::sync_region_wait, Endpoint::end, join_barrier, id, code),
              barrier = sync_words(RecordKind::sync_region, Endpoint::end, join_barrier, id, code),
              task{TRACER_WORD(RecordKind::implicit_task, Endpoint::end, number), 0, 0, id},
              whole{TRACER_WORD(RecordKind::parallel_end, Endpoint::end, packed(team_flags)), 0, region,
                    address_of(code)};
  if (!on.has_sync_and_wait) [[unlikely]] {
    record_half_wait(Endpoint::end, join_barrier, id, code);
    return region == 0 ? record(task) : record(task, whole);
  }
  if (region == 0) [[unlikely]]
    record(wait, barrier, task);
  else
    record(wait, barrier, task, whole);
}

/// What is still to be recorded of the region before.
[[gnu::noinline]] void end_late(Thread& self) noexcept {
  if (!self.is_late) return;
  self.is_late = false;
  if (!is_known(self)) return;
  end_part(self, 0, nullptr);
}

inline void begin_member(Thread& self, Region& region, int number) noexcept {
  const auto team = static_cast<std::uint32_t>(region.runtime->omp_get_num_threads());
  self.task = self.implicit = new_id();
  record(Words{TRACER_WORD(RecordKind::implicit_task, Endpoint::begin, number), team, region.id.value, self.task});
  self.region = region.id.value;
  self.function = reinterpret_cast<const void*>(region.function);
  self.number = static_cast<std::uint32_t>(number);
  if (number == 0) region.is_shared = team > 1;
  self.work.end_word = 0;
  self.work.runtime = nullptr;
  if (!region.has_work) return;
  begin_work(self, region.work);
  self.work.step = region.work.step;
  self.work.begins_without_chunk();
}

/// Its number in the team.
[[gnu::noinline]] int begin_worker(Thread& self, const Region& region) noexcept {
  if (!is_known(self)) begin_thread(self, ompt_thread_worker);
  end_late(self);
  use(self, *region.runtime);
  return region.runtime->omp_get_thread_num();
}

/// The program's function, and what it is called with: in two registers.
struct Part {
  Function call;
  void* data;
};
[[gnu::noinline]] Part begin_part(Region& region) noexcept {
  Thread& self = thread;
  begin_member(self, region, &self == region.master ? 0 : begin_worker(self, region));
  return {region.function, region.data};
}
/// In a child that was forked inside nothing is to be ended.
[[gnu::noinline]] void leave_part(const Region& region) noexcept {
  if (region.outer.process != process.load(std::memory_order_relaxed)) [[unlikely]]
    return;
  Thread& self = thread;
  const bool is_master = &self == region.master;
  end_work(self);
  if (self.task != self.implicit) [[unlikely]]
    end_left_task(self, self.implicit);
  self.is_late = self.is_late || !is_master;
  begin_wait(self, join_barrier, is_master ? region.code : nullptr);
}

/// What libgomp calls in place of the outlined function. It keeps one word on the stack: regions nest as deeply as the
/// program recurses.
void member(void* argument) {
  Region& region = *static_cast<Region*>(argument);
  const Part part = begin_part(region);
  part.call(part.data);
  leave_part(region);
}

unsigned requested(const Runtime& runtime, unsigned threads) noexcept {
  return threads != 0 ? threads : static_cast<unsigned>(runtime.omp_get_max_threads());
}

inline void begin_region(Region& region, unsigned threads) noexcept {
  const unsigned wanted = requested(*region.runtime, threads);
  see(region.code);
  region.id.value = new_id();
  record(Words{TRACER_WORD(RecordKind::parallel_begin, Endpoint::begin, packed(team_flags)), wanted, region.id.value,
               address_of(region.code)});
}

/// The master's part and the region end. In a child that was forked inside nothing is to be ended.
void end_region(const Region& region) noexcept {
  Thread& self = thread;
  if (region.is_shared) complete_instructions();  // as in wait_ends()
  if (region.outer.process == process.load(std::memory_order_relaxed)) end_part(self, region.id.value, region.code);
  region.outer.restore(self);
}
[[gnu::noinline]] void end_and_give_back(Region* region) noexcept {
  end_region(*region);
  thread.rooms.give_back(region);
}

/// Of a region that the program has left by a jump.
[[gnu::cold]] void end_left(void* left) noexcept {
  const Region& region = *static_cast<Region*>(left);
  leave_part(region);
  end_region(region);
}

/// nullptr: there is no memory, and nothing is recorded. `work`: nullptr where the region is no loop and no sections.
[[gnu::noinline]] Region* new_region(const Site& site, Function function, void* data, unsigned threads,
                                     const Frame& frame, const Work* work = nullptr) noexcept {
  Thread& self = thread;
  void* const room = self.rooms.take(frame, sizeof(Region));
  if (room == nullptr) return nullptr;
  auto* const region = new (room) Region(function, data, site.runtime, site.code, self, work);
  Rooms::when_left(room, &end_left, region);
  begin_region(*region, threads);
  return region;
}

/// Keeps as little on the stack as it can. It is of the entry point's type, so that it can be jumped to.
template <auto entry, class... Arguments>
[[gnu::noinline]] auto call_region(Function, void* data, Arguments... arguments) {
  auto* const region = static_cast<Region*>(data);
  if constexpr (std::is_void_v<decltype((region->runtime->*entry)(&member, region, arguments...))>) {
    (region->runtime->*entry)(&member, region, arguments...);
    end_and_give_back(region);
  } else {
    const auto result = (region->runtime->*entry)(&member, region, arguments...);
    end_and_give_back(region);
    return result;
  }
}

Work sections_work(const Site& site, unsigned count) noexcept {
  return {site.code, work_type::sections, count};
}

// Before GCC 4.9 the master's part is called by the program between the two.
constexpr unsigned most_old = 32;
struct Old {
  alignas(Region) unsigned char region[sizeof(Region)];
};
/// Made when the thread begins its first one, and kept: little that runs today is so old.
constinit thread_local Old* old_regions __attribute__((tls_model("initial-exec"))) = nullptr;

template <class Run>
void start_old(const Site& site, Function function, void* data, unsigned threads, const Work* work, Run run) {
  Thread& self = thread;
  if (old_regions == nullptr) old_regions = static_cast<Old*>(std::calloc(most_old, sizeof(Old)));
  if (self.old_depth >= most_old || old_regions == nullptr) {
    ++self.old_depth;
    return run(function, data);
  }
  Old& old = old_regions[self.old_depth++];
  auto* region = new (old.region) Region(function, data, site.runtime, site.code, self, work);
  begin_region(*region, threads);
  run(&member, region);
  begin_member(self, *region, 0);
}

/// What libgomp calls for each team of a league, one after the other on the thread: each is recorded as a league of its
/// own, for a thread cannot be in several teams of one.
void team(void* argument) {
  const Region& league = *static_cast<Region*>(argument);
  Region region = league;
  Thread& self = thread;
  const Outer outer(self);
  ompt_data_t around = word_of(self.task), task = word_of(0);
  on.parallel_begin(&around, nullptr, &region.id, 1, league_flags, region.code);
  on.implicit_task(ompt_scope_begin, &region.id, &task, 1, 0, ompt_task_initial);
  self.task = self.implicit = task.value;
  self.function = reinterpret_cast<const void*>(region.function);
  self.work = {};
  region.function(region.data);
  end_work(self);
  if (outer.process == process.load(std::memory_order_relaxed)) {
    task = word_of(self.task);
    on.implicit_task(ompt_scope_end, &region.id, &task, 0, 0, ompt_task_initial);
    on.parallel_end(&region.id, &around, league_flags, region.code);
  }
  outer.restore(self);
}

}  // namespace
}  // namespace tracer::gomp

using namespace tracer::gomp;
namespace work_type = tracer::work_type;

void GOMP_parallel(Function function, void* data, unsigned threads, unsigned flags) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_parallel, function, data, threads, flags);
  Region* const region = new_region(site, function, data, threads, TRACER_GOMP_FRAME);
  if (region == nullptr) [[unlikely]]
    return site.runtime->GOMP_parallel(function, data, threads, flags);
  TRACER_TAIL return call_region<&Runtime::GOMP_parallel>(function, region, threads, flags);
}

// What libgomp reads of the program's data is in the region, too.
unsigned GOMP_parallel_reductions(Function function, void* data, unsigned threads, unsigned flags) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_parallel_reductions, function, data, threads, flags);
  Region* const region = new_region(site, function, data, threads, TRACER_GOMP_FRAME);
  if (region == nullptr) [[unlikely]]
    return site.runtime->GOMP_parallel_reductions(function, data, threads, flags);
  region->reductions = *static_cast<void**>(data);
  TRACER_TAIL return call_region<&Runtime::GOMP_parallel_reductions>(function, region, threads, flags);
}

void GOMP_parallel_sections(Function function, void* data, unsigned threads, unsigned count, unsigned flags) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_parallel_sections, function, data, threads, count, flags);
  const Work work = sections_work(site, count);
  Region* const region = new_region(site, function, data, threads, TRACER_GOMP_FRAME, &work);
  if (region == nullptr) [[unlikely]]
    return site.runtime->GOMP_parallel_sections(function, data, threads, count, flags);
  TRACER_TAIL return call_region<&Runtime::GOMP_parallel_sections>(function, region, threads, count, flags);
}

#define TRACER_DEFINE(name, type)                                                                                    \
  void GOMP_parallel_loop_##name(Function function, void* data, unsigned threads, long start, long end, long step,   \
                                 long chunk, unsigned flags) {                                                       \
    TRACER_GOMP_ENTER_OUTLINED(GOMP_parallel_loop_##name, function, data, threads, start, end, step, chunk, flags);  \
    const Work work = loop_work(site, start, end, step, work_type::type);                                            \
    Region* const region = new_region(site, function, data, threads, TRACER_GOMP_FRAME, &work);                      \
    if (region == nullptr) [[unlikely]]                                                                              \
      return site.runtime->GOMP_parallel_loop_##name(function, data, threads, start, end, step, chunk, flags);       \
    TRACER_TAIL return call_region<&Runtime::GOMP_parallel_loop_##name>(function, region, threads, start, end, step, \
                                                                        chunk, flags);                               \
  }
TRACER_GOMP_PARALLEL_CHUNKED(TRACER_DEFINE)
#undef TRACER_DEFINE

#define TRACER_DEFINE(name, type)                                                                                    \
  void GOMP_parallel_loop_##name(Function function, void* data, unsigned threads, long start, long end, long step,   \
                                 unsigned flags) {                                                                   \
    TRACER_GOMP_ENTER_OUTLINED(GOMP_parallel_loop_##name, function, data, threads, start, end, step, flags);         \
    const Work work = loop_work(site, start, end, step, scheduled(*site.runtime));                                   \
    Region* const region = new_region(site, function, data, threads, TRACER_GOMP_FRAME, &work);                      \
    if (region == nullptr) [[unlikely]]                                                                              \
      return site.runtime->GOMP_parallel_loop_##name(function, data, threads, start, end, step, flags);              \
    TRACER_TAIL return call_region<&Runtime::GOMP_parallel_loop_##name>(function, region, threads, start, end, step, \
                                                                        flags);                                      \
  }
TRACER_GOMP_PARALLEL_RUNTIME(TRACER_DEFINE)
#undef TRACER_DEFINE

void GOMP_parallel_start(Function function, void* data, unsigned threads) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_parallel_start, function, data, threads);
  start_old(site, function, data, threads, nullptr,
            [&](Function f, void* d) { site.runtime->GOMP_parallel_start(f, d, threads); });
}

void GOMP_parallel_sections_start(Function function, void* data, unsigned threads, unsigned count) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_parallel_sections_start, function, data, threads, count);
  const Work work = sections_work(site, count);
  start_old(site, function, data, threads, &work,
            [&](Function f, void* d) { site.runtime->GOMP_parallel_sections_start(f, d, threads, count); });
}

#define TRACER_DEFINE(name, type)                                                                                    \
  void GOMP_parallel_loop_##name##_start(Function function, void* data, unsigned threads, long start, long end,      \
                                         long step, long chunk) {                                                    \
    TRACER_GOMP_ENTER_OUTLINED(GOMP_parallel_loop_##name##_start, function, data, threads, start, end, step, chunk); \
    const Work work = loop_work(site, start, end, step, work_type::type);                                            \
    start_old(site, function, data, threads, &work, [&](Function f, void* d) {                                       \
      site.runtime->GOMP_parallel_loop_##name##_start(f, d, threads, start, end, step, chunk);                       \
    });                                                                                                              \
  }
TRACER_GOMP_OLD_CHUNKED(TRACER_DEFINE)
#undef TRACER_DEFINE

void GOMP_parallel_loop_runtime_start(Function function, void* data, unsigned threads, long start, long end,
                                      long step) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_parallel_loop_runtime_start, function, data, threads, start, end, step);
  const Work work = loop_work(site, start, end, step, scheduled(*site.runtime));
  start_old(site, function, data, threads, &work, [&](Function f, void* d) {
    site.runtime->GOMP_parallel_loop_runtime_start(f, d, threads, start, end, step);
  });
}

void GOMP_parallel_end() {
  TRACER_GOMP_ENTER(GOMP_parallel_end);
  Thread& self = thread;
  if (self.old_depth == 0 || self.old_depth-- > most_old || old_regions == nullptr)
    return site.runtime->GOMP_parallel_end();
  const auto& region = *reinterpret_cast<Region*>(old_regions[self.old_depth].region);
  end_work(self);
  begin_wait(self, join_barrier, region.code);
  site.runtime->GOMP_parallel_end();
  end_region(region);
}

void GOMP_teams_reg(Function function, void* data, unsigned teams, unsigned limit, unsigned flags) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_teams_reg, function, data, teams, limit, flags);
  Region league(function, data, site.runtime, site.code, thread, nullptr);
  site.runtime->GOMP_teams_reg(&team, &league, teams, limit, flags);
}
