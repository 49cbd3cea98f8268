// SPDX-License-Identifier: BSD-3-Clause
// Recursive merge sort with tasks, and what threads share while they do it.
//
// Each level sorts its halves in two tasks of a taskgroup; the leaves count what they sorted in a
// histogram with one lock per bin, and note the largest leaf in a critical section.
// Usage: sort [--count] [NUMBERS [LEAF]]
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int bins = 4;

struct Shared {
  std::size_t leaf_size = 0;
  std::array<omp_lock_t, bins> locks;
  std::array<std::size_t, bins> histogram{};  // each bin guarded by its lock
  std::size_t largest_leaf = 0;               // guarded by the critical section
};

struct Counts {
  long tasks = 0, taskgroups = 0, criticals = 0, locks = 0;

  Counts& operator+=(const Counts& other) {
    tasks += other.tasks;
    taskgroups += other.taskgroups;
    criticals += other.criticals;
    locks += other.locks;
    return *this;
  }
};

std::vector<std::uint32_t> random_numbers(std::size_t n) {
  std::vector<std::uint32_t> numbers(n);
  std::uint32_t state = 2463534242u;  // xorshift: the same numbers everywhere
  for (auto& number : numbers) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    number = state;
  }
  return numbers;
}

Counts sort_leaf(std::uint32_t* begin, std::uint32_t* end, Shared& shared) {
  std::sort(begin, end);
  std::array<std::size_t, bins> found{};
  for (auto* number = begin; number != end; ++number) ++found[*number >> 30];
  for (int bin = 0; bin < bins; ++bin) {
    omp_set_lock(&shared.locks[bin]);
    shared.histogram[bin] += found[bin];
    omp_unset_lock(&shared.locks[bin]);
  }
  const auto size = static_cast<std::size_t>(end - begin);
#pragma omp critical(largest)
  shared.largest_leaf = std::max(shared.largest_leaf, size);
  return {0, 0, 1, bins};
}

Counts merge_sort(std::uint32_t* begin, std::uint32_t* end, std::uint32_t* buffer, Shared& shared) {
  const auto size = static_cast<std::size_t>(end - begin);
  if (size <= shared.leaf_size) return sort_leaf(begin, end, shared);
  auto* middle = begin + size / 2;
  Counts left, right;
#pragma omp taskgroup
  {
#pragma omp task shared(left, shared)
    left = merge_sort(begin, middle, buffer, shared);
#pragma omp task shared(right, shared)
    right = merge_sort(middle, end, buffer + size / 2, shared);
  }
  std::merge(begin, middle, middle, end, buffer);
  std::copy(buffer, buffer + size, begin);
  Counts sum{2, 1, 0, 0};
  sum += left;
  sum += right;
  return sum;
}

void print_counts(const Counts& counts, int threads) {
  std::printf("count fork 1\ncount parallel %d\ncount single %d\n", threads, threads);
  std::printf("count task %ld\ncount taskgroup %ld\n", counts.tasks, counts.taskgroups);
  std::printf("count critical %ld\ncount acquire %ld\n", counts.criticals, counts.locks + counts.criticals);
  std::printf("count for 0\ncount barrier 0\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 && std::strcmp(argv[1], "--count") == 0;
  const long n = argc > 1 + count ? std::atol(argv[1 + count]) : 200000;
  const long leaf = argc > 2 + count ? std::atol(argv[2 + count]) : 2000;
  if (n < 1 || leaf < 1) {
    std::fprintf(stderr, "usage: %s [--count] [NUMBERS [LEAF]]\n", argv[0]);
    return 2;
  }
  auto numbers = random_numbers(n);
  std::vector<std::uint32_t> buffer(numbers.size());
  Shared shared;
  shared.leaf_size = leaf;
  for (auto& lock : shared.locks) omp_init_lock(&lock);
  Counts counts;
  int threads = 1;
#pragma omp parallel
#pragma omp single
  {
    threads = omp_get_num_threads();
    counts = merge_sort(numbers.data(), numbers.data() + n, buffer.data(), shared);
  }
  for (auto& lock : shared.locks) omp_destroy_lock(&lock);
  std::size_t sum = 0;
  for (const auto bin : shared.histogram) sum += bin;
  const bool good = std::is_sorted(numbers.begin(), numbers.end()) && sum == numbers.size();
  std::printf("%ld numbers, %ld tasks, largest leaf %zu, %s\n", n, counts.tasks, shared.largest_leaf,
              good ? "sorted" : "WRONG");
  if (count) print_counts(counts, threads);
  return good ? 0 : 1;
}
