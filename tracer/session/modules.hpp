// SPDX-License-Identifier: BSD-3-Clause
// Which executables and libraries are mapped where, and since when: for the translator's source lines.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "formats/raw/journal.hpp"
#include "tracer/time.hpp"

namespace tracer {

/// Addresses [begin, end) of one module, which is there as long as LoaderWatch::look() gives `version`; empty when
/// there is none.
struct CodeRange {
  std::uint64_t begin = 0, end = 0, version = 0;
  bool contains(std::uint64_t address) const noexcept { return address - begin < end - begin; }
};

/// The code of the program itself, which is there for ever; known from the first ModuleTracker::update() of the process
/// on. Any thread, wait-free.
class ProgramCode {
 public:
  static bool contains(std::uint64_t address) noexcept {
    return address - begin_.load(std::memory_order_relaxed) < size_.load(std::memory_order_relaxed);
  }

 private:
  friend class ModuleTracker;
  static std::atomic<std::uint64_t> begin_, size_;
};

/// What the dynamic loader has opened and closed, as often as it was queried: the loader has no callback when it closes
/// a library, and a query takes its lock. A look that is younger than the pace is current: closing a library and
/// opening another takes longer. Any thread; wait-free but for look().
class LoaderWatch {
 public:
  /// The loader's current number: another one whenever something was opened or closed. Some 50 ns, and the loader's
  /// lock for a moment. `unknown` while a thread forks.
  static std::uint64_t look() noexcept;
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  /// Whether `version`, which look() or a CodeRange gave, still holds by what somebody saw within the pace before
  /// `time`. False where nobody has looked since then.
  static bool holds(std::uint64_t version, Ticks time) noexcept {
    const std::uint64_t seen = seen_.load(std::memory_order_relaxed);
    return static_cast<std::int64_t>(time - (seen & ~version_bits)) < pace_.load(std::memory_order_relaxed) &&
           ((seen ^ version) & version_bits) == 0;
  }
  /// How long a look holds, in ticks of the recording clock. 0, as at the start: not at all.
  static void set_pace(Ticks pace) noexcept { pace_.store(static_cast<std::int64_t>(pace), std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t version_bits = 0x3ff;
  static std::atomic<std::uint64_t> seen_;  ///< when, and in the lowest bits the lowest of the version
  static std::atomic<std::int64_t> pace_;
};

class ModuleTracker {
 public:
  /// Writes what has been loaded and unloaded since the last call. Any thread; cheap when nothing has.
  /// Modules of the first call count as loaded before the start.
  void update(raw::JournalWriter& journal, Ticks when);
  /// The module that the address lies in, looking again when it is in none that is known. Any thread.
  CodeRange range_of(std::uint64_t address, raw::JournalWriter& journal, Ticks when);
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  CodeRange known_range(std::uint64_t address);

  std::mutex mutex_;
  bool first_ = true;
  std::uint64_t version_ = 0;              ///< of the loader, when known_ was read
  std::map<std::uint64_t, Module> known_;  ///< by begin
};

/// Where there is code that no module brought, as compilers at run time make it: "7f00-7f10,8a0-8b0" (hexadecimal, the
/// end not included); "" nowhere. "..." at the end: there is more. As ModuleTracker::update(), and reads
/// /proc/self/maps.
std::string code_of_no_module();

}  // namespace tracer
