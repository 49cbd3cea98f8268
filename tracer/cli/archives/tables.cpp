// SPDX-License-Identifier: BSD-3-Clause
// See tables.hpp.
#include "tracer/cli/archives/tables.hpp"

#include "formats/otf2/read/event_source.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/columns/write.hpp"

namespace tracer::cli {

std::string write_tables_with_progress(EventSource& source, const std::filesystem::path& directory,
                                       std::uint64_t shortest, const samples::SampleSet* samples) {
  Progress progress{"exporting"};
  const auto result =
      columns::write_tables(source, directory, {shortest, [&](double share) { progress.update(share); }, samples});
  return "wrote " + directory.string() + ": " + format_count(result.rows) + " rows, " + format_bytes(result.bytes);
}

std::string write_tables_beside(const std::filesystem::path& archive) {
  const auto samples = read_samples(archive);
  return write_tables_with_progress(*otf2::open_archive(archive), archive.parent_path() / "tables", 0,
                                    samples ? &*samples : nullptr);
}

}  // namespace tracer::cli
