// A reduction that the runtime does in a critical section: only then it reports one.
// environment: KMP_FORCE_REDUCTION=critical
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(1) reduction(+ : sum)
  sum += 1;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp barrier
    sum += 1;
  }
  return sum == 3 ? 0 : 1;
}
