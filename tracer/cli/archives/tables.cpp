// SPDX-License-Identifier: BSD-3-Clause
// See tables.hpp.
#include "tracer/cli/archives/tables.hpp"

#include <utility>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/base/files/crc32.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/output/terminal.hpp"

namespace tracer::cli {

std::string name_of_archive(const std::filesystem::path& anchor) {
  return std::to_string(crc32(read_regular(anchor)));
}

std::string write_tables_with_progress(EventSource& source, const std::filesystem::path& directory,
                                       columns::WriteOptions options) {
  Progress progress{"exporting"};
  options.progress = [&](double share) { progress.update(share); };
  const auto result = columns::write_tables(source, directory, options);
  return "wrote " + directory.string() + ": " + format_count(result.rows) + " rows, " + format_bytes(result.bytes);
}

std::string write_tables_beside(const std::filesystem::path& archive) {
  const auto samples = read_samples(archive);
  columns::WriteOptions options;
  options.samples = samples ? &*samples : nullptr;
  options.anchor = name_of_archive(archive);
  return write_tables_with_progress(*otf2::open_archive(archive), archive.parent_path() / "tables", std::move(options));
}

}  // namespace tracer::cli
