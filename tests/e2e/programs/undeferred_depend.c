// The type of the first dependence is one that libomp does not say right (tracer/ompt/overrun.hpp).
int x, y;
int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp master
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(mutexinoutset : x) depend(in : y) if (0)
    x = 2;
  }
}
