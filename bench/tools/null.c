/* SPDX-License-Identifier: BSD-3-Clause
 * The null tool: registers every callback with an empty body. What it costs is the runtime's own. */
#include "callbacks.h"

#define EMPTY(name, parameters, x, y) \
  static void on_##name parameters {}
#pragma GCC diagnostic ignored "-Wunused-parameter"
ALL_CALLBACKS(EMPTY)

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
