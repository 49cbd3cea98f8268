// Two tasks of the primary thread that only the other thread can run: it waits in the barrier.
#include <omp.h>
int main(void) {
  static volatile int done;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < 2; i++) {
#pragma omp task
        {
#pragma omp atomic
          done++;
        }
      }
      while (done < 2) {
        __asm__ volatile("" ::: "memory");
      }
    }
  }
  return 0;
}
