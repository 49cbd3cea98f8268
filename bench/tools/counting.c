/* SPDX-License-Identifier: BSD-3-Clause
 * The counting tool: how often the runtime calls each callback. The program asks by omp_control_tool
 * (programs/harness.h); at the end the total goes to the file that BENCH_COUNT_FILE names. */
#include <stdio.h>
#include <stdlib.h>

#include "callbacks.h"

enum { count_command = 4711, callbacks = 64 };
static uint64_t counts[callbacks];

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define COUNT(name, parameters, x, y)                                       \
  static void on_##name parameters {                                        \
    __atomic_fetch_add(&counts[ompt_callback_##name], 1, __ATOMIC_RELAXED); \
  }
ALL_CALLBACKS(COUNT)

static int on_control_tool(uint64_t command, uint64_t modifier, void* argument, const void* codeptr) {
  (void)modifier, (void)codeptr;
  if (command != count_command) return 1;
  uint64_t* answer = argument;
  for (int i = 0; i < callbacks; ++i) answer[i] = __atomic_load_n(&counts[i], __ATOMIC_RELAXED);
  return 0;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)device, (void)data;
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
#define SET(name, parameters, x, y) set(ompt_callback_##name, (ompt_callback_t)on_##name);
  ALL_CALLBACKS(SET)
  set(ompt_callback_control_tool, (ompt_callback_t)on_control_tool);
  return 1;
}

static void finalize(ompt_data_t* data) {
  (void)data;
  const char* path = getenv("BENCH_COUNT_FILE");
  FILE* out = path ? fopen(path, "w") : NULL;
  if (!out) return;
  uint64_t sum = 0;
  for (int i = 0; i < callbacks; ++i) sum += counts[i];
  fprintf(out, "total %llu\n", (unsigned long long)sum);
  for (int i = 0; i < callbacks; ++i) {
    if (counts[i]) fprintf(out, "%d %llu\n", i, (unsigned long long)counts[i]);
  }
  fclose(out);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(unsigned version,
                                                                                 const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}
