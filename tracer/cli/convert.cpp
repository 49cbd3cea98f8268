// SPDX-License-Identifier: BSD-3-Clause
// `tracer convert`: makes an OTF2 archive of a raw trace.

#include <memory>

#include "tracer/base/files/regular_file.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/archives/indexing.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::vector<std::string> raw;
  std::string output, level = "3.0";
  unsigned threads = 0;
  bool keep_raw = false, no_symbols = false, quiet = false;
  IndexOption index;
};

/// The newest ./tracer-*/raw when none is named.
std::vector<std::string> wanted(const Options& options) {
  if (!options.raw.empty()) return options.raw;
  const fs::path newest = newest_raw_trace();
  if (newest.empty()) throw Error{"no raw trace given and none here; record one: tracer run --raw -- ./program"};
  return {newest.string()};
}

int run(Options& options) {
  const auto traces = wanted(options);
  if (traces.size() > 1 && !options.output.empty())
    throw UsageError{"--output takes one trace, " + std::to_string(traces.size()) + " are named"};
  const ConvertOptions settings = own_conversion();
  for (const std::string& trace : traces) {
    require_directory(trace);
    fs::path around = fs::path{trace}.lexically_normal();
    if (around.filename().empty()) around = around.parent_path();
    if (around.filename() == "raw") around = around.has_parent_path() ? around.parent_path() : fs::path{"."};
    ConvertOptions conversion = settings;
    if (options.threads != 0) conversion.threads = options.threads;
    conversion.keep_raw = conversion.keep_raw || options.keep_raw;
    conversion.symbols = !options.no_symbols;
    conversion.level_3_1 = options.level == "3.1";
    const fs::path directory = options.output.empty() ? around : fs::path{options.output};
    require_own_place(directory, "name a new directory by --output.");
    if (!is_own_place(around)) conversion.keep_raw = true;  // whose it is may remove it
    options.index.prepare(conversion);
    const ConvertResult result = convert_with_progress(trace, directory, conversion);
    options.index.finish(result.archive, options.quiet);
    if (options.quiet) continue;
    print_note(summary_of(result));
    print_rest_of_job(around);
  }
  return ok;
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("raw", options->raw,
                 "Raw traces: the directory of the run, or the raw directory in it (default: the newest here)");
  app.add_option("-o,--output", options->output, "Directory of the archive (default: the one around the raw trace)")
      ->type_name("DIR");
  app.add_flag("-k,--keep-raw", options->keep_raw, "Keep the raw trace after the conversion (TRACER_KEEP_RAW)");
  options->index.add_to(app);
  app.add_flag("--no-symbols", options->no_symbols, "Do not look up source files and lines; show addresses");
  add_threads(app, options->threads, "convert and to make the index");
  app.add_option("--otf2-level", options->level, "Newest OTF2 version whose values the archive may use")
      ->check(one_of({"3.0", "3.1"}))
      ->capture_default_str();
  app.add_flag("-q,--quiet", options->quiet, "Print errors only");
  action = [options] { return run(*options); };
}

}  // namespace

const Command convert_command{"convert", "Build an OTF2 archive from a raw trace", add};

}  // namespace tracer::cli
