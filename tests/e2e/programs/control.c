// Named phases, and a pause: what the user's guide promises. libomp hears of it from its first construct on.
#include <omp.h>
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
  cell++;
  omp_control_tool((omp_control_tool_t)64, 0, "assembly");
#pragma omp parallel num_threads(1)
  cell++;
  omp_control_tool((omp_control_tool_t)65, 0, "assembly");
  omp_control_tool(omp_control_tool_pause, 0, 0);
#pragma omp parallel num_threads(1)
  cell++;
  omp_control_tool(omp_control_tool_start, 0, 0);
  omp_control_tool((omp_control_tool_t)64, 0, "solve");
#pragma omp parallel num_threads(1)
  cell++;
  omp_control_tool((omp_control_tool_t)65, 0, 0);
  omp_control_tool((omp_control_tool_t)70, 3, 0);
  omp_control_tool(omp_control_tool_flush, 0, 0);
  return omp_control_tool((omp_control_tool_t)-1, 0, "no command") == omp_control_tool_success;
}
