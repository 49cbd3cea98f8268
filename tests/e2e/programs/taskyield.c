// A task yields to its child. Run by thread 0 alone: the other one does not reach the barrier.
int main(void) {
  static volatile int cell, done;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    {
#pragma omp task
      {
#pragma omp task
        cell++;
#pragma omp taskyield
        cell++;
      }
#pragma omp taskwait
      done = 1;
    }
    while (!done) {
    }
  }
  return 0;
}
