// A static loop with its barrier, and one without.
int main(void) {
  static volatile int cell[64];
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 64; i++) cell[i] = i;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 64; i++) cell[i] += i;
  }
  return 0;
}
