// SPDX-License-Identifier: BSD-3-Clause
// `tracer report`: what a trace shows, for the terminal, as JSON or as an HTML page.

#include <cstdio>
#include <memory>

#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/filter_options.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/output_file.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/cli/report.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"
#include "tracer/report/page/html.hpp"

namespace tracer::cli {
namespace {

struct Options {
  std::string archive, html, output, shortest;
  bool json = false, text = false;
  std::size_t rows = 15;
  report::HtmlOptions html_options;
  FilterOptions filter;
};

/// Throws UsageError for options that have no page to change, and for what is no duration.
report::HtmlOptions page_options(const Options& options) {
  report::HtmlOptions page = options.html_options;
  const bool is_changed = page.slices != report::HtmlOptions{}.slices;
  if (options.html.empty() && (is_changed || !options.shortest.empty()))
    throw UsageError{"--min-duration and --slices are for the page: name it by --html FILE"};
  if (is_changed) page.most_bytes = 0;  // requested
  if (!options.shortest.empty()) page.shortest = report::parse_duration(options.shortest);
  return page;
}

int run(const Options& options) {
  const report::HtmlOptions page = page_options(options);
  for (const std::string& file : {options.html, options.output}) require_writable(file);
  FilteredArchive archive{options.archive, options.filter};
  archive.print_unmatched();
  EventSource* const source = &archive.source();
  report::Report report;
  {
    Progress progress{"reading"};
    report = report::analyze(
        *source, [&](double share) { progress.update(share); }, archive.samples());
  }
  report.archive = shown(with_names_of_descriptors(archive.path()));
  if (!options.html.empty()) {
    Progress progress{"writing the page"};
    write_output(options.html, [&](std::ostream& out) {
      report::write_html({source, &report, {}, archive.samples()}, page, out,
                         [&](double share) { progress.update(share); });
    });
    if (options.html != "-") print_note("open " + options.html + " in a browser.");
    if (!options.json && !options.text && options.output.empty()) return ok;
  }
  if (options.json) {
    const std::string json = report::to_json(report) + '\n';
    if (options.output.empty())
      print_data(json);
    else
      write_output(options.output, [&](std::ostream& out) { out << json; });
    return ok;
  }
  const std::string text = report::to_text(report, text_options(options.rows, options.output));
  if (options.output.empty())
    print_text(text);
  else
    write_output(options.output, [&](std::ostream& out) { out << shown_lines(text); });
  return ok;
}

}  // namespace

void show_report(const std::filesystem::path& archive, const std::string& html, bool text) {
  Options options;
  options.archive = archive.string();
  options.html = html;
  options.text = text;
  run(options);
}

namespace {

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  add_archive(app, options->archive);
  app.add_flag("--json", options->json, "As JSON (docs/formats/report-json.md)");
  app.add_option("--html", options->html, "Write an interactive, self-contained HTML page into this file")
      ->type_name("FILE");
  app.add_option("-o,--output", options->output, "Write text or JSON into this file instead of standard output")
      ->type_name("FILE");
  app.add_option("--rows", options->rows, "Rows of each table on the terminal; 0: all")->capture_default_str();
  app.add_option("--slices", options->html_options.slices,
                 "In the page: number of slices kept individually; the shortest others are merged")
      ->capture_default_str()
      ->check(positive_number());
  app.add_option("--min-duration", options->shortest, "In the page: omit shorter slices, as in 10us")
      ->type_name("TIME");
  options->filter.add_to(app);
  action = [options] { return run(*options); };
}

}  // namespace

const Command report_command{"report", "Analyse a trace: findings, times, imbalance, wait states, tasks, devices", add};

}  // namespace tracer::cli
