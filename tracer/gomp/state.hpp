// SPDX-License-Identifier: BSD-3-Clause
// What is kept of a thread, and how an entry point finds its libgomp and the handlers of libtracer.so. After a thread's
// first call from a place this is a comparison: no lock, no allocation.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "omp-tools.h"
#include "tracer/front_end.h"
#include "tracer/gomp/runtime.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/record.hpp"

namespace tracer::gomp {

/// libtracer.so's handlers of OMPT; those that are not to record do nothing.
struct Handlers {
  ompt_callback_parallel_begin_t parallel_begin;
  ompt_callback_parallel_end_t parallel_end;
  ompt_callback_implicit_task_t implicit_task;
  ompt_callback_sync_region_t sync_region, sync_region_wait;
  ompt_callback_work_t work;  ///< of taskloops
  ompt_callback_dispatch_t dispatch;
  ompt_callback_mutex_acquire_t mutex_acquire;
  ompt_callback_mutex_t mutex_acquired, mutex_released;
  ompt_callback_mutex_acquire_t lock_init;
  ompt_callback_mutex_t lock_destroy;
  ompt_callback_nest_lock_t nest_lock;
  ompt_callback_cancel_t cancel;
  ompt_callback_target_emi_t target;
  bool has_dependences, has_target, has_sync, has_wait, has_tasks, has_work, has_chunks;

  // The table's own, for what is recorded without a handler
  void (*emit)(std::uint32_t word, std::uint32_t a, std::uint64_t b, std::uint64_t c);
  void (*emit_place)(std::uint32_t word, std::uint32_t a, std::uint64_t b, std::uint64_t c);
  std::uint64_t (*emit_pair)(std::uint32_t first, std::uint32_t second, std::uint64_t b, std::uint64_t c);
  std::uint64_t (*emit_region)(std::uint16_t sub, std::uint32_t threads, std::uint64_t place);
  std::uint64_t (*emit_member)(std::uint16_t sub, std::uint32_t team, std::uint64_t region);
  void (*emit_part_end)(std::uint16_t number, std::uint16_t sub, std::uint64_t task, std::uint64_t region,
                        std::uint64_t place);
  std::uint64_t (*emit_task)(std::uint16_t sub, int depends, std::uint64_t creator, std::uint64_t place);
};
extern Handlers on;
/// Set before `on` is used.
extern const tracer_front_end* front;

/// A place in the program that calls an entry point.
struct Site {
  std::uint64_t key = 0;
  const Runtime* runtime = nullptr;
  const void* code = nullptr;  ///< nullptr: nothing is recorded of calls from here, or `runtime` is nullptr, too
  bool is_silent() const noexcept { return code == nullptr; }
};

/// A worksharing construct that the thread has begun and not ended.
struct Work {
  const void* code = nullptr;
  std::uint64_t count = 0;  ///< iterations
  std::int64_t step = 1;
  std::uint16_t type = 0;            ///< 0: none
  std::uint32_t chunks = 0;          ///< handed out
  const Runtime* runtime = nullptr;  ///< of a loop: whose it is
};

struct Region;

struct Thread {
  static constexpr unsigned set_bits = 5, sets = 1u << set_bits;  // it lies on small threads' stacks
  std::uint64_t task = 0;                                         ///< that runs
  const void* function = nullptr;                                 ///< outlined, that runs
  std::uint64_t region = 0;                                       ///< id of the innermost region
  Work work;
  std::uint64_t process = 0;   ///< of which it has begun to record; a forked child is another
  std::uint32_t number = 0;    ///< in its team
  bool is_late = false;        ///< its part of a team is over, but for the barrier that it waits in
  std::uint32_t runtimes = 0;  ///< bit by bit: those that it has used
  unsigned old_depth = 0;      ///< regions of GOMP_parallel_start that are open
  Caller caller;               ///< the last
  std::uint64_t caller_generation = 0;
  Site sites[sets][2];
};
extern constinit thread_local Thread thread __attribute__((tls_model("initial-exec")));

/// Of forked processes.
extern std::atomic<std::uint64_t> process;

const Site& look_up(const void* from, const void* entry_point, std::uint64_t key) noexcept;
/// Whether it is code of this library.
bool is_own(const void* address) noexcept;
/// For a site without a runtime: an outlined function has ended with a jump to the entry point, so that the return
/// address is this library's. Its place is another for each function.
Site site_in_function(const void* from, const void* entry_point, std::uint64_t key) noexcept;

[[gnu::always_inline]] inline Site* set_of(Thread& self, std::uint64_t key) noexcept {
  return self.sites[(key * 0x9e3779b97f4a7c15u) >> (64 - Thread::set_bits)];
}

[[gnu::always_inline]] inline std::uint64_t key_of(const void* from, Entry entry) noexcept {
  return reinterpret_cast<std::uint64_t>(from) + (static_cast<std::uint64_t>(entry) << 48) +
         generation.load(std::memory_order_relaxed);
}
/// By value: what is called may use its place for another.
[[gnu::always_inline]] inline Site site_of(const void* from, Entry entry, const void* entry_point) noexcept {
  const std::uint64_t key = key_of(from, entry);
  const Site* set = set_of(thread, key);
  if (set[0].key == key) [[likely]]
    return set[0];
  if (set[1].key == key) [[likely]]
    return set[1];
  return look_up(from, entry_point, key);
}

/// Its first event: tells who it is. `type`: ompt_thread_t.
void begin_thread(Thread& self, ompt_thread_t type) noexcept;
/// It works for the runtime.
void use(Thread& self, const Runtime& runtime) noexcept;
inline bool is_known(const Thread& self) noexcept {
  return self.process == process.load(std::memory_order_relaxed);
}

inline std::uint64_t address_of(const void* code) noexcept {
  return reinterpret_cast<std::uint64_t>(code);
}

/// Loops whose threads ask for chunks until there are no more.
constexpr bool hands_out_chunks(std::uint16_t work) noexcept {
  return work >= work_type::loop_dynamic && work <= work_type::loop_other;
}

inline ompt_data_t word_of(std::uint64_t id) noexcept {
  ompt_data_t word;
  word.value = id;
  return word;
}

/// Ends what the thread has open of worksharing: code of GCC does not say where `single` and `scope` end.
[[gnu::always_inline]] inline void end_work(Thread& self) noexcept {
  const std::uint16_t type = self.work.type;
  if (type == 0) return;
  const std::uint32_t chunks = hands_out_chunks(type) ? self.work.chunks : 0;
  self.work.type = 0;
  self.work.runtime = nullptr;
  if (on.has_work)
    on.emit(TRACER_WORD(RecordKind::work, Endpoint::end, type), chunks, self.work.count, address_of(self.work.code));
}
inline void begin_work(Thread& self, const Work& work) noexcept {
  end_work(self);
  self.work = work;
  if (on.has_work)
    on.emit_place(TRACER_WORD(RecordKind::work, Endpoint::begin, work.type), 0, work.count, address_of(work.code));
}

/// A region of synchronisation begins, and the wait in it: at one moment.
[[gnu::always_inline]] inline void begin_wait(const Thread& self, std::uint16_t kind, const void* code) noexcept {
  const std::uint32_t region = TRACER_WORD(RecordKind::sync_region, Endpoint::begin, kind),
                      wait = TRACER_WORD(RecordKind::sync_region_wait, Endpoint::begin, kind);
  if (on.has_sync && on.has_wait) [[likely]]
    on.emit_pair(region, wait, self.task, address_of(code));
  else if (on.has_sync || on.has_wait)
    on.emit_place(on.has_sync ? region : wait, 0, self.task, address_of(code));
}
/// Both end.
[[gnu::always_inline]] inline void end_wait(const Thread& self, std::uint16_t kind, const void* code) noexcept {
  const std::uint32_t region = TRACER_WORD(RecordKind::sync_region, Endpoint::end, kind),
                      wait = TRACER_WORD(RecordKind::sync_region_wait, Endpoint::end, kind);
  if (on.has_sync && on.has_wait) [[likely]]
    on.emit_pair(wait, region, self.task, address_of(code));
  else if (on.has_sync || on.has_wait)
    on.emit(on.has_sync ? region : wait, 0, self.task, address_of(code));
}

/// A region of synchronisation that the thread waits in, around `call`.
template <class Call>
[[gnu::always_inline]] inline auto waiting(std::uint16_t kind, const void* code, Call call) {
  Thread& self = thread;
  begin_wait(self, kind, code);
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    end_wait(self, kind, code);
  } else {
    const auto result = call();
    end_wait(self, kind, code);
    return result;
  }
}

}  // namespace tracer::gomp

/// Begins an entry point: `site`, from where it was called. The first thing that it does; where nothing is to be
/// recorded it becomes a jump to libgomp's own.
#define TRACER_GOMP_ENTER(name, ...)                                                                   \
  const void* const from = __builtin_return_address(0);                                                \
  const void* const entry_point = reinterpret_cast<const void*>(&::name);                              \
  ::tracer::gomp::Site site = ::tracer::gomp::site_of(from, ::tracer::gomp::Entry::name, entry_point); \
  if (site.is_silent()) [[unlikely]] {                                                                 \
    if (site.runtime == nullptr) site = ::tracer::gomp::site_in_function(from, entry_point, site.key); \
    if (site.is_silent()) return site.runtime->name(__VA_ARGS__);                                      \
  }                                                                                                    \
  static_assert(true)

/// The same for a construct whose code is `function`: its place is the begin of that, as a return address. GCC gives no
/// line to the call, but one to the begin: that of the pragma.
#define TRACER_GOMP_ENTER_OUTLINED(name, ...) \
  TRACER_GOMP_ENTER(name, __VA_ARGS__);       \
  site.code = reinterpret_cast<const char*>(function) + 1
