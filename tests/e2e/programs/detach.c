// Detached tasks: one whose event is fulfilled inside it, one fulfilled later by its creator. Run by thread 0 alone.
#include <omp.h>
int main(void) {
  static volatile int cell, done;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    {
      omp_event_handle_t early, late;
#pragma omp task detach(early)
      {
        cell++;
        omp_fulfill_event(early);
      }
#pragma omp taskwait
#pragma omp task detach(late)
      cell++;
#pragma omp taskyield
      omp_fulfill_event(late);
#pragma omp taskwait
      done = 1;
    }
    while (!done) {
    }
  }
  return 0;
}
