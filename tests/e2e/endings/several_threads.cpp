// SPDX-License-Identifier: BSD-3-Clause
// Three std::threads start OpenMP at once, main joins in: each is an initial thread with teams of its own.
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
  constexpr int starters = 3, regions = 5;
  std::atomic<int> members{0}, ready{0};
  auto work = [&] {
    ++ready;
    while (ready < starters + 1) std::this_thread::yield();
    for (int i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(2)
      ++members;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < starters; ++i) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  std::printf("count fork %d\ncount parallel %d\n", (starters + 1) * regions, members.load());
}
