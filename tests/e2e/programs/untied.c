// An untied task that is suspended at its taskwait and goes on.
int main(void) {
  static volatile int cell, done;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    {
#pragma omp task untied
      {
#pragma omp task
        cell++;
#pragma omp taskwait
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
