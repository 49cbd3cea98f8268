// SPDX-License-Identifier: BSD-3-Clause
// NVTX's own header for C++: ranges of a scope, of a function, of a domain, and such that move, from several threads of
// which none knows OpenMP.
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include <nvtx3/nvtx3.hpp>

namespace {

struct solver {
  static constexpr char const* name{"solver"};
};

void in_a_function() {
  NVTX3_FUNC_RANGE_IN(solver);
}

void work(int times) {
  for (int i = 0; i < times; ++i) {
    nvtx3::scoped_range outer{"scope"};
    nvtx3::scoped_range_in<solver> inner{
        nvtx3::event_attributes{"in a domain", nvtx3::rgb{1, 2, 3}, nvtx3::payload{0.5}}};
    in_a_function();
    nvtx3::mark_in<solver>("mark");
  }
}

}  // namespace

int main() {
  std::vector<std::thread> pool;
  for (int i = 0; i < 4; ++i) pool.emplace_back(work, 25);
  nvtx3::unique_range crossing{"moved"};
  std::thread{[range = std::move(crossing)] {}}.join();
  for (std::thread& thread : pool) thread.join();
  std::puts("range scope 100");
  std::puts("range in a domain 100");
  std::puts("range in_a_function 100");
  std::puts("range mark 100");
  std::puts("range moved 1");
  std::puts("attribute in a domain|PAYLOAD_REAL 0.5");
  std::puts("thread Thread 4 1");
}
