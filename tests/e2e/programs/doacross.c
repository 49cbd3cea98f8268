// Cross-iteration dependences of a loop: each iteration waits for the one before.
int main(void) {
  static volatile int cell[4];
#pragma omp parallel num_threads(2)
#pragma omp for ordered(1) schedule(static)
  for (int i = 1; i < 4; i++) {
#pragma omp ordered depend(sink : i - 1)
    cell[i] = cell[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  return 0;
}
