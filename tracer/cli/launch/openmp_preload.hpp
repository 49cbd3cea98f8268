// SPDX-License-Identifier: BSD-3-Clause
// What `tracer run` preloads so that a program's OpenMP is recorded.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tracer/cli/launch/program.hpp"

namespace tracer::cli {

/// Value of --runtime: whatever find_llvm_runtime finds.
inline constexpr const char* newest_runtime_found = "auto";

/// The command and its options, as far as they matter here.
struct RunRequest {
  std::span<const Program> openmp_below;  ///< of programs_below() those with OpenMP
  const std::string& runtime;             ///< --runtime, "" not given
  bool listens_to_words, is_quiet;
  bool begins_with_python = false;  ///< the trace begins with the interpreter
};

/// Another runtime where the user has requested it and it fits the program, else the library before libgomp, unless the
/// programs to run only use runtimes with OMPT. "": nothing. Prints notes for the user.
std::string openmp_to_preload(const Program& first, const RunRequest& request,
                              const std::filesystem::path& tool_library);

/// The loader can load no tool into any of the programs that the command shows: openmp_to_preload() prints why.
/// `below`: those with OpenMP.
bool is_untraceable(const Program& first, std::span<const Program> below);

/// Prints what is not recorded of the program because Tracer's libraries have a place that a list of files cannot name.
/// `runtime`: what openmp_to_preload() gave. True: that is a reason why there may be no trace.
bool is_badly_placed(const Program& program, const std::string& runtime, const std::filesystem::path& tool_library,
                     bool is_quiet);

}  // namespace tracer::cli
