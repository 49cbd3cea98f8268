// The scope construct with its barrier.
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
#pragma omp scope
  cell++;
  return 0;
}
