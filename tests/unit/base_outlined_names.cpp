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

TEST_CASE("copies and pieces that compilers make of a function have its name", "[base]") {
  for (const char* symbol :
       {"solve", "solve.constprop.0", "solve.isra.0", "solve.part.0", "solve.cold", "solve.part.0.cold",
        "solve.constprop.0.isra.1", "solve.lto_priv.0", "solve.llvm.1234567890", "solve.specialized.1"}) {
    INFO(symbol);
    CHECK(without_clones(symbol) == "solve");
  }
  CHECK(without_clones("_ZN5Solve3runEi.constprop.0") == "_ZN5Solve3runEi");
  CHECK(without_clones(without_outlining("solve.constprop.0._omp_fn.2")) == "solve");
  CHECK(without_clones(without_outlining("solve._omp_fn.2.cold")) == "solve");
  for (const char* symbol : {"inner.3", "partial", "parts.part", "main.coldStart",
                             "_ZN53_$LT$m..cold..Cache$u20$as$u20$core..fmt..Display$GT$3fmt17h972ddbb53a012a57E"})
    CHECK(without_clones(symbol) == symbol);
}
