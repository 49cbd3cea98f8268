// SPDX-License-Identifier: BSD-3-Clause
// A lock on a file of a run marks its user: it needs no names and no process numbers, so it holds through symbolic
// links, in other directories and namespaces, and ends with the process however that ends.
//
// Two bytes of a file are locked (F_OFD_SETLK; the content does not matter):
//
//   byte 0   byte 1
//   locked   free     somebody records: the process is alive
//   locked   locked   somebody converts or removes it (who records may do so itself)
//
// Who converts takes both, and so keeps a recorder from beginning: one that comes later finds the file removed.
#pragma once

#include <filesystem>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/own_descriptor.hpp"

namespace tracer {

enum class FileUse { free, recorder, converter, unknown };  ///< unknown: the file system has no locks

/// What others do with the file.
FileUse use_of(int fd) noexcept;

/// The recorder's lock, for the rest of the process's life. It is held by a mapping, not by a descriptor: programs
/// close all descriptors, and forked children, which inherit them, are no recorders of this run.
class RecorderLock {
 public:
  RecorderLock() = default;
  ~RecorderLock() { release(); }
  RecorderLock(const RecorderLock&) = delete;
  RecorderLock& operator=(const RecorderLock&) = delete;
  /// 0; or the errno: EAGAIN somebody has it, ESTALE the file was removed, others: there are no locks here.
  int take(const std::filesystem::path& path) noexcept;
  /// Not in a forked child: it has no lock.
  void release() noexcept;
  bool held() const noexcept { return page_ != nullptr || fd_; }

 private:
  void* page_ = nullptr;
  OwnDescriptor fd_;  ///< where the file cannot be mapped
};

/// The lock of who converts or removes, as long as it lives.
class ConverterLock {
 public:
  enum class Got { lock, in_use, removed, no_locks };
  /// `own`: this process is the file's recorder. `wait`: until whoever has it is done. Does not follow a symbolic link.
  Got take(const std::filesystem::path& path, bool own, bool wait) noexcept;
  int fd() const noexcept { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace tracer
