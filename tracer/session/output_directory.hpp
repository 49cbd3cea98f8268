// SPDX-License-Identifier: BSD-3-Clause
// Where the archive of a run goes.
#pragma once

#include <filesystem>

#include "tracer/base/config.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/journal.hpp"

namespace tracer {

struct OutputDirectory {
  std::filesystem::path path;    ///< absolute, private; empty but for the directory `raw`
  OwnDirectory place;            ///< that one, wherever `path` leads by now; not open on file systems without owners
  bool renamed = false;          ///< the wanted one was not empty: `.2`, `.3`, ... was taken
  bool outlives_launch = false;  ///< the `tracer run` that started it has ended: nobody else makes the archive
  std::filesystem::path wanted;
  std::filesystem::path job;  ///< of a launcher's job whose part this is; "" none, or `tracer run` looks after it
};

class JobRun;
/// This process in a launcher's job that it joined by itself, without `tracer run`; nullptr: in none.
JobRun* own_job_run() noexcept;

/// Makes the directory that `config.output` names for this run. Throws tracer::Error.
OutputDirectory make_output_directory(const Config& config, const RunInfo& run);

}  // namespace tracer
