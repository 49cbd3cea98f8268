// SPDX-License-Identifier: BSD-3-Clause
// A tool that accepts and does nothing.
#include <omp-tools.h>
#include <stdio.h>

static int begin(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)lookup, (void)device, (void)data;
  fprintf(stderr, "other tool: here\n");
  return 1;
}
static void end(ompt_data_t* data) {
  (void)data;
}
static ompt_start_tool_result_t result = {begin, end, {0}};

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  return &result;
}
