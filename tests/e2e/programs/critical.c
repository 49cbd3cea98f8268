// A named critical section, on one thread.
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
  for (int i = 0; i < 2; i++) {
#pragma omp critical(name)
    cell++;
  }
  return 0;
}
