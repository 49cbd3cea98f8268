// A league of two teams on the host, each with a distributed loop.
int main(void) {
  static volatile int cell[8];
#pragma omp teams num_teams(2) thread_limit(1)
#pragma omp distribute
  for (int i = 0; i < 8; i++) cell[i] = i;
  return 0;
}
