// SPDX-License-Identifier: BSD-3-Clause
// `tracer export`: a trace in other programs' formats, streaming.
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "formats/chrome/chrome.hpp"
#include "formats/csv/csv.hpp"
#include "formats/perfetto/perfetto.hpp"
#ifdef TRACER_HAS_SQLITE
#include "formats/sqlite/sqlite.hpp"
#endif
#include "tracer/cli/archive.hpp"
#include "tracer/cli/command.hpp"
#include "tracer/cli/conversion.hpp"
#include "tracer/cli/filter_options.hpp"
#include "tracer/cli/tables.hpp"
#include "tracer/cli/terminal.hpp"
#include "tracer/report/replay.hpp"
#include "tracer/report/timeline.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::string archive, format, output, shortest;
  FilterOptions filter;
};

struct Format {
  const char* name;
  const char* suffix;
};
constexpr Format formats[] = {
    {"perfetto", ".pftrace"}, {"chrome", ".json"}, {"csv", ".csv.d"}, {"sqlite", ".sqlite"}, {"parquet", ".parquet"}};

/// What the output's name says when no format is given.
std::string format_of(const Options& options) {
  if (!options.format.empty()) return options.format;
  const std::string suffix = fs::path{options.output}.extension();
  if (suffix == ".json") return "chrome";
  if (suffix == ".sqlite" || suffix == ".db" || suffix == ".sqlite3") return "sqlite";
  if (suffix == ".parquet") return "parquet";
  if (suffix == ".csv" || suffix == ".d") return "csv";
  return "perfetto";
}

class Exporter final : public report::Observer {
 public:
  Exporter(std::uint64_t total, Progress& progress) : total_{total}, progress_{progress} {}
  void event(LocationRef, const Event&, std::span<const EventAttribute>) override {
    if (++count_ % (1 << 18) == 0 && total_ != 0)
      progress_.update(static_cast<double>(count_) / static_cast<double>(total_));
  }

 private:
  std::uint64_t total_, count_ = 0;
  Progress& progress_;
};

std::unique_ptr<TimelineVisitor> make_writer(const std::string& format, const Definitions& definitions,
                                             const fs::path& output, std::ofstream& file) {
  if (format == "csv") return make_csv_writer(definitions, output);
  if (format == "sqlite") {
#ifdef TRACER_HAS_SQLITE
    return make_sqlite_writer(definitions, output);
#else
    throw Error{"this build has no SQLite; install libsqlite3-dev and build again, or export to csv."};
#endif
  }
  file.open(output, std::ios::binary);
  if (!file) throw Error{"cannot write " + output.string() + ": " + std::strerror(errno)};
  return format == "chrome" ? make_chrome_writer(definitions, file) : make_perfetto_writer(definitions, file);
}

int run(const Options& options) {
  FilteredArchive archive{options.archive, options.filter};
  EventSource* const source = &archive.source();
  const std::string format = format_of(options);
  fs::path output = options.output;
  if (output.empty()) {
    require_own_place(fs::path{archive.path()}.parent_path(), "name the file by --output.");
    for (const Format& known : formats) {
      if (format == known.name)
        output = fs::path{archive.path()}.parent_path() / (std::string{"traces"} + known.suffix);
    }
  }
  const std::uint64_t shortest = options.shortest.empty() ? 0 : report::parse_duration(options.shortest);
  if (format == "parquet") {
    print_note(write_tables_with_progress(*source, output, shortest));
    return ok;
  }
  std::ofstream file;
  const auto writer = make_writer(format, source->definitions(), output, file);
  {
    Progress progress{"exporting"};
    Exporter exporter{source->number_of_events(), progress};
    report::Replay replay{source->definitions()};
    report::LongSlices longer{*writer, shortest};
    report::Timeline timeline{source->definitions(), shortest == 0 ? *writer : longer};
    replay.add(timeline);
    replay.add(exporter);
    source->read(replay);
    replay.finish();
  }
  if (file.is_open() && !file.flush()) throw Error{"cannot write " + output.string() + ": " + std::strerror(errno)};
  print_note("wrote " + output.string());
  return ok;
}

void add(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("archive", options->archive,
                 "The trace: its directory or traces.otf2 (default: the newest ./tracer-*)");
  app.add_option("-f,--format", options->format, "Format (default: by the output's suffix, else perfetto)")
      ->check(CLI::IsMember({"perfetto", "chrome", "csv", "sqlite", "parquet"}));
  app.add_option("-o,--output", options->output,
                 "File, or for csv and parquet the directory, to write (default: next to the archive)")
      ->type_name("PATH");
  app.add_option("--min-duration", options->shortest, "Leave out what is shorter, as in 500 (ns), 10us or 1.5ms")
      ->type_name("TIME");
  options->filter.add_to(app);
  action = [options] { return run(*options); };
}

}  // namespace

const Command export_command{"export", "Write a trace for Perfetto, Chrome, SQLite, as CSV, or as Parquet tables", add};

}  // namespace tracer::cli
