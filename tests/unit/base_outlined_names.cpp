// SPDX-License-Identifier: BSD-3-Clause
// Functions that compilers make of constructs are recognised by their symbols.
#include <string_view>

#include "catch.hpp"
#include "tracer/base/outlined_names.hpp"

using namespace tracer;

TEST_CASE("functions that compilers make of constructs are recognised, and named after those around them", "[base]") {
  for (const char* symbol :
       {"solve", "solve.omp_outlined", "solve.omp_outlined_debug__.1", "solve._omp_fn.0", "solve.omp_task_entry",
        "solve.DIR.OMP.PARALLEL.LOOP.2.split78", "solve.DIR.OMP.PARALLEL2", "solve.DIR.OMP.TASK.4"}) {
    INFO(symbol);
    CHECK(without_outlining(symbol) == "solve");
    CHECK(is_outlined(symbol) == (symbol != std::string_view{"solve"}));
  }
  CHECK(without_outlining("_ZN5Solve3runEv.DIR.OMP.PARALLEL.2") == "_ZN5Solve3runEv");
  CHECK(without_outlining(".omp_outlined.").empty());
  CHECK(without_outlining("_QPsolve..omp_par") == "_QPsolve..omp_par");
  for (const char* symbol : {"_QPsolve..omp_par", "__omp_offloading_10303_2c_main_l4"}) CHECK(is_outlined(symbol));
  for (const char* symbol : {"main", "", "omp_get_num_threads", "solve.DIR", "solve.cold"}) CHECK(!is_outlined(symbol));
}
