// The ordered part of a loop of two iterations, on one thread.
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
#pragma omp for ordered schedule(static)
  for (int i = 0; i < 2; i++) {
#pragma omp ordered
    cell += i;
  }
  return 0;
}
