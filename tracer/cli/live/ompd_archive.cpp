// SPDX-License-Identifier: BSD-3-Clause
// The translator and the OTF2 sink, for records that came from outside the process.
#include "tracer/cli/live/ompd_archive.hpp"

#include <string>

#include "formats/otf2/write/sink.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/ompd/record_builder.hpp"
#include "tracer/property_names.hpp"
#include "tracer/translate/regions/symbolize.hpp"
#include "tracer/translate/translate.hpp"

namespace tracer::cli {
void write_ompd_archive(const ompd::RecordBuilder& records, const std::string& directory, const char* how) {
  const std::string where = directory.empty() ? new_archive_name(records.journal().run) : directory;
  translate::TranslateOptions options;
  options.symbolize = translate::make_symbolizer(records.journal().modules);
  options.properties = {{properties::provenance, std::string{"OMPD "} + how}};
  const auto sink = make_otf2_sink(where);
  const auto report = translate::translate(records, *sink, options);
  print_note(format_counted(report.threads, "thread") + ", " + format_counted(report.events, "event") + ": " + where +
             "/traces.otf2");
}

}  // namespace tracer::cli
