// SPDX-License-Identifier: BSD-3-Clause
// See recent.hpp.
#include "tracer/cli/live/recent.hpp"

#include "formats/otf2/read/reader.hpp"
#include "formats/raw/journal.hpp"
#include "formats/raw/reader.hpp"
#include "tracer/base/files/pending_output.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/archives/cut_archive.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;

void write_recent(const fs::path& recorded, const std::string& duration, const std::string& directory) {
  const std::uint64_t length = report::parse_duration(duration);
  const raw::JournalFile file = raw::read_journal(raw::raw_directory_of(recorded) / "journal");
  const fs::path wanted = directory.empty() ? fs::path{new_archive_name(file.journal.run)} : fs::path{directory};
  require_place_for_archive(wanted);
  const PendingOutput whole{wanted};  // never kept
  ConvertOptions conversion;
  conversion.keep_raw = true;
  convert_with_progress(recorded, whole.path(), conversion);
  FilterOptions part;
  const std::uint64_t all = otf2::Trace::open(whole.path()).definitions().clock.length;  // of ours: in ns
  if (all > length) part.from = std::to_string(all - length) + "ns";
  FilteredArchive archive{whole.path().string(), part};
  print_note(write_archive_of(archive, wanted));
  print_note("to analyse it: tracer report " + shell_word(wanted.string()));
}

}  // namespace tracer::cli
