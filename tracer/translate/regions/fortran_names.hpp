// SPDX-License-Identifier: BSD-3-Clause
// Names of Fortran procedures as their source has them.
#pragma once

#include <string>
#include <string_view>

namespace tracer::translate {

/// "work_mod::compute" for flang's _QMwork_modPcompute and gfortran's __work_mod_MOD_compute, "solve" for _QPsolve,
/// "main program" for _QQmain and MAIN__, "host::inner" for procedures inside others, "main program::inner" for
/// _QFPinner; any other name as it is. What flang appends to functions that it makes of regions (..omp_par,
/// ..omp_par.1) is left out.
std::string fortran_name(const std::string& name);
/// "solve" for the symbol solve_ of a procedure outside of modules, "inner" for gfortran's inner.3 of one inside
/// another, where the file it is from is Fortran's by its name.
std::string name_in_file(std::string function, std::string_view file);

}  // namespace tracer::translate
