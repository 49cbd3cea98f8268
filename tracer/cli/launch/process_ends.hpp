// SPDX-License-Identifier: BSD-3-Clause
// How processes end that somebody else waits for: the children of a script, of Python's multiprocessing, ranks below a
// launcher. A process that ends by _exit leaves no word in its trace, and neither does one that is killed; its parent
// learns which of the two it was, and so does whoever has a pidfd of it (Linux 6.15 and later).
// Also when the launched process becomes another program (exec).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>

#include "tracer/convert/process_life.hpp"

namespace tracer::cli {

/// Watches a launch's directory for processes that begin to record, and them until they end.
class ProcessEnds {
 public:
  /// `place`: the job's directory. `mark`: TRACER_LAUNCH of its processes.
  ProcessEnds(const std::filesystem::path& place, std::string mark);
  ~ProcessEnds();
  ProcessEnds(const ProcessEnds&) = delete;
  ProcessEnds& operator=(const ProcessEnds&) = delete;

  /// Starts the thread that watches: behind the fork of `program`, which has one thread then.
  void start(pid_t program);
  /// Ends it. What was seen.
  SeenProcesses take();

 private:
  class Watcher;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace tracer::cli
