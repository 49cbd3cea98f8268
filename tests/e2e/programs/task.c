// A task in another: created, run at the taskwait, completed, all on one thread.
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
  {
#pragma omp task
    {
#pragma omp task
      cell++;
#pragma omp taskwait
    }
#pragma omp taskwait
  }
  return 0;
}
