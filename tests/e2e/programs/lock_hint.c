// A lock with a hint.
#include <omp.h>
int main(void) {
  omp_lock_t lock;
  omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  return 0;
}
