// A dynamic loop of four chunks and a guided one, on one thread so that their order is known.
int main(void) {
  static volatile int cell[8];
#pragma omp parallel num_threads(1)
  {
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 8; i++) cell[i] = i;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 8; i++) cell[i] += i;
  }
  return 0;
}
