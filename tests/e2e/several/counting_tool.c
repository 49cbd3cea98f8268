// SPDX-License-Identifier: BSD-3-Clause
// A tool that counts what it sees and checks its own data words; its answers are those that the environment asks for:
// COUNTING_TOOL=accept (the default), refuse (no ompt_start_tool_result_t), decline (initialize gives 0), crash
// (abort() in initialize), leave (_exit(5) in ompt_start_tool). Prints one line at its end, which begins with NAME
// (given to the compiler).
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef NAME
#define NAME "tool"
#endif

static atomic_long asked, threads, regions, region_ends, implicit, implicit_ends, tasks, completions, wrong;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;

// Words are addresses of such: whoever finds another tool's word finds no mark.
enum kind { of_thread = 17, of_region, of_task };
struct word {
  uint64_t mark;
  enum kind kind;
};
static const uint64_t mark = 0x636f756e74657200ull ^ sizeof(NAME);

static void name(ompt_data_t* data, enum kind kind) {
  struct word* word = malloc(sizeof *word);
  word->mark = mark, word->kind = kind;
  if (data->ptr != NULL) ++wrong;  // a new object has an empty word
  data->ptr = word;
}
static void check(const ompt_data_t* data, enum kind kind) {
  const struct word* word = data != NULL ? data->ptr : NULL;
  if (word == NULL || word->mark != mark || word->kind != kind) ++wrong;
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t* data) {
  (void)type;
  ++threads;
  name(data, of_thread);
}
static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned requested,
                              int flags, const void* code) {
  (void)frame, (void)requested, (void)flags, (void)code;
  ++regions;
  check(task, of_task);
  name(region, of_region);
}
static void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  (void)flags, (void)code;
  ++region_ends;
  check(region, of_region);
  check(task, of_task);
}
static void ask(void) {
  ompt_data_t *task = NULL, *region = NULL;
  if (get_task_info(0, NULL, &task, NULL, &region, NULL) == 2) check(task, of_task);
  if (get_parallel_info(0, &region, NULL) == 2 && region->ptr != NULL) check(region, of_region);
  check(get_thread_data(), of_thread);
}
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task, unsigned team,
                             unsigned index, int flags) {
  (void)team, (void)index;
  if (endpoint == ompt_scope_begin) {
    if ((flags & ompt_task_initial) == 0) ++implicit, check(region, of_region);
    name(task, of_task);
  } else {
    if ((flags & ompt_task_initial) == 0) ++implicit_ends;
    check(task, of_task);
  }
}
static void on_task_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* task, int flags, int depends,
                           const void* code) {
  (void)frame, (void)flags, (void)depends, (void)code;
  ++tasks;
  check(creator, of_task);
  name(task, of_task);
  ask();
}
static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  if (status == ompt_task_complete) ++completions;
  check(prior, of_task);
  if (next != NULL) check(next, of_task);
}
static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                           ompt_data_t* task, const void* code) {
  (void)kind, (void)endpoint, (void)region, (void)code;
  check(task, of_task);
}

static const char* asked_for(void) {
  const char* how = getenv("COUNTING_TOOL");
  return how != NULL ? how : "accept";
}

static int begin(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)device;
  if (strcmp(asked_for(), "decline") == 0) return 0;
  if (strcmp(asked_for(), "crash") == 0) abort();
  data->value = mark;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
  set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
  set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
  set(ompt_callback_sync_region, (ompt_callback_t)on_sync_region);
  set(ompt_callback_sync_region_wait, (ompt_callback_t)on_sync_region);
  return 1;
}

static void end(ompt_data_t* data) {
  fprintf(stderr, "%s: asked %ld threads %ld regions %ld/%ld implicit %ld/%ld tasks %ld/%ld wrong %ld\n", NAME,
          (long)asked, (long)threads, (long)regions, (long)region_ends, (long)implicit, (long)implicit_ends,
          (long)tasks, (long)completions, (long)wrong + (data->value != mark));
}

static ompt_start_tool_result_t result = {begin, end, {0}};

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  ++asked;
  if (strcmp(asked_for(), "leave") == 0) _exit(5);
  return strcmp(asked_for(), "refuse") == 0 ? NULL : &result;
}
