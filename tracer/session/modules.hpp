// SPDX-License-Identifier: BSD-3-Clause
// Which executables and libraries are mapped where, and since when: for the translator's source lines.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "formats/raw/journal.hpp"

namespace tracer {

/// Addresses [begin, end) of one module; empty when there is none.
struct CodeRange {
  /// `version` of what the loader had never unloads: the program itself.
  static constexpr std::uint64_t for_ever = ~std::uint64_t{0};
  std::uint64_t begin = 0, end = 0, version = 0;
  bool contains(std::uint64_t address) const noexcept { return address - begin < end - begin; }
};

class ModuleTracker {
 public:
  /// Writes what has been loaded and unloaded since the last call. Any thread; cheap when nothing has.
  /// Modules of the first call count as loaded before the start.
  void update(raw::JournalWriter& journal, Ticks when);
  /// The module that the address lies in, looking again when it is in none that is known. Any thread.
  CodeRange range_of(std::uint64_t address, raw::JournalWriter& journal, Ticks when);
  /// Another number whenever something was loaded or unloaded.
  static std::uint64_t version() noexcept;
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  CodeRange known_range(std::uint64_t address);

  std::mutex mutex_;
  bool first_ = true;
  std::uint64_t loads_ = 0, unloads_ = 0;
  std::uint64_t program_ = 0;              ///< where the executable begins
  std::map<std::uint64_t, Module> known_;  ///< by begin
};

}  // namespace tracer
