// A task that yields.
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
  {
#pragma omp task
    {
      cell++;
#pragma omp taskyield
      cell++;
    }
#pragma omp taskwait
  }
  return 0;
}
