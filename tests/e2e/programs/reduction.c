// A reduction at the end of a region's loop.
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp for reduction(+ : sum) schedule(static)
  for (int i = 0; i < 8; i++) sum += i;
  return sum == 28 ? 0 : 1;
}
