// A lock's life: initialised, set, tested in vain, released, tested with success, destroyed.
#include <omp.h>
#include <stdlib.h>
int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(1)
  {
    omp_set_lock(&lock);
    if (omp_test_lock(&lock)) abort();
    omp_unset_lock(&lock);
    if (!omp_test_lock(&lock)) abort();
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return 0;
}
