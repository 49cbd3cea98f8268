// Two regions of different size: fork, team, implicit barrier, join.
int main(void) {
#pragma omp parallel num_threads(2)
  { __asm__ volatile("" ::: "memory"); }
#pragma omp parallel num_threads(1)
  { __asm__ volatile("" ::: "memory"); }
  return 0;
}
