// SPDX-License-Identifier: BSD-3-Clause
// C++: tasks with objects that copy themselves, exceptions inside of regions, tasks and critical regions, regions of
// several threads, in templates, lambdas and constructors.
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::atomic<long> total{0}, alive{0};

struct Object {
  std::string name;
  const Object* self;
  explicit Object(std::string n) : name(std::move(n)), self(this) { ++alive; }
  Object(const Object& other) : name(other.name), self(this) { ++alive; }
  Object& operator=(const Object&) = delete;
  ~Object() {
    if (self != this) std::printf("moved\n");
    --alive;
  }
};

template <class T>
T sum_of(const std::vector<T>& values) {
  T sum{};
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum)
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i];
  return sum;
}

void tasks() {
  Object object("a name that is too long for the string's own room, so that it is copied for real");
  std::vector<int> numbers{1, 2, 3};
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 50; ++i) {
#pragma omp task firstprivate(object, numbers) if (i % 3 != 0)
    total += static_cast<long>(object.name.size()) + numbers[2];
#pragma omp taskloop firstprivate(object) grainsize(2)
    for (int k = 0; k < 6; ++k) total += object.self == &object ? k : 1000000;
  }
}

void throwing() {
#pragma omp parallel num_threads(3)
  {
    try {
      throw std::runtime_error("inside");
    } catch (const std::exception&) {
      ++total;
    }
#pragma omp task
    {
      try {
#pragma omp critical
        {
          try {
            throw 1;
          } catch (int) {
            ++total;
          }
        }
        throw std::string("task");
      } catch (const std::string&) {
        ++total;
      }
    }
  }
}

struct Static {
  Static() {
#pragma omp parallel num_threads(2)
    ++total;
  }
  ~Static() {
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    std::printf("at the end %ld\n", sum);
  }
} before_main;

}  // namespace

int main() {
  std::printf("before main %ld\n", total.load());
  tasks();
  throwing();
  std::vector<long> values(1000, 2);
  std::printf("sum %ld\n", sum_of(values));
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int r = 0; r < 10; ++r) {
        const auto work = [&] {
#pragma omp parallel num_threads(2)
#pragma omp critical(lambda)
          ++total;
        };
        work();
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("total %ld, alive %ld\n", total.load(), alive.load());
  return 0;
}
