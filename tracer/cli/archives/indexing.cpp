// SPDX-License-Identifier: BSD-3-Clause
// See indexing.hpp.
#include "tracer/cli/archives/indexing.hpp"

#include <string>
#include <system_error>

#include "tracer/base/text.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/convert/trace_index.hpp"

namespace tracer::cli {
namespace {

index::Stored open_with_progress(otf2::PositionedSource& source, unsigned threads) {
  Progress progress{"indexing"};
  return open_index(
      source, [&](double share) { progress.update(share); }, threads);
}

void print_written(const index::Stored& stored) {
  if (stored.is_new && !stored.path.empty())
    print_note("wrote " + stored.path.string() + ", " + format_bytes(stored.contents->bytes()));
}

}  // namespace

index::Stored index_of(otf2::PositionedSource& source) {
  index::Stored stored = open_with_progress(source, own_conversion().threads);
  if (!stored.note.empty()) print_note(stored.note);
  print_written(stored);
  return stored;
}

void IndexOption::add_to(Arguments& app) {
  app.add_flag("--index", is_wanted_, "Make the archive's index as well, which its first reader would make");
}

void IndexOption::prepare(ConvertOptions& conversion) {
  use_threads(conversion.threads);
  if (!is_wanted_) return;
  conversion.read_back = [this](const std::filesystem::path& directory) { make(directory / "traces.otf2"); };
}

void IndexOption::make(const std::filesystem::path& archive) {
  const auto source = otf2::open_archive(archive);
  made_ = open_with_progress(*source, threads_);
  of_ = archive;
}

/// An index of an archive that was there before is no news.
void IndexOption::finish(const std::filesystem::path& archive, bool is_quiet) {
  if (!is_wanted_) return;
  std::error_code error;
  if (of_.empty() || !std::filesystem::equivalent(of_, archive, error)) make(archive);
  if (made_.path.empty()) print_note(made_.note);
  if (!is_quiet) print_written(made_);
}

}  // namespace tracer::cli
