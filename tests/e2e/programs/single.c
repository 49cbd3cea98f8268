// single with its barrier and without, on one thread, which therefore executes both.
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(1)
  {
#pragma omp single
    cell++;
#pragma omp single nowait
    cell++;
  }
  return 0;
}
