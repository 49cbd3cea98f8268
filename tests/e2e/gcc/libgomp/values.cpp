// SPDX-License-Identifier: BSD-3-Clause
// What a program hands to a construct comes through as it was: the ends of loops' numbers, large and aligned blocks of
// tasks, threadprivate copies, errno and the rounding of numbers.
#include <fenv.h>
#include <omp.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace {

void ends_of_numbers() {
  std::atomic<unsigned long long> sum{0};
  const unsigned long long high = ULLONG_MAX, step = ULLONG_MAX / 7;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 3)
    for (unsigned long long i = high - 20; i < high; ++i) sum += i;
#pragma omp for schedule(guided)
    for (unsigned long long i = high; i > high - 30; --i) sum += i;
#pragma omp for schedule(runtime)
    for (unsigned long long i = 0; i < high - step; i += step) sum += i;
#pragma omp for schedule(dynamic) ordered
    for (unsigned long long i = high - 5; i < high; ++i) {
#pragma omp ordered
      sum += i;
    }
#pragma omp for schedule(dynamic) ordered(1)
    for (unsigned long long i = high - 9; i < high; i += 2) {
#pragma omp ordered depend(sink : i - 2)
      sum += i;
#pragma omp ordered depend(source)
    }
#pragma omp for schedule(dynamic, 5)
    for (long i = LONG_MIN; i < LONG_MIN + 40; ++i) sum += static_cast<unsigned long long>(i);
#pragma omp for schedule(guided, 2)
    for (long i = LONG_MAX; i > LONG_MAX - 40; i -= 3) sum += static_cast<unsigned long long>(i);
#pragma omp for schedule(dynamic)
    for (int i = 5; i < 5; ++i) sum += 1;
#pragma omp single
    {
#pragma omp taskloop grainsize(2)
      for (unsigned long long i = high - 10; i < high; ++i) sum += i;
#pragma omp taskloop num_tasks(3)
      for (unsigned long long i = high; i > high - 10; --i) sum += i;
    }
  }
  std::printf("ends of numbers %llu\n", sum.load());
}

template <std::size_t size, std::size_t alignment>
struct alignas(alignment) Block {
  unsigned char bytes[size];
  explicit Block(int n) { std::memset(bytes, n, size); }
  bool is(int n) const {
    if (reinterpret_cast<std::uintptr_t>(this) % alignment != 0) return false;
    for (const unsigned char byte : bytes)
      if (byte != n) return false;
    return true;
  }
};
template <std::size_t size, std::size_t alignment>
void blocks(bool is_deferred) {
  int good = 0;
#pragma omp parallel shared(good)
#pragma omp single
  for (int n = 1; n < 100; ++n) {
    const Block<size, alignment> block(n);
    char text[n];
    std::memset(text, n, sizeof text);
#pragma omp task firstprivate(block, n) shared(good) if (is_deferred)
    if (block.is(n)) {
#pragma omp atomic
      ++good;
    }
#pragma omp task firstprivate(text, n) shared(good) if (is_deferred)
    if (text[0] == n && text[n - 1] == n) {
#pragma omp atomic
      ++good;
    }
#pragma omp task firstprivate(block, n) shared(good) if (is_deferred) depend(inout : good)
    if (block.is(n)) {
#pragma omp atomic
      ++good;
    }
#pragma omp taskloop firstprivate(block, n) shared(good) if (is_deferred) grainsize(1)
    for (int i = 0; i < 3; ++i)
      if (block.is(n)) {
#pragma omp atomic
        ++good;
      }
  }
  std::printf("blocks of %zu, %zu: %d\n", size, alignment, good);
}

int own = 0;
#pragma omp threadprivate(own)
void thread_private() {
  own = 7;
  std::atomic<int> sum{0};
#pragma omp parallel num_threads(3) copyin(own)
  {
    own += omp_get_thread_num();
    sum += own;
  }
#pragma omp parallel num_threads(3)
  sum += own;
  std::printf("threadprivate %d\n", sum.load());
}

/// What a program set before a construct it finds behind it, and inside.
void settings() {
  errno = EXDEV;
  fesetround(FE_UPWARD);
  std::atomic<int> upward{0};
#pragma omp parallel num_threads(1)
  upward += fegetround() == FE_UPWARD;
#pragma omp task if (0) shared(upward)
  upward += fegetround() == FE_UPWARD;
#pragma omp taskloop shared(upward)
  for (int i = 0; i < 4; ++i) upward += fegetround() == FE_UPWARD;
  const int kept = errno;
  upward += fegetround() == FE_UPWARD;
  fesetround(FE_TONEAREST);
  std::printf("settings %d %d\n", kept == EXDEV, upward.load());
}

}  // namespace

int main() {
  omp_set_dynamic(0);
  ends_of_numbers();
  for (const bool is_deferred : {false, true}) {
    blocks<1, 1>(is_deferred);
    blocks<40, 16>(is_deferred);
    blocks<480, 32>(is_deferred);
    blocks<600, 8>(is_deferred);
    blocks<5000, 8>(is_deferred);
    blocks<4096, 256>(is_deferred);
    blocks<40000, 64>(is_deferred);
  }
  thread_private();
  settings();
}
