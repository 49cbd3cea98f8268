// taskwait for one variable.
int main(void) {
  static volatile int cell[2];
#pragma omp parallel num_threads(1)
  {
#pragma omp task depend(out : cell[0])
    cell[0] = 1;
#pragma omp taskwait depend(in : cell[0])
  }
  return 0;
}
