// A dynamic loop whose four chunks thread 0 takes alone, since thread 1 comes late; then a guided one.
#include <omp.h>
int main(void) {
  static volatile int cell[8], done;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      while (!done) {
      }
    }
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < 8; i++) cell[i] = i;
    done = 1;
  }
#pragma omp parallel num_threads(1)
#pragma omp for schedule(guided)
  for (int i = 0; i < 8; i++) cell[i] += i;
  return 0;
}
