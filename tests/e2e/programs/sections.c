// Two sections, on one thread so that their order is known.
int main(void) {
  static volatile int cell[2];
#pragma omp parallel num_threads(1)
#pragma omp sections
  {
#pragma omp section
    cell[0] = 1;
#pragma omp section
    cell[1] = 2;
  }
  return 0;
}
