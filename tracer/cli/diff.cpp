// SPDX-License-Identifier: BSD-3-Clause
// `tracer diff`: two traces, or several of each of two kinds, side by side.
#include "tracer/report/diff/diff.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "tracer/base/text.hpp"
#include "tracer/cli/archives/filter_options.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/output_file.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/page/html.hpp"

namespace tracer::cli {
namespace {

struct Options {
  std::string first, html;
  std::vector<std::string> more, against, fail_if;
  bool json = false;
  std::size_t rows = 15;
  FilterOptions filter;
};

struct Sides {
  std::vector<std::string> before, after;  ///< the traces
  std::vector<report::Report> reports_before, reports_after;
};

/// With the samples of the first if there is a page, which shows them; nothing else does.
std::vector<report::Report> read(const std::vector<std::string>& traces, const Options& options) {
  std::vector<report::Report> reports;
  for (const std::string& trace : traces) {
    FilteredArchive archive{trace, options.filter};
    archive.print_unmatched();
    Progress progress{"reading " + trace};
    const samples::SampleSet* const shown_samples =
        reports.empty() && !options.html.empty() ? archive.samples() : nullptr;
    reports.push_back(report::analyze(
        archive.source(), [&](double share) { progress.update(share); }, shown_samples));
    reports.back().archive = shown(trace);
  }
  return reports;
}

/// The first of each side, beside each other.
void write_page(const Options& options, const Sides& sides, const report::Diff& diff,
                const std::vector<std::string>& passed) {
  FilteredArchive before{sides.before.front(), options.filter}, after{sides.after.front(), options.filter};
  const report::PageTrace left{&before.source(), &sides.reports_before.front(), "before", before.samples()},
      right{&after.source(), &sides.reports_after.front(), "after", after.samples()};
  Progress progress{"writing the page"};
  write_output(options.html, [&](std::ostream& out) {
    report::write_html(left, right, diff, passed, {}, out, [&](double share) { progress.update(share); });
  });
}

int run(const Options& options) {
  Sides sides{{options.first}, options.against, {}, {}};
  sides.before.insert(sides.before.end(), options.more.begin(), options.more.end());
  if (sides.after.empty()) {
    if (sides.before.size() != 2)
      throw UsageError{"name two traces, or several of each kind: tracer diff A1 A2 --against B1 B2"};
    sides.after = {sides.before.back()};
    sides.before.pop_back();
  }
  std::vector<report::Limit> limits;
  for (const std::string& text : options.fail_if) limits.emplace_back(text);  // reports invalid ones first
  require_writable(options.html);
  sides.reports_before = read(sides.before, options);
  sides.reports_after = read(sides.after, options);
  const report::Diff diff = report::diff(sides.reports_before, sides.reports_after);
  std::vector<std::string> passed;
  for (const report::Limit& limit : limits) {
    for (std::string& line : limit.passed_by(diff)) passed.push_back(std::move(line));
  }
  if (!options.html.empty()) write_page(options, sides, diff, passed);
  if (options.json)
    print_data(report::diff_json(diff, passed) + "\n");
  else if (options.html.empty())
    print_text(report::diff_text(diff, text_options(options.rows)));
  if (options.json || !options.html.empty())  // the text has them
    for (const std::string& note : diff.notes) print_note(note);
  for (const std::string& line : passed) print_note("limit passed: " + line);
  const bool are_judged = limits.empty() || diff.are_whole_runs;
  if (!are_judged) print_note("no limit can be kept: a run is not in its trace as a whole");
  return passed.empty() && are_judged ? ok : failure;
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("OLD", options->first, "The trace before the change")->required();
  app.add_option("NEW", options->more, "The trace after the change; with --against: further traces before it");
  app.add_option("--against", options->against,
                 "Traces after the change; several traces on each side separate noise from change")
      ->type_name("TRACE");
  app.add_option("--fail-if", options->fail_if,
                 "Exit with status 1 when a limit is exceeded, as in 'time > 5%'; may be repeated")
      ->type_name("LIMIT")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--json", options->json, "As JSON (docs/cli/diff.md)");
  app.add_option("--html", options->html, "Write an interactive page with both timelines into this file")
      ->type_name("FILE");
  app.add_option("--rows", options->rows, "Rows of each table on the terminal; 0: all")->capture_default_str();
  options->filter.add_to(app);
  action = [options] { return run(*options); };
}

}  // namespace

const Command diff_command{"diff", "Compare two traces by construct and source line", add};

}  // namespace tracer::cli
