// SPDX-License-Identifier: BSD-3-Clause
// Names of code that compilers made while the program runs, as they report it to debuggers: LLVM (numba, Julia, PoCL)
// and others keep a list of ELF files in memory, at __jit_debug_descriptor (GDB's manual, "JIT Compilation Interface").
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace tracer::sample {

/// Used by one thread at a time, never by one of the program's. The list changes while it is read, and code is given
/// back: all is read as if it were another process's.
class JitNames {
 public:
  /// Lines of a perf map for what is new: "begin size name". May throw std::bad_alloc.
  std::string take();

 private:
  void read_list(std::uint64_t descriptor, std::string& lines);
  void read_object(std::uint64_t address, std::uint64_t size, std::string& lines);
  void find_descriptors();

  std::set<std::uint64_t> descriptors_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;  ///< objects: where, and how large
  std::uint64_t loads_ = 0, unloads_ = 0;                   ///< of libraries, when they were looked at
  std::uint64_t bytes_ = 0;                                 ///< of all objects so far
};

}  // namespace tracer::sample
