// A chain of three dependent tasks, all run by thread 0: the other one does not reach the barrier.
int main(void) {
  static volatile int cell[2], done;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    {
#pragma omp task depend(out : cell[0])
      cell[0] = 1;
#pragma omp task depend(in : cell[0]) depend(out : cell[1])
      cell[1] = cell[0];
#pragma omp task depend(inout : cell[1])
      cell[1]++;
#pragma omp taskwait
      done = 1;
    }
    while (!done) {
    }
  }
  return 0;
}
