// SPDX-License-Identifier: BSD-3-Clause
// Fortran's names.
#include "catch.hpp"
#include "tracer/translate/regions/fortran_names.hpp"

using tracer::translate::fortran_name;

TEST_CASE("procedures of Fortran are named as in their source, by flang and by gfortran") {
  CHECK(fortran_name("_QMwork_modPcompute..omp_par") == "work_mod::compute");
  CHECK(fortran_name("_QMwork_modPcompute..omp_par.1") == "work_mod::compute");
  CHECK(fortran_name("_QPsolve") == "solve");
  CHECK(fortran_name("_QMmSsubFhostPinner2") == "m::sub::host::inner2");
  CHECK(fortran_name("_QQmain..omp_par") == "main program");
  CHECK(fortran_name("__work_mod_MOD_compute") == "work_mod::compute");
  CHECK(fortran_name("MAIN__") == "main program");
}

TEST_CASE("names that are not Fortran's stay") {
  for (const char* name : {"main", "solve_", "_ZN3abcEv", "", "_Q", "_Qx", "__libc_start_main", "x..y"})
    CHECK(fortran_name(name) == name);
}
