// A region of two threads inside a pause: its worker's ends come after the pause, and are left out all the same.
#include <omp.h>
int main(void) {
  static volatile int cell[2];
#pragma omp parallel num_threads(2)
  cell[0]++;
  omp_control_tool(omp_control_tool_pause, 0, 0);
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    cell[1]++;
  }
  omp_control_tool(omp_control_tool_start, 0, 0);
#pragma omp parallel num_threads(2)
  cell[0]++;
  return 0;
}
