// SPDX-License-Identifier: BSD-3-Clause
// The translator and the OTF2 sink, for records that came from outside the process.
#include "tracer/cli/live/ompd_archive.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <system_error>

#include "formats/otf2/write/sink.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/error.hpp"
#include "tracer/ompd/record_builder.hpp"
#include "tracer/property_names.hpp"
#include "tracer/translate/regions/symbolize.hpp"
#include "tracer/translate/translate.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;

void write_ompd_archive(const ompd::RecordBuilder& records, const std::string& directory, const char* how,
                        const std::map<std::string, std::string>& end) {
  const std::string where = directory.empty() ? new_archive_name(records.journal().run) : directory;
  translate::TranslateOptions options;
  options.symbolize = translate::make_symbolizer(records.journal().modules);
  options.facts = end;
  options.properties = {{properties::provenance, std::string{"OMPD "} + how}};
  const auto sink = make_otf2_sink(where);
  const auto report = translate::translate(records, *sink, options);
  print_note(format_counted(report.threads, "thread") + ", " + format_counted(report.events, "event") + ": " + where +
             "/traces.otf2");
}

void require_place_for_ompd_archive(const std::string& directory) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(directory, error)))
    throw Error{directory + " is a link; name a directory by --output."};
  require_place_for_archive(directory);
}

}  // namespace tracer::cli
