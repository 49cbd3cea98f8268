// SPDX-License-Identifier: BSD-3-Clause
// See recent.hpp.
#include "tracer/cli/live/recent.hpp"

#include <unistd.h>

#include <system_error>

#include "formats/otf2/read/reader.hpp"
#include "formats/raw/journal.hpp"
#include "formats/raw/reader.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/archives/cut_archive.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

/// A directory beside the one that is wanted, gone at the end.
class Scratch {
 public:
  explicit Scratch(const fs::path& beside) : path_{beside} { path_ += ".whole-" + std::to_string(::getpid()); }
  ~Scratch() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

void write_recent(const fs::path& recorded, const std::string& duration, const std::string& directory) {
  const std::uint64_t length = report::parse_duration(duration);
  const raw::JournalFile file = raw::read_journal(raw::raw_directory_of(recorded) / "journal");
  const fs::path wanted = directory.empty() ? fs::path{new_archive_name(file.journal.run)} : fs::path{directory};
  require_own_place(wanted, "name a directory of yours by --output.");
  const Scratch whole{wanted};
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
