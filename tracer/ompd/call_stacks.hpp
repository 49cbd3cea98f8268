// SPDX-License-Identifier: BSD-3-Clause
// Call stacks and source positions of a target, through libdw when it is installed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tracer::ompd {

class Target;

/// Where an address lies. Empty strings and line 0: unknown.
struct Position {
  std::uint64_t address = 0;
  std::string function{}, file{}, module{};
  std::uint32_t line = 0;
};

/// Unwinds while the target is stopped; positions can be requested later, without it.
class CallStacks {
 public:
  /// Of a live process, stopped by the calling thread. nullptr with the reason when that is not to be had.
  static std::unique_ptr<CallStacks> of_process(std::uint64_t process, std::string& why);
  static std::unique_ptr<CallStacks> of_core(const std::string& path, const std::string& executable, std::string& why);
  ~CallStacks();

  /// Innermost first. The first is the program counter, the others one byte before the return address.
  std::vector<std::uint64_t> addresses(std::uint64_t thread) const;
  /// The first address outside of [begin, end), 0 none: how a thread came into a library.
  std::uint64_t first_outside(std::uint64_t thread, std::uint64_t begin, std::uint64_t end) const;
  Position position(std::uint64_t address) const;

 private:
  struct State;
  CallStacks();
  std::unique_ptr<State> state_;
};

}  // namespace tracer::ompd
