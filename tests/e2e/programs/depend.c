// A chain of two dependent tasks and an independent one.
int main(void) {
  static volatile int cell[2];
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : cell[0])
    cell[0] = 1;
#pragma omp task depend(in : cell[0]) depend(out : cell[1])
    cell[1] = cell[0];
#pragma omp task depend(inout : cell[1])
    cell[1]++;
#pragma omp taskwait
  }
  return 0;
}
