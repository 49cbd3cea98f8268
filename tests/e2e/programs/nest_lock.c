// A nestable lock, taken twice and tested once more by its owner.
#include <omp.h>
#include <stdlib.h>
int main(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(1)
  {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    if (omp_test_nest_lock(&lock) != 3) abort();
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  return 0;
}
