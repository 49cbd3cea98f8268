// A region inside a region, once with threads of its own and once serialised.
#include <omp.h>
int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(2)
      { __asm__ volatile("" ::: "memory"); }
    }
#pragma omp barrier
  }
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  { __asm__ volatile("" ::: "memory"); }
  return 0;
}
