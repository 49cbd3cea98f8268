// SPDX-License-Identifier: BSD-3-Clause
// Which OpenMP runtime called: its file, and its build's own text.
#pragma once

#include <string>

namespace tracer::ompt {

struct RuntimeIdentity {
  std::string library;  ///< path of the file that contains `function`, "" unknown
  std::string build;    ///< "LLVM OMP build compiler: Clang 19.1", "" none found
  /// It takes the length of an error directive's message for a tool that listens to `error`, also where there is
  /// none: strlen(NULL). libomp 13 to 19 as seen, in LLVM's sources up to 22; no version without it is known.
  bool has_error_fault = false;
};

/// `function` is an address inside the runtime. All libomp versions call themselves
/// "LLVM OMP version: 5.0.20140926"; only the build string distinguishes them.
RuntimeIdentity identify_runtime(const void* function) noexcept;

}  // namespace tracer::ompt
