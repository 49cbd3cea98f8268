// SPDX-License-Identifier: BSD-3-Clause
// Fortran's names.
#include "tracer/translate/regions/fortran_names.hpp"
#include "catch.hpp"

using tracer::translate::fortran_name;
using tracer::translate::name_in_file;

TEST_CASE("procedures of Fortran are named as in their source, by flang and by gfortran") {
  CHECK(fortran_name("_QMwork_modPcompute..omp_par") == "work_mod::compute");
  CHECK(fortran_name("_QMwork_modPcompute..omp_par.1") == "work_mod::compute");
  CHECK(fortran_name("_QPsolve") == "solve");
  CHECK(fortran_name("_QMmSsubFhostPinner2") == "m::sub::host::inner2");
  CHECK(fortran_name("_QQmain..omp_par") == "main program");
  CHECK(fortran_name("_QFPinner..omp_par") == "main program::inner");
  CHECK(fortran_name("__work_mod_MOD_compute") == "work_mod::compute");
  CHECK(fortran_name("MAIN__") == "main program");
}

TEST_CASE("names that are not Fortran's stay") {
  for (const char* name :
       {"main", "solve_", "_ZN3abcEv", "", "_Q", "_Qx", "_QF", "_QP", "_QFFPx", "_QMmFPx", "__libc_start_main", "x..y"})
    CHECK(fortran_name(name) == name);
}

TEST_CASE("procedures outside of modules lose what Fortran appends to their symbols") {
  CHECK(name_in_file("translv_", "/src/translv.f90") == "translv");
  CHECK(name_in_file("with_two__", "old.F") == "with_two");
  CHECK(name_in_file("a_b", "a.f") == "a_b");
  CHECK(name_in_file("inner.3", "a.f90") == "inner");
  CHECK(name_in_file("solve_.part.0", "a.f90") == "solve_.part.0");
  CHECK(name_in_file("inner.", "a.f90") == "inner.");
  CHECK(name_in_file("inner.3", "a.c") == "inner.3");
  CHECK(name_in_file("_", "a.f90") == "_");
  CHECK(name_in_file("c_function_", "main.c") == "c_function_");
  CHECK(name_in_file("f_", "x.fish") == "f_");
  CHECK(name_in_file("f_", "") == "f_");
  CHECK(name_in_file("", "a.f90").empty());
}
