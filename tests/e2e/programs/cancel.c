// A loop that cancels itself.
// environment: OMP_CANCELLATION=true
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
#pragma omp for schedule(static)
  for (int i = 0; i < 4; i++) {
    cell++;
    if (i == 1) {
#pragma omp cancel for
    }
#pragma omp cancellation point for
  }
  return 0;
}
