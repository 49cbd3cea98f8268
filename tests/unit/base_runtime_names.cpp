// SPDX-License-Identifier: BSD-3-Clause
// OpenMP runtimes are recognised by their files' names, and nothing else is.
#include "catch.hpp"
#include "tracer/base/runtime_names.hpp"

using namespace tracer;

TEST_CASE("copies of OpenMP runtimes are recognised by their names", "[base]") {
  for (const char* name : {"libomp.so", "libomp.so.5", "libomp5.so", "libiomp5.so", "libomp-a34b3233.so.5",
                           "libiomp5-4b1c.so", "libomp-a34b3233.so"})
    CHECK((is_llvm_runtime(name) && !is_gcc_runtime(name)));
  for (const char* name : {"libgomp.so.1", "libgomp-a34b3233.so.1.0.0"})
    CHECK((is_gcc_runtime(name) && !is_llvm_runtime(name)));
  for (const char* name : {"libomptarget.so", "libompd.so", "libomp", "libiompstubs5.so", "libompx.so.1", "libm.so.6",
                           "libgompx.so", "libomp-notes.txt"})
    CHECK((!is_llvm_runtime(name) && !is_gcc_runtime(name)));
}
