// SPDX-License-Identifier: BSD-3-Clause
// Target regions where there is no device: GCC's libgomp runs them on the host. Computes for 0.3 s in them.
#include <omp.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void) {
  double sum = 0;
  int on_host = 0;
#pragma omp target data map(tofrom : sum)
  for (int step = 0; step < 3; ++step) {
#pragma omp target map(tofrom : sum, on_host)
    {
      const double begin = now();
      while (now() - begin < 0.1) sum += 1e-3;
      on_host += omp_is_initial_device();
    }
#pragma omp target update from(sum)
  }
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  if (on_host != 3) return printf("devices %d\n", omp_get_num_devices()), 77;
  puts(sum > 0 ? "right" : "wrong");
  return sum > 0 ? 0 : 1;
}
