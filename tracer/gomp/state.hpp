// SPDX-License-Identifier: BSD-3-Clause
// What is kept of a thread, and how an entry point finds its libgomp and the handlers of libtracer.so. After a thread's
// first call from a place this is a comparison: no lock, no allocation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "omp-tools.h"
#include "tracer/front_end.h"
#include "tracer/gomp/lane.hpp"
#include "tracer/gomp/open_data.hpp"
#include "tracer/gomp/room.hpp"
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
  bool counts_chunks;  ///< has_work and not has_chunks: the usual way of loops
  bool has_sync_and_wait;
};
[[gnu::visibility("hidden")]] extern Handlers on;

/// A place in the program that calls an entry point.
struct Site {
  std::uint64_t key = 0;
  const Runtime* runtime = nullptr;
  const void* code = nullptr;  ///< nullptr: nothing is recorded of calls from here, or `runtime` is nullptr, too
  bool is_silent() const noexcept { return code == nullptr; }
};

/// Loops whose threads request chunks until there are no more.
constexpr bool hands_out_chunks(std::uint16_t work) noexcept {
  return work >= work_type::loop_dynamic && work <= work_type::loop_other;
}

/// A worksharing construct that the thread has begun and not ended.
struct Work {
  const void* code = nullptr;
  std::uint64_t count = 0;           ///< iterations
  const Runtime* runtime = nullptr;  ///< of a loop that is recorded and its chunks counted: whose it is
  std::uint32_t end_word = 0;        ///< of the record of its end; 0: none is open
  /// Each chunk of a loop is followed by a call that requests the next. So the calls are counted, before libgomp is
  /// called, whose result need not come back to us. Below 0 there are none.
  std::int32_t asked = 0;
  std::int64_t step = 1;

  Work() = default;
  constexpr Work(const void* place, std::uint16_t type, std::uint64_t number, std::int64_t stride = 1,
                 const Runtime* of = nullptr) noexcept
      : code(place),
        count(number),
        runtime(of),
        end_word(TRACER_WORD(RecordKind::work, Endpoint::end, type)),
        asked(hands_out_chunks(type) ? 0 : std::numeric_limits<std::int32_t>::min()),
        step(stride) {}
  /// All but `step`, which few need.
  [[gnu::always_inline]] void begin(const Work& work) noexcept {
    code = work.code;
    count = work.count;
    runtime = work.runtime;
    end_word = work.end_word;
    asked = work.asked;
  }
  std::uint16_t type() const noexcept { return static_cast<std::uint16_t>(end_word >> 16); }
  std::uint32_t chunks() const noexcept { return asked > 0 ? static_cast<std::uint32_t>(asked) : 0; }
  /// A further chunk. Of more than 2^31 - 1 some are not counted.
  [[gnu::always_inline]] void request() noexcept { asked += asked != std::numeric_limits<std::int32_t>::max() ? 1 : 0; }
  /// The first chunk of the loop is requested, too.
  void begins_without_chunk() noexcept {
    if (asked == 0) asked = -1;
  }
};

struct Region;
struct Target;

/// A task, for the function that libgomp calls for it, at once.
struct Given {
  Function function;  ///< nullptr: there is none
  std::uint64_t task;
  Copy copy;  ///< the program's, or nullptr
  std::size_t size;
};

/// A barrier that the thread may have come to: only libgomp's result says whether it has.
struct PastWait {
  std::uint64_t since = 0;  ///< by front->now(); 0: there is none, or its begin is recorded
  const void* code = nullptr;
};

struct Thread {
  static constexpr unsigned set_bits = 5, sets = 1u << set_bits;  // it lies on small threads' stacks
  std::uint64_t task = 0;                                         ///< that runs
  std::uint64_t implicit = 0;                                     ///< task of the innermost region
  const void* function = nullptr;                                 ///< outlined, that runs
  std::uint64_t region = 0;                                       ///< id of the innermost region
  Work work;
  std::uint64_t process = 0;   ///< of which it has begun to record; a forked child is another
  std::uint32_t number = 0;    ///< in its team
  bool is_late = false;        ///< its part of a team is over, but for the barrier that it waits in
  std::uint64_t runtimes = 0;  ///< bit by bit: those of the first 64 that it has used
  unsigned old_depth = 0;      ///< regions of GOMP_parallel_start that are open
  const void* from = nullptr;  ///< for an entry point's second half: its return address
  Given given{};               ///< between an entry point and what libgomp calls
  Target* target = nullptr;    ///< construct that is open
  OpenData open_data;
  PastWait past_wait;
  Caller caller;  ///< the last
  std::uint64_t caller_generation = 0;
  static constexpr unsigned firsts = 64;
  Site first[firsts];  ///< by entry point: where its latest new call came from, of those that are recorded
  Site sites[sets][2];
  Rooms rooms;
};
extern constinit thread_local Thread thread __attribute__((tls_model("initial-exec")));

/// Of forked processes.
[[gnu::visibility("hidden")]] extern std::atomic<std::uint64_t> process;

const Site& look_up(const void* from, Entry entry, const void* entry_point, std::uint64_t key) noexcept;
/// Whether it is code of this library.
bool is_own(const void* address) noexcept;
/// For a site without a runtime: an outlined function has ended with a jump to the entry point, so that the return
/// address is this library's. Its place is another for each function.
const Site& site_in_function(const void* from, const void* entry_point, std::uint64_t key) noexcept;

[[gnu::always_inline]] inline Site* set_of(Thread& self, std::uint64_t key) noexcept {
  return self.sites[(key * 0x9e3779b97f4a7c15u) >> (64 - Thread::set_bits)];
}

[[gnu::always_inline]] inline std::uint64_t key_of(const void* from, Entry entry) noexcept {
  return reinterpret_cast<std::uint64_t>(from) + (static_cast<std::uint64_t>(entry) << 48) +
         generation.load(std::memory_order_relaxed);
}
[[gnu::always_inline]] inline Site& first_of(Thread& self, Entry entry) noexcept {
  return self.first[static_cast<unsigned>(entry) % Thread::firsts];
}
/// By value: what is called may use its place for another. The first place to look at does not depend on `from`, so
/// that what it has is there at once.
[[gnu::always_inline]] inline Site site_of(const void* from, Entry entry, const void* entry_point) noexcept {
  const std::uint64_t key = key_of(from, entry);
  if (const Site& first = first_of(thread, entry); first.key == key) [[likely]]
    return first;
  const Site* set = set_of(thread, key);
  if (set[0].key == key) [[likely]]
    return set[0];
  if (set[1].key == key) [[likely]]
    return set[1];
  return look_up(from, entry, entry_point, key);
}

/// Also where the return address is this library's.
[[gnu::always_inline]] inline Site site_of_call(const void* from, Entry entry, const void* entry_point) noexcept {
  const Site site = site_of(from, entry, entry_point);
  return site.runtime != nullptr ? site : site_in_function(from, entry_point, site.key);
}

/// Its first event, which identifies it. `type`: ompt_thread_t.
void begin_thread(Thread& self, ompt_thread_t type) noexcept;
/// It works for the runtime.
void use(Thread& self, const Runtime& runtime) noexcept;
inline bool is_known(const Thread& self) noexcept {
  return self.process == process.load(std::memory_order_relaxed);
}

inline std::uint64_t address_of(const void* code) noexcept {
  return reinterpret_cast<std::uint64_t>(code);
}

inline ompt_data_t word_of(std::uint64_t id) noexcept {
  ompt_data_t word;
  word.value = id;
  return word;
}

/// Ends what the thread has open of worksharing: code of GCC does not say where `single` and `scope` end.
inline Words begin_of(const Work& work) noexcept {
  return {TRACER_WORD(RecordKind::work, Endpoint::begin, work.type()), 0, work.count, address_of(work.code)};
}
[[gnu::always_inline]] inline void end_recorded_work(Thread& self) noexcept {
  const std::uint32_t word = self.work.end_word;
  self.work.end_word = 0;
  self.work.runtime = nullptr;
  record(Words{word, self.work.chunks(), self.work.count, address_of(self.work.code)});
}
[[gnu::always_inline]] inline void end_work(Thread& self) noexcept {
  if (self.work.end_word == 0) return;
  if (on.has_work) [[likely]]
    return end_recorded_work(self);
  self.work.end_word = 0;
}
void end_earlier_work(Thread& self) noexcept;
/// Where it is to be recorded.
[[gnu::always_inline]] inline void begin_recorded_work(Thread& self, const Work& work) noexcept {
  if (self.work.end_word != 0) [[unlikely]]
    end_earlier_work(self);
  self.work.begin(work);
  record(begin_of(work));
}
[[gnu::always_inline]] inline void begin_work(Thread& self, const Work& work) noexcept {
  if (on.has_work) [[likely]]
    begin_recorded_work(self, work);
  else
    self.work.code = work.code;
  if (!on.counts_chunks) [[unlikely]]
    self.work.runtime = nullptr;  // so that each call of a loop comes to next_chunk()
}

/// A jump has left the explicit task that the thread runs, if it runs one that is not `task`, and gone on in that.
void end_left_task(Thread& self, std::uint64_t task) noexcept;

/// What is recorded of a region of synchronisation and the wait in it.
[[gnu::always_inline]] inline Words sync_words(RecordKind record, Endpoint at, std::uint16_t kind, std::uint64_t task,
                                               const void* code) noexcept {
  return {TRACER_WORD(record, at, kind), 0, task, address_of(code)};
}
/// Where one of the two is not recorded.
void record_half_wait(Endpoint at, std::uint16_t kind, std::uint64_t task, const void* code) noexcept;

/// Both begin: at one moment.
[[gnu::always_inline]] inline void begin_wait(const Thread& self, std::uint16_t kind, const void* code) noexcept {
  if (!on.has_sync_and_wait) [[unlikely]]
    return record_half_wait(Endpoint::begin, kind, self.task, code);
  const std::uint64_t task = self.task;
  record(sync_words(RecordKind::sync_region, Endpoint::begin, kind, task, code),
         sync_words(RecordKind::sync_region_wait, Endpoint::begin, kind, task, code));
}
/// Both end.
[[gnu::always_inline]] inline void end_wait(const Thread& self, std::uint16_t kind, const void* code) noexcept {
  if (!on.has_sync_and_wait) [[unlikely]]
    return record_half_wait(Endpoint::end, kind, self.task, code);
  const std::uint64_t task = self.task;
  record(sync_words(RecordKind::sync_region_wait, Endpoint::end, kind, task, code),
         sync_words(RecordKind::sync_region, Endpoint::end, kind, task, code));
}

/// The same of the calling thread, apart from the entry point: what they need on the stack is not there while libgomp
/// runs tasks.
void wait_begins(std::uint16_t kind, const void* code) noexcept;
void wait_ends(std::uint16_t kind, const void* code) noexcept;
/// Records the begin of `self.past_wait`, if it is not yet.
void record_past_wait(Thread& self) noexcept;
[[gnu::always_inline]] inline void begin_past_wait(Thread& self) noexcept {
  if (self.past_wait.since != 0) [[unlikely]]
    record_past_wait(self);
}
/// Of a region that has begun: the wait in it.
void begin_half_wait(std::uint16_t kind, const void* code) noexcept;

/// A region of synchronisation that the thread waits in, around `call`.
template <class Call>
[[gnu::always_inline]] inline auto waiting(std::uint16_t kind, const void* code, Call call) {
  wait_begins(kind, code);
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    wait_ends(kind, code);
  } else {
    const auto result = call();
    wait_ends(kind, code);
    return result;
  }
}

}  // namespace tracer::gomp

/// Begins an entry point: `site`, from where it was called. The first thing that it does; where nothing is to be
/// recorded it becomes a jump to libgomp's own.
#define TRACER_GOMP_ENTER(name, ...) TRACER_GOMP_ENTER_FROM(__builtin_return_address(0), name, __VA_ARGS__)
#define TRACER_GOMP_ENTER_FROM(caller, name, ...)                                                      \
  const void* const from = caller;                                                                     \
  const void* const entry_point = reinterpret_cast<const void*>(&::name);                              \
  ::tracer::gomp::Site site = ::tracer::gomp::site_of(from, ::tracer::gomp::Entry::name, entry_point); \
  if (site.is_silent()) [[unlikely]] {                                                                 \
    if (site.runtime == nullptr) site = ::tracer::gomp::site_in_function(from, entry_point, site.key); \
    if (site.is_silent()) {                                                                            \
      ::tracer::gomp::thread.work.runtime = nullptr; /* whose loop this is shows in its own calls */   \
      return site.runtime->name(__VA_ARGS__);                                                          \
    }                                                                                                  \
  }                                                                                                    \
  static_assert(true)

/// Of the entry point that it stands in, behind the above.
#define TRACER_GOMP_FRAME                                         \
  ::tracer::gomp::Frame {                                         \
    reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()), from \
  }

/// The same for a construct whose code is `function`: its place is the begin of that, as a return address. GCC gives no
/// line to the call, but one to the begin: that of the pragma.
#define TRACER_GOMP_ENTER_OUTLINED(name, ...) \
  TRACER_GOMP_ENTER(name, __VA_ARGS__);       \
  site.code = reinterpret_cast<const char*>(function) + 1
