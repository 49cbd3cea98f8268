// SPDX-License-Identifier: BSD-3-Clause
// Says ranges, marks and counters through NVTX, ITT, Kokkos Tools and ROCTx, and prints what it said: "range NAME
// COUNT". The few declarations of the interfaces that it needs are its own; it finds the library as the original
// headers do. speak PART...: nested overlapping threads strays wrong itt kokkos roctx openmp
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "itt.h"
#include "nvtx.h"

static void said(const char* what, const char* name, unsigned count) {
  printf("%s %s %u\n", what, name, count);
}

static void wait_a_little(void) {
  const struct timespec time = {.tv_nsec = 20000000};
  nanosleep(&time, NULL);
}

static long resident_bytes(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) exit(13);
  fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

// A category that is named at each use takes memory once.
static void name_again(void* in, uint32_t category, const char* name) {
  const long before = resident_bytes();
  for (int i = 0; i < 1000000; ++i) name_category(in, category, name);
  if (resident_bytes() - before > 16 << 20) exit(12);
}

static void nested(void) {
  push("nested outer");
  for (int i = 0; i < 100; ++i) {
    push("nested inner");
    char text[16];  // the same address with other words
    snprintf(text, sizeof text, "step %d", i % 3);
    push(text);
    mark("nested mark");
    pop();
    pop();
  }
  push("20 ms");
  wait_a_little();
  pop();
  pop();
  void* mine = domain("solver");
  void* name = registered(mine, "registered");
  name_category(mine, 7, "first name");
  name_category(mine, 7, "numerics");
  name_again(mine, 7, "numerics");
  struct attributes colored = {.version = 3,
                               .size = sizeof colored,
                               .category = 7,
                               .color_type = 1,
                               .color = 0xff00ff00u,
                               .payload_type = 1,
                               .payload = {.u64 = 42},
                               .message_type = 3,
                               .message = name};
  for (int i = 0; i < 10; ++i) {
    domain_push(mine, &colored);
    domain_pop(mine);
  }
  said("range", "nested outer", 1);
  said("range", "nested inner", 100);
  said("range", "step 0", 34);
  said("range", "step 1", 33);
  said("range", "step 2", 33);
  said("range", "nested mark", 100);
  said("range", "20 ms", 1);
  said("range", "registered", 10);
}

static void overlapping(void) {
  const uint64_t a = start("overlap a");
  const uint64_t b = start("overlap b");
  stop(a);
  const uint64_t c = start("overlap c");
  wait_a_little();
  stop(b);
  stop(c);
  said("range", "overlap a", 1);
  said("range", "overlap b", 1);
  said("range", "overlap c", 1);
}

static void* stop_elsewhere(void* id) {
  push("in a thread");
  wait_a_little();
  stop(*(uint64_t*)id);
  pop();
  return NULL;
}

static void threads(void) {
  for (int i = 0; i < 4; ++i) {
    uint64_t id = start("across threads");
    pthread_t thread;
    if (pthread_create(&thread, NULL, stop_elsewhere, &id) == 0) pthread_join(thread, NULL);
  }
  said("range", "across threads", 4);
  said("range", "in a thread", 4);
}

static int work(void) {
  int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
  n += 1;
  return n;
}

// Ranges that begin in a region and end behind it, or end in another order than they began.
static void strays(void) {
#pragma omp parallel num_threads(2)
  {
    push("in the region, stray");
#pragma omp barrier
    push("in the region");
    pop();
  }
#pragma omp parallel num_threads(2)
  {
    pop();
#pragma omp barrier
  }
  void* other = domain("other");
  const struct attributes crossing = ascii("crossing");
  push("crossed");
  domain_push(other, &crossing);
  pop();
  domain_pop(other);
  push("around a region");
  work();
  pop();
  said("range", "in the region, stray", 2);
  said("range", "in the region", 2);
  said("range", "crossed", 1);
  said("range", "crossing", 1);
  said("range", "around a region", 1);
}

static void wrong(void) {
  pop();
  push("never ends");
  push("never ends either");
  start("never stops");
  stop(123456789);
  push("\xff\xfe no UTF-8 \xc3");
  pop();
  char* name = malloc((1 << 20) + 1);
  memset(name, 'x', 1 << 20);
  name[1 << 20] = '\0';
  push(name);
  pop();
  free(name);
  push(NULL);
  pop();
  const struct attributes old = {.version = 2, .size = sizeof old, .message_type = 1, .message = "of NVTX 2"};
  domain_push(NULL, &old);
  domain_pop(NULL);
  const struct attributes empty = {.version = 3, .size = 8};
  domain_push(NULL, &empty);
  domain_pop(NULL);
  said("range", "of NVTX 2", 1);
  said("range", "never ends", 1);
  said("range", "never ends either", 1);
  said("range", "never stops", 1);
}

// ---- ITT
static void *itt_domain_create, *itt_string, *itt_begin, *itt_end, *itt_region_begin, *itt_region_end, *itt_marker,
    *itt_counter, *itt_set, *itt_event, *itt_event_start, *itt_event_end, *itt_sync, *itt_frame;
static struct itt_row itt_rows[] = {{"__itt_domain_create", &itt_domain_create, 0, 0, 0},
                                    {"__itt_string_handle_create", &itt_string, 0, 0, 0},
                                    {"__itt_task_begin", &itt_begin, 0, 0, 0},
                                    {"__itt_task_end", &itt_end, 0, 0, 0},
                                    {"__itt_region_begin", &itt_region_begin, 0, 0, 0},
                                    {"__itt_region_end", &itt_region_end, 0, 0, 0},
                                    {"__itt_marker", &itt_marker, 0, 0, 0},
                                    {"__itt_counter_create", &itt_counter, 0, 0, 0},
                                    {"__itt_counter_set_value", &itt_set, 0, 0, 0},
                                    {"__itt_event_create", &itt_event, 0, 0, 0},
                                    {"__itt_event_start", &itt_event_start, 0, 0, 0},
                                    {"__itt_event_end", &itt_event_end, 0, 0, 0},
                                    {"__itt_sync_prepare", &itt_sync, 0, 0, 0},
                                    {"__itt_frame_submit_v3", &itt_frame, 0, 0, 0},
                                    {0, 0, 0, 0, 0}};

static int create_itt_event(int number) {
  char name[32];
  return ((int (*)(const char*, int))itt_event)(name, snprintf(name, sizeof name, "itt event %d", number));
}

// Beyond 4096 there is no event; the others stay what they are.
static void itt_events(void) {
  enum { events = 4200 };
  const int first = create_itt_event(0);
  int last = 0;
  for (int i = 1; i < events; ++i) last = create_itt_event(i);
  if (first < 1 || create_itt_event(0) != first) exit(10);
  const int used[] = {first, last, first};
  for (size_t i = 0; i < sizeof used / sizeof *used; ++i) {
    ((int (*)(int))itt_event_start)(used[i]);
    ((int (*)(int))itt_event_end)(used[i]);
  }
}

static void itt(void) {
  for (unsigned long other = 2; other <= 4; other += 2) {  // of another interface: nothing is filled in
    itt_initialize(itt_rows, other);
    if (itt_begin != NULL) exit(4);
  }
  itt_initialize(itt_rows, 3);
  if (itt_sync != NULL || itt_frame != NULL) exit(5);
  if (itt_begin != NULL) {
    void* in = ((void* (*)(const char*))itt_domain_create)("itt domain");
    if (in != ((void* (*)(const char*))itt_domain_create)("itt domain")) exit(6);
    void* task = ((void* (*)(const char*))itt_string)("itt task");
    void* region = ((void* (*)(const char*))itt_string)("itt region");
    void* moment = ((void* (*)(const char*))itt_string)("itt marker");
    void* counter = ((void* (*)(const char*, const char*))itt_counter)("itt counter", "itt domain");
    if (counter != ((void* (*)(const char*, const char*))itt_counter)("itt counter", "itt domain")) exit(11);
    const struct itt_id null = {0, 0, 0};
    for (uint64_t i = 0; i < 20; ++i) {
      const struct itt_id id = {i, 0, 0};
      ((void (*)(void*, struct itt_id, struct itt_id, void*))itt_region_begin)(in, id, null, region);
      ((void (*)(void*, struct itt_id, struct itt_id, void*))itt_begin)(in, null, null, task);
      ((void (*)(void*, struct itt_id, void*, int))itt_marker)(in, null, moment, 0);
      ((void (*)(void*, void*))itt_set)(counter, &i);
      ((void (*)(void*))itt_end)(in);
      ((void (*)(void*, struct itt_id))itt_region_end)(in, id);
    }
    itt_events();
  }
  said("range", "itt task", 20);
  said("range", "itt region", 20);
  said("range", "itt marker", 20);
  said("counter", "itt counter", 20);
  said("range", "itt event 0", 2);
  said("range", "itt event 4199", 0);
}

// ---- Kokkos Tools
struct space {
  char name[64];
};
static void sections(void* library) {
  void (*create)(const char*, uint32_t*) = NULL;
  void (*of_one[3])(uint32_t) = {NULL, NULL, NULL};
  *(void**)&create = dlsym(library, "kokkosp_create_profile_section");
  *(void**)&of_one[0] = dlsym(library, "kokkosp_start_profile_section");
  *(void**)&of_one[1] = dlsym(library, "kokkosp_stop_profile_section");
  *(void**)&of_one[2] = dlsym(library, "kokkosp_destroy_profile_section");
  uint32_t first = 0, other = 0;
  create("kokkos first section", &first);
  of_one[0](first);
  for (int i = 0; i < 5000; ++i) {
    create("kokkos section", &other);
    for (int n = 0; n < 3; ++n) of_one[n](other);
  }
  of_one[1](first);
  for (int i = 0; i < 5000; ++i) create("more than there is room for", &other);
}

static void kokkos(void) {
  const char* path = getenv("KOKKOS_TOOLS_LIBS");
  void* library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
  if (library != NULL) {
    void (*begin)(const char*, uint32_t, uint64_t*) = NULL;
    void (*end)(uint64_t) = NULL;
    void (*allocate)(struct space, const char*, const void*, uint64_t) = NULL;
    void (*push_region)(const char*) = NULL;
    void (*pop_region)(void) = NULL;
    *(void**)&begin = dlsym(library, "kokkosp_begin_parallel_for");
    *(void**)&end = dlsym(library, "kokkosp_end_parallel_for");
    *(void**)&allocate = dlsym(library, "kokkosp_allocate_data");
    *(void**)&push_region = dlsym(library, "kokkosp_push_profile_region");
    *(void**)&pop_region = dlsym(library, "kokkosp_pop_profile_region");
    if (!begin || !end || !allocate || !push_region || !pop_region) exit(7);
    push_region("kokkos phase");
    for (int i = 0; i < 5; ++i) {
      uint64_t id = 0;
      begin("kokkos kernel", 0, &id);
      work();
      end(id);
    }
    pop_region();
    allocate((struct space){"HostSpace"}, "view", NULL, 4096);
    sections(library);
  }
  said("range", "kokkos phase", 1);
  said("range", "kokkos kernel", 5);
  said("range", "kokkos first section", 1);
  said("range", "kokkos section", 5000);
  said("counter", "Kokkos memory in HostSpace", 1);
}

// ---- ROCTx: preloaded
extern int roctxRangePushA(const char*) __attribute__((weak));
extern int roctxRangePop(void) __attribute__((weak));
static void roctx(void) {
  if (roctxRangePushA != NULL) {
    if (roctxRangePushA("roctx outer") != 0 || roctxRangePushA("roctx inner") != 1) exit(8);
    if (roctxRangePop() != 1 || roctxRangePop() != 0) exit(9);
  }
  said("range", "roctx outer", 1);
  said("range", "roctx inner", 1);
}

int main(int count, char** parts) {
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {
      {"nested", nested}, {"overlapping", overlapping}, {"threads", threads}, {"strays", strays}, {"wrong", wrong},
      {"itt", itt},       {"kokkos", kokkos},           {"roctx", roctx}};
  nvtx_initialize();
  for (int i = 1; i < count; ++i) {
    if (strcmp(parts[i], "openmp") == 0 && work() == 0) return 2;
    for (size_t p = 0; p < sizeof all / sizeof *all; ++p)
      if (strcmp(parts[i], all[p].name) == 0) all[p].run();
  }
  return 0;
}
