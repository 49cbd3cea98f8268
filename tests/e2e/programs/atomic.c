// An atomic for which there is no instruction, as GCC compiles it: a lock of the runtime's.
// (clang calls libatomic instead, which no tool sees.)
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
int main(void) {
  static volatile long double sum;
#pragma omp parallel num_threads(1)
  {
    GOMP_atomic_start();
    sum += 1.0L;
    GOMP_atomic_end();
  }
  return 0;
}
