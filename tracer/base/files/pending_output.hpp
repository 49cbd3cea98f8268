// SPDX-License-Identifier: BSD-3-Clause
// What commands write: beside its name until it is whole, so that what has the name is never a half one.
#pragma once

#include <filesystem>

#include "tracer/base/files/file.hpp"

namespace tracer {

/// Takes the place of `wanted` when keep() is called; what was there is replaced then, not before. Removed otherwise,
/// also when the user interrupts the command. Two at a time.
///
/// It lies in a directory beside `wanted`, NAME.part-PID, with a file that is locked as long as the process lives. A
/// command that is killed leaves both; the next one that writes beside it finds the lock free, and removes them.
class PendingOutput {
 public:
  enum class Named { by_user, by_tracer };
  /// Of a name that the user gave: a link stays, and what it leads to is replaced. Throws tracer::Error for what is
  /// neither a directory nor a regular file, and for files of a trace (.otf2, .def, .evt). A name of Tracer's own is
  /// replaced, whatever is there.
  explicit PendingOutput(std::filesystem::path wanted, Named named = Named::by_user);
  ~PendingOutput();
  PendingOutput(const PendingOutput&) = delete;
  PendingOutput& operator=(const PendingOutput&) = delete;
  /// Where to write: in the same directory, a file or (made by the caller) a directory.
  const std::filesystem::path& path() const { return pending_; }
  /// Throws tracer::Error.
  void keep();

 private:
  std::filesystem::path wanted_, place_, pending_;  ///< place_: the directory
  UniqueFd lock_;
  int announced_ = -1;  ///< where an interrupt finds it; -1: not at all
  bool kept_ = false;
};

/// Of what is written as a directory of its own: throws tracer::Error with advice where something has that
/// name already, but for a directory without anything in it.
void require_new_directory(const std::filesystem::path& wanted);

}  // namespace tracer
