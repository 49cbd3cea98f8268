// A taskloop in each task of another; where tasks run as they are made, both keep their positions.
int main(void) {
  static volatile int cell[2];
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < 2; i++) {
#pragma omp taskloop grainsize(1)
    for (int j = 0; j < 2; j++) cell[j] = i;
  }
  return 0;
}
