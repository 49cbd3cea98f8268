// SPDX-License-Identifier: BSD-3-Clause
// Breakpoints at the functions that a runtime calls for debuggers: ompd_bp_*.
//
// They are empty by definition, so a hit thread returns from them without executing them: there is no
// single step, no moment without the breakpoint, and no other thread is stopped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tracer::ompd {

class RuntimeAccess;
class Target;

enum class Point : std::uint8_t { parallel_begin, parallel_end, task_begin, task_end, thread_begin, thread_end };
inline constexpr std::size_t point_count = 6;

/// What must be undone in the target, in memory shared with the process that watches the tracing one:
/// plain data, valid at every instant. `count` is written last.
struct TargetPatches {
  std::uint64_t process = 0;
  struct Patch {
    std::uint64_t address;
    std::uint32_t original;
    std::uint32_t patched;
  };
  std::array<Patch, point_count> patches{};
  std::uint64_t state_address = 0;  ///< ompd_state, when it was switched on
  std::uint64_t state = 0;          ///< what it was
  std::uint32_t count = 0;
};

/// Writes back the bytes of `repairs`, through /proc/PID/mem; used when the tracing process was killed.
void repair_after_death(const TargetPatches& repairs) noexcept;

class Breakpoints {
 public:
  /// Inserts them, and switches the calls on where OMP_DEBUG did not. The target must be stopped.
  /// Throws CannotLook when a symbol is missing or the text cannot be written.
  Breakpoints(RuntimeAccess& session, TargetPatches& repairs);
  /// Back as it was; the target must be stopped. Idempotent.
  void remove() noexcept;
  /// A copy of the process (fork) has them too: removed there.
  void remove_from(std::uint64_t process) const noexcept;
  /// The breakpoint that a thread stopped at with SIGTRAP has just hit, by its program counter.
  std::optional<Point> hit(std::uint64_t pc) const noexcept;

 private:
  Target& target_;
  TargetPatches& repairs_;
  std::array<std::uint64_t, point_count> addresses_{};
  bool inserted_ = false;
};

/// Lets the stopped thread return from the function at whose first instruction it was caught.
/// The address it returns to; 0 when that failed.
std::uint64_t return_from_breakpoint(const Target& target, std::uint64_t thread) noexcept;

const char* name_of(Point point) noexcept;

}  // namespace tracer::ompd
