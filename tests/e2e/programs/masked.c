// The primary thread's block.
int main(void) {
  static volatile int cell;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    cell++;
  }
  return 0;
}
