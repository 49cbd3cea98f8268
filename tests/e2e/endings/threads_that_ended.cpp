// SPDX-License-Identifier: BSD-3-Clause
// 20 std::threads, one after the other, each with one region of one thread, ended within a ms; then main sleeps 1 s.
#include <unistd.h>

#include <cstdio>
#include <thread>

int main() {
  for (int i = 0; i < 20; ++i)
    std::thread([] {
      int k = 0;
#pragma omp parallel num_threads(1)
      k++;
      if (k != 1) std::puts("?");
    }).join();
  usleep(1000000);
#pragma omp parallel num_threads(1)
  usleep(1000);
}
