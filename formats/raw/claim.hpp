// SPDX-License-Identifier: BSD-3-Clause
// Which of two processes may convert or remove a raw trace: one at a time, and none while another records it.
#pragma once

#include <filesystem>
#include <functional>

#include "formats/raw/layout.hpp"
#include "tracer/base/files/file_lock.hpp"

namespace tracer::raw {

/// This process records that run, until its next one. Its forked children do not.
void remember_own(RunId run) noexcept;
bool is_own(RunId run) noexcept;

/// Whether another process holds the recorder's lock of a raw trace, of which perhaps nothing can be read yet. False
/// also where the file system has no locks.
bool is_locked_by_recorder(const std::filesystem::path& raw_directory);
/// Whether nobody has a lock of a raw trace, though its file system has locks: its process has ended.
bool is_unlocked(const std::filesystem::path& raw_directory);

enum class Claimed {
  yes,       ///< by this object, as long as it lives; or the file system has no locks
  recorded,  ///< another process still records
  gone,      ///< another process converted and removed it meanwhile
};

/// The lock of a raw trace's journal. While another process converts it waits, after a call of `waiting`.
class Claim {
 public:
  Claimed take(const std::filesystem::path& raw_directory, const std::function<void()>& waiting);

 private:
  ConverterLock lock_;
};

}  // namespace tracer::raw
