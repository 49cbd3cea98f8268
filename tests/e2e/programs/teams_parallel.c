// A league of one team with a region of two threads.
int main(void) {
  static volatile int cell[2];
#pragma omp teams num_teams(1) thread_limit(2)
#pragma omp parallel num_threads(2)
  cell[0]++;
  return 0;
}
