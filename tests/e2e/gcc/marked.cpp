// SPDX-License-Identifier: BSD-3-Clause
// What is C++ about constructs, as marked.c: templates, lambdas, members, tasks that copy objects, exceptions, declared
// reductions, scans, nesting.
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static std::atomic<long> total{0};

struct Sum {
  long value = 0;
  Sum() = default;
  Sum(const Sum& other) : value(other.value) {}
};
#pragma omp declare reduction(add:Sum : omp_out.value += omp_in.value)

template <class Number>
[[gnu::noinline]] static void of_type(Number n) {
#pragma omp parallel  // parallel=2*T
  {
#pragma omp for schedule(dynamic)  // for~=2*T
    for (Number i = 0; i < n; ++i) total += static_cast<long>(i);
  }
}

class Object {
 public:
  void run() {
#pragma omp parallel  // parallel=T
    {
#pragma omp critical(object)  // critical=T, critical sblock=T
      ++count_;
#pragma omp barrier  // barrier=T
#pragma omp single
      for (int i = 0; i < 5; ++i) {
#pragma omp task firstprivate(name_)  // create task=5, task=5
        total += static_cast<long>(name_.size());
      }
    }
  }

 private:
  long count_ = 0;
  std::string name_ = "a name that is longer than what a string has room for";
};

static void closures() {
  const auto apply = [](auto function) {
#pragma omp parallel  // parallel=T
    function();
  };
  apply([] {
    total += 1;
#pragma omp barrier  // barrier=T
    total += 1;
  });
  std::vector<int> numbers(30, 2);
#pragma omp parallel for schedule(dynamic, 4)  // parallel=T
  for (auto at = numbers.begin(); at < numbers.end(); ++at) total += *at;
#pragma omp parallel for schedule(guided)  // parallel=T
  for (const int number : numbers) total += number;
}

static void reductions() {
  Sum sum;
  long scanned = 0;
  std::vector<long> values(50, 1), sums(50);
#pragma omp parallel for reduction(add : sum)  // parallel=T
  for (int i = 0; i < 10; ++i) sum.value += i;
#pragma omp parallel for reduction(inscan, + : scanned)  // parallel=T
  for (int i = 0; i < 50; ++i) {
    scanned += values[static_cast<std::size_t>(i)];
#pragma omp scan inclusive(scanned)
    sums[static_cast<std::size_t>(i)] = scanned;
  }
#pragma omp parallel reduction(task, + : scanned)  // parallel=T
  {
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task in_reduction(+ : scanned)  // create task=4, task=4
      scanned += i;
    }
  }
#pragma omp parallel  // parallel=T
  {
#pragma omp for reduction(task, + : scanned) schedule(dynamic)  // for~=T
    for (int i = 0; i < 8; ++i) {
#pragma omp task in_reduction(+ : scanned)  // create task=8, task=8
      scanned += i;
    }
    total += 1;
    total += 2;
    total += 3;
#pragma omp sections reduction(task, + : scanned)  // sections~=T
    {
#pragma omp section
      scanned += 1;
#pragma omp section
      scanned += 2;
    }
    total += 1;
    total += 2;
    total += 3;
#pragma omp scope reduction(task, + : scanned)  // scope~=T
    scanned += 1;
  }
  total += sum.value + scanned + sums[49];
}

static void thrown() {
#pragma omp parallel  // parallel=T
  {
    try {
#pragma omp critical(thrown)  // critical=T, critical sblock=T
      {
        try {
          throw std::runtime_error("inside");
        } catch (const std::exception&) {
          total += 1;
        }
      }
    } catch (...) {
    }
#pragma omp single
    for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(i)  // create task=3, task=3
      try {
        if (i == 1) throw i;
        total += 1;
      } catch (int n) {
        total += n;
      }
    }
  }
}

static void nested(int depth) {
  if (depth == 0) return;
#pragma omp parallel num_threads(2)  // parallel=14
  nested(depth - 1);
}

static long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
#pragma omp task shared(a)  // create task=143, task=143
  a = fib(n - 1);
#pragma omp task shared(b)  // create task=143, task=143
  b = fib(n - 2);
#pragma omp taskwait  // taskwait=143
  return a + b;
}

int main() {
  omp_set_max_active_levels(3);
  of_type(20);
  of_type(20ull);
  Object().run();
  closures();
  reductions();
  thrown();
  nested(3);
#pragma omp parallel  // parallel=T
#pragma omp single
  total += fib(11);
  std::printf("total %ld\n", total - 3 * omp_get_max_threads() > 0 ? 1L : 0L);
}
