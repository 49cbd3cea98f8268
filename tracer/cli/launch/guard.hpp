// SPDX-License-Identifier: BSD-3-Clause
// Launchers of MPI kill all that they started when one rank aborts, `tracer run` as well, before it has made an
// archive. A guard outlives that: a process in a session of its own, with nothing of the launcher's open.
#pragma once

#include <sys/types.h>

#include <functional>
#include <span>

#include "tracer/base/files/file.hpp"

namespace tracer::cli {

class Guard {
 public:
  /// Starts it, while this process has one thread. If this process dies, the guard does `finish`, which must not print,
  /// and ends; of this process's descriptors it has only the kept ones. Where it cannot be started there is none.
  Guard(std::span<const int> kept, const std::function<void()>& finish);
  /// There is nothing left to do: the guard goes, and is waited for.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  pid_t process_ = -1;
  UniqueFd lives_;  ///< open as long as this process is
};

}  // namespace tracer::cli
