// A loop cut into two tasks.
int main(void) {
  static volatile int cell[8];
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp taskloop num_tasks(2)
  for (int i = 0; i < 8; i++) cell[i] = i;
  return 0;
}
