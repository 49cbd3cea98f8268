// SPDX-License-Identifier: BSD-3-Clause
// CUDA's driver, called from threads, in a program that has no OpenMP, no MPI and names no phases.
#include <functional>
#include <thread>
#include <vector>

#include "cuda_driver.hpp"

int main() {
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return std::fprintf(stderr, "%s\n", dlerror()), 2;
  const Loaded loaded = load();
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work, std::cref(loaded));
  work(loaded);
  for (std::thread& other : others) other.join();
  std::printf("threads %d\n", threads);
  print_counts();
  return 0;
}
