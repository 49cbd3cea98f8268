// SPDX-License-Identifier: BSD-3-Clause
// A Kokkos program: kernels, regions, deep copies and views, on whatever backend its Kokkos has.
#include <Kokkos_Core.hpp>
#include <cstdio>

int main(int count, char** words) {
  Kokkos::initialize(count, words);
  {
    Kokkos::View<double*> values("values", 1000), copy("copy", 1000);
    Kokkos::Profiling::pushRegion("solve");
    double sum = 0;
    for (int i = 0; i < 10; ++i) {
      Kokkos::parallel_for(
          "fill", 1000, KOKKOS_LAMBDA(int n) { values(n) = n; });
      Kokkos::parallel_reduce(
          "add up", 1000, KOKKOS_LAMBDA(int n, double& to) { to += values(n); }, sum);
      Kokkos::parallel_scan(
          "scan", 1000, KOKKOS_LAMBDA(int n, double& to, bool is_final) {
            to += values(n);
            if (is_final) copy(n) = to;
          });
    }
    Kokkos::deep_copy(copy, values);
    Kokkos::Profiling::popRegion();
    if (sum != 499500) return 2;
  }
  Kokkos::finalize();
  std::puts("range solve 1");
  std::puts("range fill 10");
  std::puts("range add up 10");
  std::puts("range scan 10");
  std::puts("attribute fill|CATEGORY parallel_for");
  std::puts("attribute add up|CATEGORY parallel_reduce");
}
