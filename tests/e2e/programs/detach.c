// Detached tasks: one whose event is fulfilled inside it, one fulfilled later by its creator.
#include <omp.h>
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
  {
    omp_event_handle_t early, late;
#pragma omp task detach(early)
    {
      cell++;
      omp_fulfill_event(early);
    }
#pragma omp taskwait
#pragma omp task detach(late) if (0)
    cell++;
    omp_fulfill_event(late);
#pragma omp taskwait
  }
  return 0;
}
