// SPDX-License-Identifier: BSD-3-Clause
// See cut_archive.hpp.
#include "tracer/cli/archives/cut_archive.hpp"

#include <cstdint>
#include <map>
#include <string>

#include "formats/otf2/read/shared_window.hpp"
#include "formats/otf2/write/sink.hpp"
#include "formats/samples/samples.hpp"
#include "tracer/base/files/pending_output.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/convert/distinct_times.hpp"
#include "tracer/convert/rewrite.hpp"
#include "tracer/event_source.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

/// What a copy of the whole archive lacks is counted; of a part it is known only that the archive has some.
void print_kinds(const std::map<std::string, std::uint64_t>& kinds, const char* where, bool is_counted) {
  const CountedKinds all = counted_kinds(kinds);
  if (all.count != 0)
    print_note("left out " + (is_counted ? format_count(all.count) + " " : "") + "records of kinds that " + where +
               " do not keep: " + all.names);
}

}  // namespace

void print_untranslated(const EventSource& source) {
  print_kinds(kinds_not_shown(source), "tables and pictures", true);
}

std::string write_archive_of(FilteredArchive& archive, const fs::path& directory, bool distinct) {
  require_new_directory(directory);
  PendingOutput pending{directory};
  std::uint64_t events = 0;
  {
    Progress progress{"writing the archive"};
    Otf2Options options;
    options.window_bytes = otf2::shared_window(archive.source().definitions().locations.size(), options.chunk_bytes);
    const auto sink = make_otf2_sink(pending.path(), options);
    if (distinct) {
      DistinctTimes spread{archive.source()};
      events = rewrite(spread, *sink);
    } else {
      events = rewrite(archive.source(), *sink);
    }
  }
  print_kinds(archive.source().unsupported(), "copies", !archive.is_cut());
  if (const samples::SampleSet* set = archive.samples(Nameless::by_address)) {
    if (distinct)
      print_note("the samples are not in it: their times are nanoseconds of the archive's own clock");
    else
      samples::write(*set, pending.path() / samples::file_name);
  }
  pending.keep();
  return "wrote " + directory.string() + ": " + format_counted(events, "event");
}

}  // namespace tracer::cli
