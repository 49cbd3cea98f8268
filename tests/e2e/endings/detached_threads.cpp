// SPDX-License-Identifier: BSD-3-Clause
// main returns while a detached thread still runs parallel regions: finalisation meets live callbacks.
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <thread>

int main() {
  static std::atomic<int> members{0};
  std::thread([] {
    for (;;) {
#pragma omp parallel num_threads(2)
      ++members;
    }
  }).detach();
  while (members < 200) std::this_thread::yield();
#pragma omp parallel
  ++members;
  std::puts("main returns");
}
