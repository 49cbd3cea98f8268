// SPDX-License-Identifier: BSD-3-Clause
// Which executables and libraries are mapped where, and since when: for the translator's source lines.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "formats/raw/journal.hpp"

namespace tracer {

class ModuleTracker {
 public:
  /// Writes what has been loaded and unloaded since the last call. Any thread; cheap when nothing has.
  /// Modules of the first call count as loaded before the start.
  void update(raw::JournalWriter& journal, Ticks when);
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  std::mutex mutex_;
  bool first_ = true;
  std::uint64_t loads_ = 0, unloads_ = 0;
  std::map<std::uint64_t, Module> known_;  ///< by begin
};

}  // namespace tracer
