/* SPDX-License-Identifier: BSD-3-Clause
 * The floor tool: every callback reads the clock and stores 32 bytes into a 4 MiB ring of its thread,
 * mapped and touched before the thread's first event. Nobody reads the ring: this is the physical limit. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <time.h>

#include "callbacks.h"

struct record {
  uint64_t time, kind, x, y;
};

enum { ring_bytes = 4 << 20, ring_mask = ring_bytes / sizeof(struct record) - 1 };
struct ring {
  struct record* records;
  uint64_t head;
};
static __thread struct ring ring __attribute__((tls_model("initial-exec")));

static inline uint64_t ticks(void) {
#if defined __x86_64__
  return __builtin_ia32_rdtsc();
#elif defined __aarch64__
  uint64_t now;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

static __attribute__((noinline, cold)) int make_ring(void) {
  void* memory = mmap(NULL, ring_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return 0;
  ring.records = memory;
  return 1;
}

static inline void store(uint64_t kind, uint64_t x, uint64_t y) {
  if (__builtin_expect(!ring.records, 0) && !make_ring()) return;
  struct record* r = &ring.records[ring.head & ring_mask];
  r->time = ticks();
  r->kind = kind;
  r->x = x;
  r->y = y;
  __atomic_store_n(&ring.head, ring.head + 1, __ATOMIC_RELEASE);
}

#define STORE(name, parameters, x, y)  \
  static void on_##name parameters {   \
    store(ompt_callback_##name, x, y); \
  }
ALL_CALLBACKS(STORE)

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)device, (void)data;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
#define SET(name, parameters, x, y) set(ompt_callback_##name, (ompt_callback_t)on_##name);
  ALL_CALLBACKS(SET)
  return 1;
}

static void finalize(ompt_data_t* data) {
  (void)data;
}

__attribute__((visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(unsigned version,
                                                                                 const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}
