// A taskgroup that waits for a task and for its child.
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
  {
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        cell++;
      }
    }
  }
  return 0;
}
