// SPDX-License-Identifier: BSD-3-Clause
// See state.hpp.
#include "tracer/gomp/state.hpp"

#include <pthread.h>

#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "tracer/connect.h"
#include "tracer/gomp/undisturbed.hpp"
#include "tracer/gomp/unseen.hpp"
#include "tracer/processor.hpp"
#include "tracer/property_names.hpp"

namespace tracer::gomp {

constinit thread_local Thread thread __attribute__((tls_model("initial-exec")));
constinit std::atomic<std::uint64_t> process{1};
constinit const tracer_front_end* front = nullptr;
constinit std::ptrdiff_t lane_at = 0;

namespace {

template <class F>
struct Nothing;
template <class R, class... A>
struct Nothing<R (*)(A...)> {
  static R call(A...) noexcept {
    if constexpr (!std::is_void_v<R>) return R{};
  }
};
template <class F>
constexpr F nothing = &Nothing<F>::call;

enum class State : int { not_asked, records, off };
constinit std::atomic<State> state{State::not_asked};

template <class F>
void take(F& handler, int event) noexcept {
  const auto found = reinterpret_cast<F>(front->ompt_handler(event));
  handler = found != nullptr ? found : nothing<F>;
}

void take_handlers() noexcept {
  take(on.parallel_begin, ompt_callback_parallel_begin);
  take(on.parallel_end, ompt_callback_parallel_end);
  take(on.implicit_task, ompt_callback_implicit_task);
  take(on.sync_region, ompt_callback_sync_region);
  take(on.sync_region_wait, ompt_callback_sync_region_wait);
  take(on.work, ompt_callback_work);
  take(on.dispatch, ompt_callback_dispatch);
  take(on.mutex_acquire, ompt_callback_mutex_acquire);
  take(on.mutex_acquired, ompt_callback_mutex_acquired);
  take(on.mutex_released, ompt_callback_mutex_released);
  take(on.lock_init, ompt_callback_lock_init);
  take(on.lock_destroy, ompt_callback_lock_destroy);
  take(on.nest_lock, ompt_callback_nest_lock);
  take(on.cancel, ompt_callback_cancel);
  take(on.target, ompt_callback_target_emi);
  lane_at = front->lane();
  on.has_tasks = front->ompt_handler(ompt_callback_task_schedule) != nullptr;
  on.has_work = front->ompt_handler(ompt_callback_work) != nullptr;
  on.has_chunks = front->records_chunks() != 0;
  on.counts_chunks = on.has_work && !on.has_chunks;
  on.has_dependences = front->ompt_handler(ompt_callback_dependences) != nullptr;
  on.has_sync = front->ompt_handler(ompt_callback_sync_region) != nullptr;
  on.has_wait = front->ompt_handler(ompt_callback_sync_region_wait) != nullptr;
  on.has_sync_and_wait = on.has_sync && on.has_wait;
  on.has_target = front->ompt_handler(ompt_callback_target_map_emi) != nullptr;
}

/// Two threads may do this at once: they write the same.
bool connect() noexcept {
  const State known = state.load(std::memory_order_acquire);
  if (known != State::not_asked) return known == State::records;
  const tracer_front_end* table = tracer_find_and_connect(reinterpret_cast<const void*>(&connect));
  const bool is_there = table != nullptr && table->size >= offsetof(tracer_front_end, records_chunks) + sizeof table;
  if (is_there) {
    front = table;
    take_handlers();
    static constinit std::atomic<bool> is_registered{false};
    if (!is_registered.exchange(true)) {
      pthread_atfork(nullptr, nullptr, [] {
        process.fetch_add(1);
        thread.work.runtime = nullptr;  // in this process the thread has not begun the loop
        thread.rooms.forget_left();
        forget_keepers();
        forget_threads();
        forget_named();
        next_generation();
      });
    }
  }
  state.store(is_there ? State::records : State::off, std::memory_order_release);
  return is_there;
}

const Caller& caller_of(Thread& self, std::uintptr_t address) noexcept {
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (self.caller_generation != now || !self.caller.code.contains(address)) {
    self.caller = find_caller(address);
    self.caller_generation = now;
  }
  return self.caller;
}

}  // namespace

constinit Handlers on{
    .parallel_begin = nothing<ompt_callback_parallel_begin_t>,
    .parallel_end = nothing<ompt_callback_parallel_end_t>,
    .implicit_task = nothing<ompt_callback_implicit_task_t>,
    .sync_region = nothing<ompt_callback_sync_region_t>,
    .sync_region_wait = nothing<ompt_callback_sync_region_t>,
    .work = nothing<ompt_callback_work_t>,
    .dispatch = nothing<ompt_callback_dispatch_t>,
    .mutex_acquire = nothing<ompt_callback_mutex_acquire_t>,
    .mutex_acquired = nothing<ompt_callback_mutex_t>,
    .mutex_released = nothing<ompt_callback_mutex_t>,
    .lock_init = nothing<ompt_callback_mutex_acquire_t>,
    .lock_destroy = nothing<ompt_callback_mutex_t>,
    .nest_lock = nothing<ompt_callback_nest_lock_t>,
    .cancel = nothing<ompt_callback_cancel_t>,
    .target = nothing<ompt_callback_target_emi_t>,
    .has_dependences = false,
    .has_target = false,
    .has_sync = false,
    .has_wait = false,
    .has_tasks = false,
    .has_work = false,
    .has_chunks = false,
    .counts_chunks = false,
    .has_sync_and_wait = false,
};

bool is_own(const void* address) noexcept {
  extern const char begin[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
  extern const char end[] __asm__("_etext") __attribute__((visibility("hidden")));
  return address >= begin && address < end;
}

namespace {

Site& keep(Thread& self, const Site& site) noexcept {
  Site* set = set_of(self, site.key);
  set[1] = set[0];
  set[0] = site;
  return set[0];
}

/// `function`: nullptr, or the outlined function that the call is in.
Site& find_site_now(const void* from, const void* entry_point, const void* function, std::uint64_t key) noexcept {
  Thread& self = thread;
  const Caller& caller = caller_of(self, reinterpret_cast<std::uintptr_t>(function != nullptr ? function : from));
  const bool records = !caller.runtime->speaks_ompt && !caller.runtime->is_missing && connect();
  if (records && !is_known(self)) begin_thread(self, ompt_thread_initial);
  if (records) {
    use(self, *caller.runtime);
    if (!self.caller.is_named) name_unknown_functions(caller.code.begin);
    self.caller.is_named = true;
  }
  const void* const place = records ? place_of_call(from, entry_point, function, caller) : nullptr;
  if (records) see(place);
  return keep(self, {key, caller.runtime, place});
}

/// A call that the program's malloc() makes while this library works for the same thread: it is not recorded.
constinit thread_local Site passed_on __attribute__((tls_model("initial-exec"))){};

Site& find_site(const void* from, const void* entry_point, const void* function, std::uint64_t key) noexcept {
  if (is_undisturbed()) {
    passed_on = {0, find_caller(reinterpret_cast<std::uintptr_t>(function != nullptr ? function : from)).runtime,
                 nullptr};
    return passed_on;
  }
  Site* site = nullptr;
  auto find = [&] { site = &find_site_now(from, entry_point, function, key); };
  undisturbed(find);
  return *site;
}

}  // namespace

[[gnu::noinline, gnu::cold]] const Site& look_up(const void* from, Entry entry, const void* entry_point,
                                                 std::uint64_t key) noexcept {
  const bool is_in_function = is_own(from) && thread.function != nullptr;
  const Site& site =
      is_in_function ? keep(thread, {key, nullptr, nullptr}) : find_site(from, entry_point, nullptr, key);
  return site.is_silent() ? site : first_of(thread, entry) = site;
}

[[gnu::noinline]] const Site& site_in_function(const void* from, const void* entry_point, std::uint64_t key) noexcept {
  const void* const function = thread.function;
  const std::uint64_t own_key = key + reinterpret_cast<std::uint64_t>(function) * 3;
  const Site* set = set_of(thread, own_key);
  if (set[0].key == own_key) return set[0];
  if (set[1].key == own_key) return set[1];
  return find_site(from, entry_point, function, own_key);
}

namespace {
void begin_thread_now(Thread& self, ompt_thread_t type) noexcept {
  self.process = process.load(std::memory_order_relaxed);
  self.task = self.implicit = self.region = 0;
  self.work = {};
  self.is_late = false;
  self.runtimes = 0;
  front->ompt_thread_begin(static_cast<std::uint32_t>(type));
  if (type == ompt_thread_initial) {
    ompt_data_t nowhere = word_of(0), task = word_of(0);
    on.implicit_task(ompt_scope_begin, &nowhere, &task, 1, 1, ompt_task_initial);
    self.task = self.implicit = task.value;
  }
}
}  // namespace
void begin_thread(Thread& self, ompt_thread_t type) noexcept {
  auto record = [&] { begin_thread_now(self, type); };
  undisturbed(record);
}

[[gnu::noinline]] void end_earlier_work(Thread& self) noexcept {
  end_recorded_work(self);
}

[[gnu::noinline, gnu::cold]] void end_left_task(Thread& self, std::uint64_t task) noexcept {
  if (self.task == task || self.task == self.implicit) return;
  if (on.has_tasks)
    record(Words{TRACER_WORD(RecordKind::task_schedule, Endpoint::end, ompt_task_complete), 0, self.task, task});
  self.task = task;
}

void record_half_wait(Endpoint at, std::uint16_t kind, std::uint64_t task, const void* code) noexcept {
  if (on.has_sync) record(sync_words(RecordKind::sync_region, at, kind, task, code));
  if (on.has_wait) record(sync_words(RecordKind::sync_region_wait, at, kind, task, code));
}

[[gnu::noinline]] void wait_begins(std::uint16_t kind, const void* code) noexcept {
  begin_wait(thread, kind, code);
}
/// A processor that waits for the memory of a barrier reads the clock meanwhile, some 50 ns before the last thread
/// comes there.
[[gnu::noinline]] void wait_ends(std::uint16_t kind, const void* code) noexcept {
  if (kind == sync_kind::barrier_explicit || kind == sync_kind::barrier_implicit_workshare) complete_instructions();
  end_wait(thread, kind, code);
}
[[gnu::noinline, gnu::cold]] void record_past_wait(Thread& self) noexcept {
  const auto [since, code] = self.past_wait;
  self.past_wait.since = 0;
  const auto place = address_of(code);
  constexpr std::uint16_t kind = sync_kind::barrier_implicit_workshare;
  if (on.has_sync) front->emit_at(since, TRACER_WORD(RecordKind::sync_region, 1, kind), 0, self.task, place);
  if (on.has_wait) front->emit_at(since, TRACER_WORD(RecordKind::sync_region_wait, 1, kind), 0, self.task, place);
}
[[gnu::noinline]] void begin_half_wait(std::uint16_t kind, const void* code) noexcept {
  if (on.has_wait) record(sync_words(RecordKind::sync_region_wait, Endpoint::begin, kind, thread.task, code));
}

namespace {
/// Of what several threads write at once the last is kept: whoever finds a new number behind its own writes that, too.
void record_use(const Runtime& runtime) noexcept {
  char name[48], value[PATH_MAX + 16];
  std::snprintf(name, sizeof name, "%s%u", properties::fact(properties::run_libgomp), runtime.number);
  runtime.threads.fetch_add(1, std::memory_order_relaxed);
  std::uint32_t threads = 0;
  do {
    threads = runtime.threads.load(std::memory_order_relaxed);
    std::snprintf(value, sizeof value, "%u %s", threads, runtime.path);
    front->fact(name, value);
  } while (runtime.threads.load(std::memory_order_relaxed) != threads);
}
}  // namespace
void use(Thread& self, const Runtime& runtime) noexcept {
  const std::uint64_t bit = runtime.number < 64 ? std::uint64_t{1} << runtime.number : 0;
  if (bit == 0 || (self.runtimes & bit) != 0) return;
  self.runtimes |= bit;
  auto record = [&] { record_use(runtime); };
  undisturbed(record);
}

}  // namespace tracer::gomp
