// SPDX-License-Identifier: BSD-3-Clause
// `tracer export`: a trace in other programs' formats, streaming.

#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "formats/chrome/chrome.hpp"
#include "formats/csv/csv.hpp"
#include "formats/perfetto/perfetto.hpp"
#ifdef TRACER_HAS_SQLITE
#include "formats/sqlite/sqlite.hpp"
#endif
#include "tracer/base/files/pending_output.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/archives/cut_archive.hpp"
#include "tracer/cli/archives/filter_options.hpp"
#include "tracer/cli/archives/sampled.hpp"
#include "tracer/cli/archives/tables.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/output_file.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/replay/reading_progress.hpp"
#include "tracer/replay/samples/timeline_samples.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/report/measures/phases.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::string archive, format, output, shortest;
  bool distinct_times = false;
  FilterOptions filter;
};

struct Format {
  const char* name;
  const char* suffix;
};
constexpr Format formats[] = {{"perfetto", ".pftrace"}, {"chrome", ".json"},     {"csv", ".csv.d"},
                              {"sqlite", ".sqlite"},    {"parquet", ".parquet"}, {"otf2", ".otf2.d"}};

struct Ending {
  const char* text;
  const char* format;
};
constexpr Ending endings[] = {{".pftrace", "perfetto"}, {".perfetto-trace", "perfetto"},
                              {".json", "chrome"},      {".sqlite", "sqlite"},
                              {".sqlite3", "sqlite"},   {".db", "sqlite"},
                              {".csv", "csv"},          {".csv.d", "csv"},
                              {".parquet", "parquet"},  {".otf2", "otf2"},
                              {".otf2.d", "otf2"}};

/// Where no format is given, the one of the output's name.
std::string format_of(const Options& options) {
  if (!options.format.empty()) return options.format;
  if (options.output.empty() || options.output == "-") return "perfetto";
  fs::path output{options.output};
  if (!output.has_filename()) output = output.parent_path();  // "tables.csv/"
  const std::string name = output.filename();
  std::string known;
  for (const Ending& ending : endings) {
    if (name.ends_with(ending.text)) return ending.format;
    known += std::string{known.empty() ? "" : ", "} + ending.text + " (" + ending.format + ")";
  }
  throw UsageError{"the name " + options.output +
                   " has no known suffix; choose a format with --format, or one of the suffixes " + known};
}

/// Formats for people show code without symbols by file, tables for scripts by address.
Nameless nameless_of(const Options& options) {
  const std::string format = format_of(options);
  return format == "perfetto" || format == "chrome" ? Nameless::by_file : Nameless::by_address;
}

/// Passes the sums of the phases on before later observers of the replay finish.
class PhaseTeller final : public report::Observer {
 public:
  PhaseTeller(const report::Phases& phases, TimelineVisitor& to) : phases_{phases}, to_{to} {}
  void finished(std::uint64_t) override {
    for (const report::PhaseRow& row : phases_.rows()) to_.phase(report::totals_of(row));
  }

 private:
  const report::Phases& phases_;
  TimelineVisitor& to_;
};

void export_into(FilteredArchive& archive, const Options& options, TimelineVisitor& writer) {
  EventSource& source = archive.source();
  Progress progress{"exporting"};
  report::ReadingProgress reading{source.number_of_events(), [&](double share) { progress.update(share); }};
  report::Replay replay{source.definitions()};
  report::LongSlices longer{writer, options.shortest.empty() ? 0 : report::parse_duration(options.shortest)};
  report::Timeline timeline{source.definitions(), options.shortest.empty() ? writer : longer};
  report::Replacements replacements{source.definitions(), replay};
  report::Phases phases{source.definitions(), replay, replacements};
  PhaseTeller emitter{phases, writer};
  if (phases.any()) {
    replay.add(replacements);
    replay.add(phases);
    replay.add(emitter);
  }
  report::TimelineMessages messages{source.definitions(), replay, writer};
  replay.add(messages.observer());  // before the timeline, which finishes the visitor
  std::optional<report::TimelineSamples> sampled;
  if (const samples::SampleSet* set = archive.samples(nameless_of(options)))
    replay.add(sampled.emplace(source.definitions(), *set, writer));
  replay.add(timeline);
  replay.add(reading);
  source.read(replay);
  replay.finish();
}

/// Formats whose writers make their files themselves.
std::unique_ptr<TimelineVisitor> make_file_writer(const std::string& format, const Definitions& definitions,
                                                  const fs::path& output) {
  if (format == "csv") return make_csv_writer(definitions, output);
#ifdef TRACER_HAS_SQLITE
  return make_sqlite_writer(definitions, output);
#else
  throw Error{"this build has no SQLite; install libsqlite3-dev and build again, or export to csv."};
#endif
}

int run(const Options& options) {
  const std::string format = format_of(options);
  FilteredArchive archive{options.archive, options.filter};
  archive.print_unmatched();
  EventSource& source = archive.source();
  if (const std::string end = broken_end(source.definitions()); !end.empty())
    print_note("the program was " + end + "; the export covers only a part of the run");
  const bool own_files = format == "csv" || format == "sqlite";
  const bool is_directory = format == "csv" || format == "parquet" || format == "otf2";
  fs::path output = options.output;
  if (output == "-" && (own_files || is_directory))
    throw UsageError{format + " cannot go to standard output; name a file by --output."};
  if (output.empty()) {
    require_own_place(fs::path{archive.path()}.parent_path(), "name the file by --output.");
    for (const Format& known : formats) {
      if (format == known.name)
        output = fs::path{archive.path()}.parent_path() / (std::string{"traces"} + known.suffix);
    }
  }
  if (const fs::path in = output.parent_path(); !is_directory && !in.empty() && !fs::is_directory(in))
    throw Error{"cannot write " + output.string() + ": there is no directory " + in.string()};
  if (options.distinct_times && format != "otf2") throw UsageError{"--distinct-times is for --format otf2"};
  if (format == "parquet") {
    columns::WriteOptions how;
    if (!options.shortest.empty()) how.shortest = report::parse_duration(options.shortest);
    how.samples = archive.samples(Nameless::by_address);
    if (!archive.is_cut() && how.shortest == 0) how.anchor = name_of_archive(archive.path());
    print_note(write_tables_with_progress(source, output, std::move(how)));
    print_untranslated(source);
    return ok;
  }
  if (format == "otf2") {
    if (!options.shortest.empty()) throw UsageError{"--min-duration is for pictures and tables, not for otf2"};
    if (!options.filter.threads.empty())
      throw UsageError{"an archive has whole processes: choose by --ranks, not by --threads"};
    const samples::SampleSet* samples =
        archive.is_cut() || options.distinct_times ? nullptr : archive.samples(Nameless::by_address);
    print_note(samples != nullptr ? write_sampled_with_progress(archive.path(), *samples, output)
                                  : write_archive_of(archive, output, options.distinct_times));
    return ok;
  }
  if (own_files) {
    PendingOutput pending{output};
    {
      const auto writer = make_file_writer(format, source.definitions(), pending.path());
      export_into(archive, options, *writer);
    }
    pending.keep();
  } else {
    write_output(output.string(), [&](std::ostream& out) {
      const auto writer = format == "chrome" ? make_chrome_writer(source.definitions(), out)
                                             : make_perfetto_writer(source.definitions(), out);
      export_into(archive, options, *writer);
    });
  }
  if (output != "-") print_note("wrote " + output.string());
  print_untranslated(source);
  return ok;
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  add_archive(app, options->archive);
  app.add_option("-f,--format", options->format,
                 "Output format (default: from the file name's suffix, otherwise perfetto); otf2: an archive, of the "
                 "whole trace with the samples in it")
      ->check(one_of({"perfetto", "chrome", "csv", "sqlite", "parquet", "otf2"}));
  app.add_option("-o,--output", options->output,
                 "File, or for csv, parquet and otf2 the directory, to write; -: standard output (default: next to the "
                 "archive)")
      ->type_name("PATH");
  app.add_option("--min-duration", options->shortest, "Omit shorter regions, as in 500 (ns), 10us or 1.5ms")
      ->type_name("TIME");
  app.add_flag("--distinct-times", options->distinct_times,
               "With otf2: use a clock of 1/64 ns in which all events of a thread have distinct times, for tools that "
               "sort events by time alone (Pipit)");
  options->filter.add_to(app);
  action = [options] { return run(*options); };
}

}  // namespace

const Command export_command{
    "export", "Convert a trace for Perfetto, Chrome or SQLite, to CSV or Parquet tables, or to another OTF2 archive",
    add};

}  // namespace tracer::cli
