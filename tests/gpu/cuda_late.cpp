// SPDX-License-Identifier: BSD-3-Clause
// CUDA's driver, opened when OpenMP has long begun, as Python does it, and called from the threads of a parallel
// region. CUDA_EARLY=1: opened before the first construct.   CUDA_UNUSED=1: opened only.
//   CUDA_IN_CHILD=1: a forked child uses CUDA, from threads of its own, and its parent does not.
//   CUDA_INIT_FIRST=1: the driver is started before the tool has seen it.
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "cuda_driver.hpp"

namespace {

bool has_cupti() {
  FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[4096];
  bool found = false;
  while (maps && std::fgets(line, sizeof line, maps)) found = found || std::strstr(line, "libcupti");
  if (maps) std::fclose(maps);
  return found;
}

/// The tool looks for new libraries a few times a second: what is asked for before it has seen CUDA it does not record.
void let_the_tool_see() {
  for (int i = 0; i < 2000 && !has_cupti(); ++i) usleep(10'000);
  usleep(500'000);
}

[[gnu::constructor]] void before_openmp() {
  if (std::getenv("CUDA_EARLY")) driver = dlopen("libcuda.so.1", RTLD_NOW);
}

/// In both processes what main returns.
int work_in_child() {
  const pid_t child = fork();
  if (child != 0) {
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return std::fprintf(stderr, "%s\n", dlerror()), 2;
  const Loaded loaded = load();
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work, std::cref(loaded));
  work(loaded);
  for (std::thread& other : others) other.join();
  print_counts();
  return 0;
}

}  // namespace

int main() {
  const bool early = driver != nullptr;
  int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  sum += omp_get_thread_num();
  if (std::getenv("CUDA_IN_CHILD")) return work_in_child();
  if (!early) driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return std::fprintf(stderr, "%s\n", dlerror()), 2;
  if (std::getenv("CUDA_UNUSED")) return 0;
  if (std::getenv("CUDA_INIT_FIRST")) cuda("cuInit", 0u);
  if (!early && std::getenv("OMP_TOOL_LIBRARIES")) let_the_tool_see();
  const Loaded loaded = load();
#pragma omp parallel num_threads(threads)
  work(loaded);
  std::printf("threads %d\n", sum);
  print_counts();
  return 0;
}
