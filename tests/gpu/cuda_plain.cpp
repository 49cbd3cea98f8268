// SPDX-License-Identifier: BSD-3-Clause
// CUDA's driver, called from threads, in a program that has no OpenMP, no MPI and names no phases.
// Usage: cuda_plain [TIMES [MS]]     each thread does its work so many times, and sleeps after each
#include <chrono>
#include <thread>
#include <vector>

#include "cuda_driver.hpp"

int main(int argc, char** argv) {
  const auto argument = [&](int i, unsigned otherwise) {
    return argc > i ? static_cast<unsigned>(std::atoi(argv[i])) : otherwise;
  };
  const unsigned times = argument(1, 1), sleep_ms = argument(2, 0);
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return std::fprintf(stderr, "%s\n", dlerror()), 2;
  const Loaded loaded = load();
  const auto work_often = [&loaded, times, sleep_ms] {
    for (unsigned i = 0; i < times; ++i) {
      work(loaded);
      if (sleep_ms) std::this_thread::sleep_for(std::chrono::milliseconds(sleep_ms));
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work_often);
  work_often();
  for (std::thread& other : others) other.join();
  std::printf("threads %d\n", threads);
  print_counts(times);
  return 0;
}
