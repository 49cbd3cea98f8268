// A taskgroup that is cancelled: the task that has not begun is discarded. Run by thread 0 alone.
// environment: OMP_CANCELLATION=true
int main(void) {
  static volatile int cell, done;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    {
#pragma omp taskgroup
      {
#pragma omp task
        cell++;
#pragma omp task
        {
#pragma omp cancel taskgroup
          cell++;
        }
      }
      done = 1;
    }
    while (!done) {
    }
  }
  return 0;
}
