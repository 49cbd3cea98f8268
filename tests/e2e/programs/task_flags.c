// Tasks of every kind: undeferred, final with an included one inside, untied, mergeable.
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
  {
#pragma omp task if (0)
    cell++;
#pragma omp task final(1)
    {
#pragma omp task
      cell++;
    }
#pragma omp task untied
    cell++;
#pragma omp task mergeable if (0)
    cell++;
#pragma omp taskwait
  }
  return 0;
}
