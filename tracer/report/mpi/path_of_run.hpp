// SPDX-License-Identifier: BSD-3-Clause
// The critical path of a whole run, and where it went.
#pragma once

#include <cstdint>

#include "tracer/replay/path_steps.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/report/measures/graph.hpp"
#include "tracer/report/measures/mpi_paths.hpp"
#include "tracer/report/mpi/collectives.hpp"
#include "tracer/report/mpi/epochs.hpp"
#include "tracer/report/mpi/windows.hpp"

namespace tracer::report {

/// Its observers must be there until the replay has finished.
class PathOfRun {
 public:
  /// Steps are exact to `resolution` (ns).
  PathOfRun(const Definitions& definitions, Replay& replay, std::uint64_t resolution)
      : graph_{definitions, replay},
        paths_{definitions, replay, graph_},
        ends_{definitions, replay, paths_},
        collectives_{definitions, replay, paths_},
        windows_{definitions, replay, paths_},
        epochs_{definitions, replay, paths_} {
    graph_.keep_trails(resolution);
  }
  void add_to(Replay& replay) {
    replay.add(graph_);
    if (!paths_.is_concerned()) return;
    replay.add(ends_);
    replay.add(collectives_);
    replay.add(windows_);
    replay.add(epochs_);
    replay.add(paths_);
  }
  const Trail& trail() const { return graph_.longest().trail; }

 private:
  Graph graph_;
  MpiPaths paths_;
  MpiMessages ends_;
  MpiCollectives collectives_;
  MpiWindows windows_;
  MpiEpochs epochs_;
};

}  // namespace tracer::report
