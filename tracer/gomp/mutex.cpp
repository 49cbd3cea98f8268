// SPDX-License-Identifier: BSD-3-Clause
// Critical, atomic, ordered and locks. A release is recorded before it happens: the next thread takes the mutex later.
#include <atomic>
#include <cstddef>

#include "tracer/gomp/state.hpp"
#include "tracer/processor.hpp"

namespace tracer::gomp {
namespace {

constexpr unsigned no_implementation = 0;

constexpr auto kind_of(std::uint16_t kind) noexcept {
  return static_cast<ompt_mutex_t>(kind);
}
inline ompt_wait_id_t wait_id(const void* address) noexcept {
  return reinterpret_cast<ompt_wait_id_t>(address);
}

/// Who had a mutex last, by its wait id; mutexes may share an entry. Written by who holds it.
constexpr std::size_t holders = 4096;
constinit std::atomic<const void*> last_holder[holders];

/// A processor that waits for the memory of a mutex reads the clock meanwhile, some 50 ns before another thread's
/// release. If another thread had it last, the clock is therefore read when the acquisition is complete.
[[gnu::always_inline]] inline void acquired(std::uint16_t kind, ompt_wait_id_t id, const Site& site) noexcept {
  auto& last = last_holder[(id >> 3 ^ id >> 15) % holders];
  if (last.load(std::memory_order_relaxed) != &thread) [[unlikely]] {
    last.store(&thread, std::memory_order_relaxed);
    tracer::complete_instructions();
  }
  on.mutex_acquired(kind_of(kind), id, site.code);
}

template <class Call>
[[gnu::always_inline]] inline void acquire(std::uint16_t kind, ompt_wait_id_t id, const Site& site, Call call) {
  on.mutex_acquire(kind_of(kind), 0, no_implementation, id, site.code);
  call();
  acquired(kind, id, site);
}

[[gnu::always_inline]] inline void release(std::uint16_t kind, ompt_wait_id_t id, const Site& site) noexcept {
  on.mutex_released(kind_of(kind), id, site.code);
}

/// Unnamed critical regions share a mutex, atomic regions another: each libgomp has its own.
ompt_wait_id_t of_critical(const Site& site) noexcept {
  return wait_id(&site.runtime->path[0]);
}
ompt_wait_id_t of_atomic(const Site& site) noexcept {
  return wait_id(&site.runtime->path[1]);
}

/// How often the thread that holds it has taken a lock; only libgomp has that number. It stays unchanged.
template <class Test, class Unset>
int nesting(Lock* lock, Test test, Unset unset) {
  const int with_this = test(lock);
  if (with_this > 0) unset(lock);
  return with_this - 1;
}

template <class Call, class Test, class Unset>
[[gnu::always_inline]] inline void set_nested(Lock* lock, const Site& site, Call set, Test test, Unset unset) {
  const ompt_wait_id_t id = wait_id(lock);
  on.mutex_acquire(kind_of(mutex_kind::nest_lock), 0, no_implementation, id, site.code);
  set(lock);
  if (nesting(lock, test, unset) > 1)
    on.nest_lock(ompt_scope_begin, id, site.code);
  else
    acquired(mutex_kind::nest_lock, id, site);
}

template <class Test, class Unset>
[[gnu::always_inline]] inline void unset_nested(Lock* lock, const Site& site, Test test, Unset unset) {
  const ompt_wait_id_t id = wait_id(lock);
  if (nesting(lock, test, unset) > 1)
    on.nest_lock(ompt_scope_end, id, site.code);
  else
    release(mutex_kind::nest_lock, id, site);
  unset(lock);
}

template <class Test>
[[gnu::always_inline]] inline int test_nested(Lock* lock, const Site& site, Test test) {
  const ompt_wait_id_t id = wait_id(lock);
  on.mutex_acquire(kind_of(mutex_kind::test_nest_lock), 0, no_implementation, id, site.code);
  const int count = test(lock);
  if (count == 1) acquired(mutex_kind::test_nest_lock, id, site);
  if (count > 1) on.nest_lock(ompt_scope_begin, id, site.code);
  return count;
}

template <class Test>
[[gnu::always_inline]] inline int test_plain(Lock* lock, const Site& site, Test test) {
  const ompt_wait_id_t id = wait_id(lock);
  on.mutex_acquire(kind_of(mutex_kind::test_lock), 0, no_implementation, id, site.code);
  const int is_taken = test(lock);
  if (is_taken != 0) acquired(mutex_kind::test_lock, id, site);
  return is_taken;
}

}  // namespace
}  // namespace tracer::gomp

using namespace tracer::gomp;
namespace mutex_kind = tracer::mutex_kind;

void GOMP_critical_start() {
  TRACER_GOMP_ENTER(GOMP_critical_start);
  acquire(mutex_kind::critical, of_critical(site), site, [&] { site.runtime->GOMP_critical_start(); });
}

void GOMP_critical_end() {
  TRACER_GOMP_ENTER(GOMP_critical_end);
  release(mutex_kind::critical, of_critical(site), site);
  site.runtime->GOMP_critical_end();
}

void GOMP_critical_name_start(void** name) {
  TRACER_GOMP_ENTER(GOMP_critical_name_start, name);
  acquire(mutex_kind::critical, wait_id(name), site, [&] { site.runtime->GOMP_critical_name_start(name); });
}

void GOMP_critical_name_end(void** name) {
  TRACER_GOMP_ENTER(GOMP_critical_name_end, name);
  release(mutex_kind::critical, wait_id(name), site);
  site.runtime->GOMP_critical_name_end(name);
}

void GOMP_atomic_start() {
  TRACER_GOMP_ENTER(GOMP_atomic_start);
  acquire(mutex_kind::atomic, of_atomic(site), site, [&] { site.runtime->GOMP_atomic_start(); });
}

void GOMP_atomic_end() {
  TRACER_GOMP_ENTER(GOMP_atomic_end);
  release(mutex_kind::atomic, of_atomic(site), site);
  site.runtime->GOMP_atomic_end();
}

// Of each team another.
void GOMP_ordered_start() {
  TRACER_GOMP_ENTER(GOMP_ordered_start);
  acquire(mutex_kind::ordered, thread.region, site, [&] { site.runtime->GOMP_ordered_start(); });
}

void GOMP_ordered_end() {
  TRACER_GOMP_ENTER(GOMP_ordered_end);
  release(mutex_kind::ordered, thread.region, site);
  site.runtime->GOMP_ordered_end();
}

#define TRACER_DEFINE(end)                                                                                   \
  void omp_init_lock##end(Lock* lock) {                                                                      \
    TRACER_GOMP_ENTER(omp_init_lock##end, lock);                                                             \
    on.lock_init(kind_of(mutex_kind::lock), 0, no_implementation, wait_id(lock), site.code);                 \
    site.runtime->omp_init_lock##end(lock);                                                                  \
  }                                                                                                          \
  void omp_destroy_lock##end(Lock* lock) {                                                                   \
    TRACER_GOMP_ENTER(omp_destroy_lock##end, lock);                                                          \
    on.lock_destroy(kind_of(mutex_kind::lock), wait_id(lock), site.code);                                    \
    site.runtime->omp_destroy_lock##end(lock);                                                               \
  }                                                                                                          \
  void omp_set_lock##end(Lock* lock) {                                                                       \
    TRACER_GOMP_ENTER(omp_set_lock##end, lock);                                                              \
    acquire(mutex_kind::lock, wait_id(lock), site, [&] { site.runtime->omp_set_lock##end(lock); });          \
  }                                                                                                          \
  void omp_unset_lock##end(Lock* lock) {                                                                     \
    TRACER_GOMP_ENTER(omp_unset_lock##end, lock);                                                            \
    release(mutex_kind::lock, wait_id(lock), site);                                                          \
    site.runtime->omp_unset_lock##end(lock);                                                                 \
  }                                                                                                          \
  int omp_test_lock##end(Lock* lock) {                                                                       \
    TRACER_GOMP_ENTER(omp_test_lock##end, lock);                                                             \
    return test_plain(lock, site, site.runtime->omp_test_lock##end);                                         \
  }                                                                                                          \
  void omp_init_nest_lock##end(Lock* lock) {                                                                 \
    TRACER_GOMP_ENTER(omp_init_nest_lock##end, lock);                                                        \
    on.lock_init(kind_of(mutex_kind::nest_lock), 0, no_implementation, wait_id(lock), site.code);            \
    site.runtime->omp_init_nest_lock##end(lock);                                                             \
  }                                                                                                          \
  void omp_destroy_nest_lock##end(Lock* lock) {                                                              \
    TRACER_GOMP_ENTER(omp_destroy_nest_lock##end, lock);                                                     \
    on.lock_destroy(kind_of(mutex_kind::nest_lock), wait_id(lock), site.code);                               \
    site.runtime->omp_destroy_nest_lock##end(lock);                                                          \
  }                                                                                                          \
  void omp_set_nest_lock##end(Lock* lock) {                                                                  \
    TRACER_GOMP_ENTER(omp_set_nest_lock##end, lock);                                                         \
    set_nested(lock, site, site.runtime->omp_set_nest_lock##end, site.runtime->omp_test_nest_lock##end,      \
               site.runtime->omp_unset_nest_lock##end);                                                      \
  }                                                                                                          \
  void omp_unset_nest_lock##end(Lock* lock) {                                                                \
    TRACER_GOMP_ENTER(omp_unset_nest_lock##end, lock);                                                       \
    unset_nested(lock, site, site.runtime->omp_test_nest_lock##end, site.runtime->omp_unset_nest_lock##end); \
  }                                                                                                          \
  int omp_test_nest_lock##end(Lock* lock) {                                                                  \
    TRACER_GOMP_ENTER(omp_test_nest_lock##end, lock);                                                        \
    return test_nested(lock, site, site.runtime->omp_test_nest_lock##end);                                   \
  }
TRACER_DEFINE()
TRACER_DEFINE(_)
#undef TRACER_DEFINE
