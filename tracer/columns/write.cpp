// SPDX-License-Identifier: BSD-3-Clause
// See write.hpp.
#include "tracer/columns/write.hpp"

#include <optional>
#include <system_error>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/pending_output.hpp"
#include "tracer/base/files/permissions.hpp"
#include "tracer/columns/tables.hpp"
#include "tracer/replay/reading_progress.hpp"
#include "tracer/replay/samples/timeline_samples.hpp"

namespace tracer::columns {
namespace fs = std::filesystem;

WriteResult write_tables(EventSource& source, const fs::path& directory, const WriteOptions& options) {
  require_new_directory(directory);
  PendingOutput pending{directory};
  std::error_code error;
  if (pending.path().has_parent_path()) fs::create_directories(pending.path().parent_path(), error);
  make_readable_directory(pending.path());
  report::Replay replay{source.definitions()};
  report::Replacements replacements{source.definitions(), replay};
  report::Phases phases{source.definitions(), replay, replacements};
  if (phases.any()) {
    replay.add(replacements);
    replay.add(phases);
  }
  Tables tables{source.definitions(), replay, phases, pending.path(), options};
  report::MpiMessages messages{source.definitions(), replay, tables};
  replay.add(messages);
  std::optional<report::TimelineSamples> sampled;
  if (options.samples != nullptr) replay.add(sampled.emplace(source.definitions(), *options.samples, tables.samples()));
  replay.add(tables);
  report::ReadingProgress reading{source.number_of_events(), options.progress};
  replay.add(reading);
  source.read(replay);
  replay.finish();
  pending.keep();
  return {tables.rows(), tables.bytes()};
}

}  // namespace tracer::columns
