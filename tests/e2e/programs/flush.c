// An explicit flush.
int main(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp flush
  }
  return 0;
}
