// SPDX-License-Identifier: BSD-3-Clause
// Programs of size that count what they do: the trace must say the same ("count <construct> <n>").
//   scale teams THREADS REGIONS   regions of changing team size, with one of most constructs in each
//   scale nesting LEVELS          regions in regions, two threads each
//   scale tasks NUMBER            tasks with dependences, in chains
//   scale roots NUMBER            root threads at once, each with regions of its own
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

std::map<std::string, long> counts;

void print_counts() {
  for (const auto& [name, count] : counts) std::printf("count %s %ld\n", name.c_str(), count);
}

long one_region(int threads) {
  long members = 0;
  std::atomic<long> sum{0};
#pragma omp parallel num_threads(threads)
  {
#pragma omp atomic
    members++;
#pragma omp for schedule(static)
    for (int i = 0; i < 8; i++) sum += i;
#pragma omp barrier
#pragma omp critical
    sum++;
#pragma omp single
    {
      for (int i = 0; i < 4; i++) {
#pragma omp task
        sum++;
      }
#pragma omp taskwait
    }
  }
  return members;
}

void teams(int most, int regions) {
  omp_set_dynamic(0);
  for (int i = 0; i < regions; i++) {
    const long members = one_region(most - (37 * i) % most);
    counts["fork"]++;
    counts["parallel"] += members;
    counts["for"] += members;
    counts["barrier"] += members;
    counts["critical"] += members;
    counts["acquire"] += members;
    counts["single"] += members;
    counts["task"] += 4;
    counts["create task"] += 4;
    counts["taskwait"] += 1;
  }
}

std::atomic<long> forks{0}, memberships{0};

void nest(int levels) {
  if (levels == 0) return;
  forks++;
#pragma omp parallel num_threads(2)
  {
    memberships++;
    nest(levels - 1);
  }
}

void nesting(int levels) {
  omp_set_max_active_levels(levels);
  nest(levels);
  counts["fork"] = forks;
  counts["parallel"] = memberships;
}

void tasks(int number) {
  constexpr int chains = 16;
  static long cell[chains];
#pragma omp parallel
  {
    memberships++;
#pragma omp single
    for (int i = 0; i < number; i++) {
      long* mine = &cell[i % chains];
#pragma omp task depend(inout : mine[0]) firstprivate(mine)
      ++*mine;
    }
  }
  long sum = 0;
  for (long value : cell) sum += value;
  if (sum != number) std::abort();
  counts["parallel"] = memberships;
  counts["task"] = number;
  counts["create task"] = number;
}

void roots(int number) {
  std::vector<std::thread> threads;
  for (int t = 0; t < number; t++) {
    threads.emplace_back([] {
      for (int i = 0; i < 10; i++) {
        forks++;
        memberships += one_region(2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  counts["fork"] = forks;
  counts["parallel"] = memberships;
  counts["task"] = 4 * forks;
  counts["critical"] = memberships;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int number = std::atoi(argv[2]);
  if (std::strcmp(argv[1], "teams") == 0 && argc == 4) teams(number, std::atoi(argv[3]));
  if (std::strcmp(argv[1], "nesting") == 0) nesting(number);
  if (std::strcmp(argv[1], "tasks") == 0) tasks(number);
  if (std::strcmp(argv[1], "roots") == 0) roots(number);
  print_counts();
  return 0;
}
