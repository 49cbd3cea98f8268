// SPDX-License-Identifier: BSD-3-Clause
// See write.hpp.
#include "tracer/columns/write.hpp"

#include <optional>
#include <system_error>

#include "tracer/base/file.hpp"
#include "tracer/columns/tables.hpp"
#include "tracer/error.hpp"
#include "tracer/report/reading_progress.hpp"
#include "tracer/report/timeline_samples.hpp"

namespace tracer::columns {
namespace {

namespace fs = std::filesystem;

/// A directory that goes away with what is in it, unless it has got its name.
class Unfinished {
 public:
  explicit Unfinished(const fs::path& wanted)
      : wanted_{wanted}, path_{wanted.parent_path() / ("." + wanted.filename().string() + "." + random_name())} {
    make_private_directory(path_);
  }
  ~Unfinished() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const fs::path& path() const { return path_; }
  void get_name() {
    std::error_code error;
    fs::rename(path_, wanted_, error);
    if (error) throw Error{"rename " + path_.string() + " to " + wanted_.string() + ": " + error.message()};
    path_.clear();
  }

 private:
  fs::path wanted_, path_;
};

}  // namespace

WriteResult write_tables(EventSource& source, const fs::path& directory, const WriteOptions& options) {
  fs::path wanted = fs::absolute(directory).lexically_normal();
  if (wanted.filename().empty()) wanted = wanted.parent_path();
  std::error_code error;
  if (fs::exists(wanted, error) && (!fs::is_directory(wanted, error) || !fs::is_empty(wanted, error)))
    throw Error{directory.string() + " is there already and not empty; remove it or name another directory."};
  Unfinished unfinished{wanted};
  report::Replay replay{source.definitions()};
  report::Phases phases{source.definitions(), replay};
  if (phases.any()) replay.add(phases);
  Tables tables{source.definitions(), replay, phases, unfinished.path(), options.shortest};
  report::MpiMessages messages{source.definitions(), replay, tables};
  replay.add(messages);
  std::optional<report::TimelineSamples> sampled;
  if (options.samples != nullptr) replay.add(sampled.emplace(source.definitions(), *options.samples, tables.samples()));
  replay.add(tables);
  report::ReadingProgress reading{source.number_of_events(), options.progress};
  replay.add(reading);
  source.read(replay);
  replay.finish();
  unfinished.get_name();
  return {tables.rows(), tables.bytes()};
}

}  // namespace tracer::columns
