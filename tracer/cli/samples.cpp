// SPDX-License-Identifier: BSD-3-Clause
// `tracer samples`: where in the program's functions the time between the events is.
#include <filesystem>

#include <memory>

#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/filter_options.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/samples/call_paths.hpp"
#include "tracer/replay/samples/join.hpp"
#include "tracer/report/samples.hpp"

namespace tracer::cli {
namespace {

struct Options {
  std::string archive, form = "text";
  std::size_t rows = 20;
  bool raw = false;
  FilterOptions filter;
};

int run(const Options& options) {
  FilteredArchive archive{options.archive, options.filter};
  archive.print_unmatched();
  const std::filesystem::path anchor = archive.path();
  const samples::SampleSet& set = archive.need_samples(options.raw ? Nameless::by_address : Nameless::by_file);
  report::SampleJoin join{archive.source().definitions(), set};
  report::Replay replay{archive.source().definitions()};
  replay.add(join);
  archive.source().read(replay);
  replay.finish();
  const report::SampleReport result = report::report_of(join, report::SamplePaths{join, options.raw}, true);
  if (options.form == "folded") {
    print_text(report::to_folded(result));
  } else if (options.form == "speedscope") {
    print_data(report::to_speedscope(result, shown(anchor.parent_path().filename().string())));
  } else if (options.form == "json") {
    print_data(report::to_json(result));
  } else {
    print_text(report::to_text(result, text_options(options.rows)));
  }
  return ok;
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  add_archive(app, options->archive);
  app.add_option("-f,--form", options->form,
                 "text: tables; folded: a line per call path, for flame graphs; speedscope: for speedscope.app; json")
      ->check(one_of({"text", "folded", "speedscope", "json"}));
  app.add_option("--rows", options->rows, "Rows of each table; 0: all (default: 20)");
  app.add_flag("--raw", options->raw,
               "Raw stacks, with the frames of the runtime and of the tool, not joined with the constructs");
  options->filter.add_to(app);
  action = [options] { return run(*options); };
}

}  // namespace

const Command samples_command{"samples", "Show where the time between events was spent, from sampled call stacks", add};

}  // namespace tracer::cli
