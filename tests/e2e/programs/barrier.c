// Two explicit barriers.
int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
#pragma omp barrier
  }
  return 0;
}
