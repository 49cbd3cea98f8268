// SPDX-License-Identifier: BSD-3-Clause
// Counts the calls of libgomp and nothing else, independently of the tool: preloaded, between the program and its
// libgomp. At the end it writes "name count" lines into the file that ORACLE_OUTPUT names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
#define COUNTERS(M) \
  M(regions) M(members) M(barriers) M(workshare_barriers) M(tasks) M(created) M(dependences) M(criticals) M(atomics) \
  M(ordered) M(locks) M(loops) M(chunks) M(sections) M(section) M(singles) M(executors) M(scopes) M(taskwaits) M(taskgroups)
// clang-format on
#define COUNTER(name) static atomic_long name;
COUNTERS(COUNTER)
#define ADD(name, n) atomic_fetch_add_explicit(&name, n, memory_order_relaxed)

typedef void (*function)(void*);
typedef void (*copy)(void*, void*);
typedef unsigned long long ull;

#define NEXT(name)               \
  static __typeof__(&name) next; \
  if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((destructor)) static void tell(void) {
  const char* path = getenv("ORACLE_OUTPUT");
  FILE* file = path && regions + created + locks + criticals ? fopen(path, "w") : NULL;
  if (!file) return;
#define TELL(name) fprintf(file, #name " %ld\n", (long)name);
  COUNTERS(TELL)
  fclose(file);
}

// A function that is run by the members of a team, or as a task, with one that counts before it.
struct body {
  void* reductions;
  function run;
  void* data;
  long loop, sections;
};
static void member(void* argument) {
  struct body* body = argument;
  ADD(members, 1);
  ADD(loops, body->loop);
  ADD(sections, body->sections);
  body->run(body->data);
}

void GOMP_parallel(function run, void* data, unsigned threads, unsigned flags) {
  NEXT(GOMP_parallel);
  ADD(regions, 1);
  next(member, &(struct body){0, run, data, 0, 0}, threads, flags);
}
unsigned GOMP_parallel_reductions(function run, void* data, unsigned threads, unsigned flags) {
  NEXT(GOMP_parallel_reductions);
  ADD(regions, 1);
  return next(member, &(struct body){*(void**)data, run, data, 0, 0}, threads, flags);
}
void GOMP_parallel_sections(function run, void* data, unsigned threads, unsigned count, unsigned flags) {
  NEXT(GOMP_parallel_sections);
  ADD(regions, 1);
  next(member, &(struct body){0, run, data, 0, 1}, threads, count, flags);
}
#define PARALLEL_LOOP(name, is_static)                                                                        \
  void GOMP_parallel_loop_##name(function run, void* data, unsigned threads, long start, long end, long step, \
                                 long chunk, unsigned flags) {                                                \
    NEXT(GOMP_parallel_loop_##name);                                                                          \
    ADD(regions, 1);                                                                                          \
    next(member, &(struct body){0, run, data, 1, 0}, threads, start, end, step, chunk, flags);                \
  }
PARALLEL_LOOP(static, 1)
PARALLEL_LOOP(dynamic, 0)
PARALLEL_LOOP(guided, 0)
PARALLEL_LOOP(nonmonotonic_dynamic, 0)
PARALLEL_LOOP(nonmonotonic_guided, 0)
#define PARALLEL_RUNTIME(name)                                                                                \
  void GOMP_parallel_loop_##name(function run, void* data, unsigned threads, long start, long end, long step, \
                                 unsigned flags) {                                                            \
    NEXT(GOMP_parallel_loop_##name);                                                                          \
    ADD(regions, 1);                                                                                          \
    next(member, &(struct body){0, run, data, 1, 0}, threads, start, end, step, flags);                       \
  }
PARALLEL_RUNTIME(runtime)
PARALLEL_RUNTIME(nonmonotonic_runtime)
PARALLEL_RUNTIME(maybe_nonmonotonic_runtime)

// Before GCC 4.9: the master runs its part by itself.
static __thread struct body old[64];
static __thread unsigned depth;
#define OLD(name, LOOPS, SECTIONS, PARAMETERS, ...)            \
  void GOMP_parallel_##name PARAMETERS {                       \
    NEXT(GOMP_parallel_##name);                                \
    ADD(regions, 1);                                           \
    ADD(members, 1);                                           \
    ADD(loops, LOOPS);                                         \
    ADD(sections, SECTIONS);                                   \
    old[depth] = (struct body){0, run, data, LOOPS, SECTIONS}; \
    next(member, &old[depth++], __VA_ARGS__);                  \
  }
OLD(start, 0, 0, (function run, void* data, unsigned n), n)
OLD(sections_start, 0, 1, (function run, void* data, unsigned n, unsigned count), n, count)
OLD(loop_static_start, 1, 0, (function run, void* data, unsigned n, long a, long b, long c, long d), n, a, b, c, d)
OLD(loop_dynamic_start, 1, 0, (function run, void* data, unsigned n, long a, long b, long c, long d), n, a, b, c, d)
OLD(loop_guided_start, 1, 0, (function run, void* data, unsigned n, long a, long b, long c, long d), n, a, b, c, d)
OLD(loop_runtime_start, 1, 0, (function run, void* data, unsigned n, long a, long b, long c), n, a, b, c)
void GOMP_parallel_end(void) {
  NEXT(GOMP_parallel_end);
  --depth;
  next();
}

// Loops. The chunks of static ones are not handed out.
static bool chunk_of(bool is_there, bool is_static) {
  if (is_there && !is_static) ADD(chunks, 1);
  return is_there;
}
#define LOOP(name, is_static)                                                              \
  bool GOMP_loop_##name##_start(long a, long b, long c, long d, long* e, long* f) {        \
    NEXT(GOMP_loop_##name##_start);                                                        \
    ADD(loops, 1);                                                                         \
    return chunk_of(next(a, b, c, d, e, f), is_static);                                    \
  }                                                                                        \
  bool GOMP_loop_##name##_next(long* e, long* f) {                                         \
    NEXT(GOMP_loop_##name##_next);                                                         \
    return chunk_of(next(e, f), is_static);                                                \
  }                                                                                        \
  bool GOMP_loop_ull_##name##_start(bool up, ull a, ull b, ull c, ull d, ull* e, ull* f) { \
    NEXT(GOMP_loop_ull_##name##_start);                                                    \
    ADD(loops, 1);                                                                         \
    return chunk_of(next(up, a, b, c, d, e, f), is_static);                                \
  }                                                                                        \
  bool GOMP_loop_ull_##name##_next(ull* e, ull* f) {                                       \
    NEXT(GOMP_loop_ull_##name##_next);                                                     \
    return chunk_of(next(e, f), is_static);                                                \
  }
LOOP(static, true)
LOOP(dynamic, false)
LOOP(guided, false)
LOOP(ordered_static, true)
LOOP(ordered_dynamic, false)
LOOP(ordered_guided, false)
LOOP(nonmonotonic_dynamic, false)
LOOP(nonmonotonic_guided, false)
// What schedule(runtime) is, the test's environment says: dynamic or guided.
#define RUNTIME_LOOP(name)                                                          \
  bool GOMP_loop_##name##_start(long a, long b, long c, long* e, long* f) {         \
    NEXT(GOMP_loop_##name##_start);                                                 \
    ADD(loops, 1);                                                                  \
    return chunk_of(next(a, b, c, e, f), false);                                    \
  }                                                                                 \
  bool GOMP_loop_##name##_next(long* e, long* f) {                                  \
    NEXT(GOMP_loop_##name##_next);                                                  \
    return chunk_of(next(e, f), false);                                             \
  }                                                                                 \
  bool GOMP_loop_ull_##name##_start(bool up, ull a, ull b, ull c, ull* e, ull* f) { \
    NEXT(GOMP_loop_ull_##name##_start);                                             \
    ADD(loops, 1);                                                                  \
    return chunk_of(next(up, a, b, c, e, f), false);                                \
  }                                                                                 \
  bool GOMP_loop_ull_##name##_next(ull* e, ull* f) {                                \
    NEXT(GOMP_loop_ull_##name##_next);                                              \
    return chunk_of(next(e, f), false);                                             \
  }
RUNTIME_LOOP(runtime)
RUNTIME_LOOP(ordered_runtime)
RUNTIME_LOOP(nonmonotonic_runtime)
RUNTIME_LOOP(maybe_nonmonotonic_runtime)
#define DOACROSS(name, is_static)                                                         \
  bool GOMP_loop_doacross_##name##_start(unsigned n, long* a, long d, long* e, long* f) { \
    NEXT(GOMP_loop_doacross_##name##_start);                                              \
    ADD(loops, 1);                                                                        \
    return chunk_of(next(n, a, d, e, f), is_static);                                      \
  }                                                                                       \
  bool GOMP_loop_ull_doacross_##name##_start(unsigned n, ull* a, ull d, ull* e, ull* f) { \
    NEXT(GOMP_loop_ull_doacross_##name##_start);                                          \
    ADD(loops, 1);                                                                        \
    return chunk_of(next(n, a, d, e, f), is_static);                                      \
  }
DOACROSS(static, true)
DOACROSS(dynamic, false)
DOACROSS(guided, false)
// `s` is the schedule's number, `e` where the first chunk goes; NULL: none is requested.
#define ANY_LOOP(name, PARAMETERS, ...)                        \
  bool GOMP_loop_##name PARAMETERS {                           \
    NEXT(GOMP_loop_##name);                                    \
    ADD(loops, 1);                                             \
    const bool is_there = next(__VA_ARGS__);                   \
    return e ? chunk_of(is_there, (s & 0xff) == 1) : is_there; \
  }
#define OF_LONG (long a, long b, long c, long s, long d, long* e, long* f, uintptr_t* r, void** m)
#define OF_ULL (bool up, ull a, ull b, ull c, long s, ull d, ull* e, ull* f, uintptr_t* r, void** m)
ANY_LOOP(start, OF_LONG, a, b, c, s, d, e, f, r, m)
ANY_LOOP(ordered_start, OF_LONG, a, b, c, s, d, e, f, r, m)
ANY_LOOP(ull_start, OF_ULL, up, a, b, c, s, d, e, f, r, m)
ANY_LOOP(ull_ordered_start, OF_ULL, up, a, b, c, s, d, e, f, r, m)
ANY_LOOP(doacross_start, (unsigned n, long* a, long s, long d, long* e, long* f, uintptr_t* r, void** m), n, a, s, d, e,
         f, r, m)
ANY_LOOP(ull_doacross_start, (unsigned n, ull* a, long s, ull d, ull* e, ull* f, uintptr_t* r, void** m), n, a, s, d, e,
         f, r, m)
#define DOACROSS_RUNTIME(name, number)                                 \
  bool GOMP_loop_##name(unsigned n, number* a, number* e, number* f) { \
    NEXT(GOMP_loop_##name);                                            \
    ADD(loops, 1);                                                     \
    return chunk_of(next(n, a, e, f), false);                          \
  }
DOACROSS_RUNTIME(doacross_runtime_start, long)
DOACROSS_RUNTIME(ull_doacross_runtime_start, ull)

#define BARRIER(type, name, counter) \
  type name(void) {                  \
    NEXT(name);                      \
    ADD(counter, 1);                 \
    return next();                   \
  }
BARRIER(void, GOMP_barrier, barriers)
BARRIER(bool, GOMP_barrier_cancel, barriers)
BARRIER(void, GOMP_loop_end, workshare_barriers)
BARRIER(bool, GOMP_loop_end_cancel, workshare_barriers)
BARRIER(void, GOMP_sections_end, workshare_barriers)
BARRIER(bool, GOMP_sections_end_cancel, workshare_barriers)
BARRIER(void, GOMP_taskwait, taskwaits)
BARRIER(void, GOMP_critical_start, criticals)
BARRIER(void, GOMP_atomic_start, atomics)
BARRIER(void, GOMP_ordered_start, ordered)
BARRIER(void, GOMP_taskgroup_start, taskgroups)
void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  NEXT(GOMP_workshare_task_reduction_unregister);
  ADD(workshare_barriers, !cancelled);
  next(cancelled);
}
void GOMP_taskwait_depend(void** depend) {
  NEXT(GOMP_taskwait_depend);
  ADD(taskwaits, 1);
  next(depend);
}
void GOMP_taskwait_depend_nowait(void** depend) {
  NEXT(GOMP_taskwait_depend_nowait);
  ADD(taskwaits, 1);
  ADD(dependences, depend[0] ? (long)depend[0] : (long)depend[1]);
  next(depend);
}
void GOMP_critical_name_start(void** name) {
  NEXT(GOMP_critical_name_start);
  ADD(criticals, 1);
  next(name);
}
static unsigned section_of(unsigned number) {
  if (number) ADD(section, 1);
  return number;
}
unsigned GOMP_sections_start(unsigned count) {
  NEXT(GOMP_sections_start);
  ADD(sections, 1);
  return section_of(next(count));
}
unsigned GOMP_sections2_start(unsigned count, uintptr_t* r, void** m) {
  NEXT(GOMP_sections2_start);
  ADD(sections, 1);
  return section_of(next(count, r, m));
}
unsigned GOMP_sections_next(void) {
  NEXT(GOMP_sections_next);
  return section_of(next());
}
bool GOMP_single_start(void) {
  NEXT(GOMP_single_start);
  ADD(singles, 1);
  const bool mine = next();
  ADD(executors, mine);
  return mine;
}
void* GOMP_single_copy_start(void) {
  NEXT(GOMP_single_copy_start);
  ADD(singles, 1);
  void* handed = next();
  ADD(executors, handed == NULL);
  ADD(workshare_barriers, handed != NULL);
  return handed;
}
void GOMP_single_copy_end(void* data) {
  NEXT(GOMP_single_copy_end);
  ADD(workshare_barriers, 1);
  next(data);
}
void GOMP_scope_start(uintptr_t* r) {
  NEXT(GOMP_scope_start);
  ADD(scopes, 1);
  next(r);
}

// What libgomp copies of a task is 64 bytes of ours (three words that libgomp uses, at 32 what is run, at 56 the
// program's block) and the program's block behind them.
struct task {
  function run;
  copy copies;
  long kind;
};
static void run_task(void* block) {
  struct task task;
  memcpy(&task, (char*)block + 32, sizeof task);
  ADD(tasks, 1);
  char* own = (char*)block + (task.kind & 0xffffff);
  if (task.kind & 1L << 62) memcpy(own, block, 16);  // a taskloop's
  if (task.kind & 1L << 61) memcpy(own, block, 8);   // the event of detach
  task.run(own);
}
static void copy_task(void* to, void* from) {
  struct task task;
  void* data;
  memcpy(to, from, 64);
  memcpy(&task, (char*)from + 32, sizeof task);
  memcpy(&data, (char*)from + 56, sizeof data);
  if (task.kind & 1L << 61) memcpy(data, from, 8);
  task.copies((char*)to + (task.kind & 0xffffff), data);
}
// The header is as large as its alignment.
#define MAKE_BLOCK(kind)                                                              \
  const long own = align > 64 ? align : 64;                                           \
  char* stack = __builtin_alloca(own + own + (size > 0 ? size : 0));                  \
  char* block = stack + (own - (uintptr_t)stack % own) % own;                         \
  memset(block, 0, 64);                                                               \
  if (data && size >= 24) memcpy(block + 16, (char*)data + 16, 8);                    \
  memcpy(block + 32, &(struct task){run, copies, (kind) | own}, sizeof(struct task)); \
  memcpy(block + 56, &data, sizeof data);                                             \
  if (!copies && data && size > 0) memcpy(block + own, data, size)

void GOMP_task(function run, void* data, copy copies, long size, long align, bool condition, unsigned flags,
               void** depend, int priority, void* detach) {
  NEXT(GOMP_task);
  ADD(created, 1);
  if (flags & 8) ADD(dependences, depend[0] ? (long)depend[0] : (long)depend[1]);
  MAKE_BLOCK(flags & 1 << 13 && data ? 1L << 61 : 0);
  next(run_task, block, copies ? copy_task : NULL, size + own, own, condition, flags, depend, priority, detach);
}
void GOMP_taskloop(function run, void* data, copy copies, long size, long align, unsigned flags, unsigned long n,
                   int priority, long a, long b, long c) {
  NEXT(GOMP_taskloop);
  if (!(flags & 1 << 11)) ADD(taskgroups, 1);
  MAKE_BLOCK(1L << 62);
  next(run_task, block, copies ? copy_task : NULL, size + own, own, flags, n, priority, a, b, c);
}
void GOMP_taskloop_ull(function run, void* data, copy copies, long size, long align, unsigned flags, unsigned long n,
                       int priority, ull a, ull b, ull c) {
  NEXT(GOMP_taskloop_ull);
  if (!(flags & 1 << 11)) ADD(taskgroups, 1);
  MAKE_BLOCK(1L << 62);
  next(run_task, block, copies ? copy_task : NULL, size + own, own, flags, n, priority, a, b, c);
}

// As many numbers as the loop has: the arguments are handed on as they lie.
#define DOACROSS_WAIT(name, number)                     \
  void name(number first, ...) {                        \
    void* arguments = __builtin_apply_args();           \
    NEXT(name);                                         \
    ADD(dependences, 1);                                \
    __builtin_apply((void (*)())next, arguments, 1024); \
    (void)first;                                        \
  }
DOACROSS_WAIT(GOMP_doacross_wait, long)
DOACROSS_WAIT(GOMP_doacross_ull_wait, ull)
void GOMP_doacross_post(long* counts) {
  NEXT(GOMP_doacross_post);
  ADD(dependences, 1);
  next(counts);
}
void GOMP_doacross_ull_post(ull* counts) {
  NEXT(GOMP_doacross_ull_post);
  ADD(dependences, 1);
  next(counts);
}

#define LOCKS(end)                     \
  void omp_set_lock##end(void* lock) { \
    NEXT(omp_set_lock##end);           \
    ADD(locks, 1);                     \
    next(lock);                        \
  }                                    \
  int omp_test_lock##end(void* lock) { \
    NEXT(omp_test_lock##end);          \
    const int taken = next(lock);      \
    ADD(locks, 1);                     \
    return taken;                      \
  }
LOCKS()
LOCKS(_)
