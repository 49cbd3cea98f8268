// What OpenMP defines of omp_control_tool is obeyed where its phases and marks are not recorded.
// environment: TRACER_RECORD=sync
#include <omp.h>
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
  cell++;
  omp_control_tool((omp_control_tool_t)64, 0, "assembly");
  omp_control_tool(omp_control_tool_pause, 0, 0);
#pragma omp parallel num_threads(1)
  cell++;
  omp_control_tool(omp_control_tool_start, 0, 0);
  omp_control_tool((omp_control_tool_t)70, 3, 0);
#pragma omp parallel num_threads(1)
  cell++;
  return 0;
}
