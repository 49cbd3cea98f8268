// SPDX-License-Identifier: BSD-3-Clause
// Options for filters, and the trace seen through them.
#include "tracer/cli/archives/filter_options.hpp"

#include <algorithm>
#include <utility>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/indexing.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/convert/trace_index.hpp"
#include "tracer/cut/part_source.hpp"
#include "tracer/cut/phase_filter.hpp"
#include "tracer/error.hpp"
#include "tracer/replay/samples/without_symbols.hpp"

namespace tracer::cli {

void FilterOptions::add_to(Arguments& app) {
  app.add_option("--filter", file, "Omit regions by the rules of this file (docs/filters.md)")->type_name("FILE");
  app.add_option("--exclude", exclude,
                 "Omit regions that match: a construct (\"barrier\"), name or function, with * and ?")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--include", include, "Keep regions that match, as exceptions to --exclude")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--phase", phases, "Keep only events within a phase annotated by the program: its name, with * and ?")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  add_part_to(app);
}

void FilterOptions::add_part_to(Arguments& app) {
  app.add_option("--from", from, "Keep only events later than this after the start of the trace, as in 1.5s or 20ms")
      ->type_name("TIME");
  app.add_option("--to", to, "Keep only events earlier than this after the start of the trace")->type_name("TIME");
  app.add_option("--threads", threads, "Keep only these threads of each process, counted from 0, as in 0-3,7")
      ->type_name("NUMBERS");
  app.add_option("--ranks", ranks, "Keep only these processes, by rank or number")->type_name("NUMBERS");
}

report::Filter FilterOptions::filter() const {
  report::Filter filter;
  if (!file.empty()) filter.add_file(file);
  for (const std::string& pattern : exclude) filter.add_rule(false, pattern);
  if (exclude.empty() && !include.empty()) filter.add_rule(false, "*");
  for (const std::string& pattern : include) filter.add_rule(true, pattern);
  return filter;
}

report::Part FilterOptions::part() const {
  report::Part part;
  if (!from.empty()) part.from = report::parse_duration(from);
  if (!to.empty()) part.to = report::parse_duration(to);
  if (part.from >= part.to) throw UsageError{"--from " + from + " is not before --to " + to};
  if (!threads.empty()) part.threads = report::Numbers{threads};
  if (!ranks.empty()) part.ranks = report::Numbers{ranks};
  return part;
}

std::shared_ptr<const index::Contents> index_for(otf2::PositionedSource& source, const report::Part& part,
                                                 bool has_whole_processes) {
  constexpr double many = 4e6;
  const std::uint64_t length = source.definitions().clock.length;
  if (part.from == 0 || part.from > length) return {};
  const double before =
      static_cast<double>(source.number_of_events()) * static_cast<double>(part.from) / static_cast<double>(length);
  if (before < many || !has_whole_processes || !index::can_keep_index(source)) return index::find_index(source);
  return index_of(source).contents;
}

namespace {

report::FindPartStart starts_of(otf2::PositionedSource& source, const report::Part& part) {
  auto contents = index_for(source, part, part.threads.all());
  return contents == nullptr ? report::FindPartStart{} : part_starts(source, std::move(contents));
}

}  // namespace

FilteredArchive::FilteredArchive(const std::string& archive, const FilterOptions& options)
    : path_{find_archive(archive).string()}, filter_{options.filter()}, patterns_{options.exclude} {
  patterns_.insert(patterns_.end(), options.include.begin(), options.include.end());
  const report::Part part = options.part();
  auto whole = otf2::open_archive(path_);
  otf2::PositionedSource& from = *whole;
  views_.push_back(std::move(whole));
  if (!part.whole()) views_.push_back(report::part_of(from, part, starts_of(from, part)));
  is_part_ = !part.whole();
  if (!options.phases.empty()) views_.push_back(report::within_phases(source(), options.phases));
  if (!filter_.empty()) views_.push_back(report::filtered(source(), filter_));
}

void FilteredArchive::print_unmatched() const {
  const std::vector<Region>& regions = views_.front()->definitions().regions;
  std::string unmatched;
  for (const std::string& pattern : patterns_)
    if (std::none_of(regions.begin(), regions.end(), [&](const Region& one) { return report::means(pattern, one); }))
      unmatched += (unmatched.empty() ? "'" : ", '") + pattern + "'";
  if (!unmatched.empty()) print_note("no region of " + path_ + " matches " + unmatched);
}

void FilteredArchive::load_samples(Nameless nameless) {
  samples_read_ = true;
  samples_ = read_samples(path_);
  if (samples_ && nameless == Nameless::by_file) report::join_nameless(*samples_);
  if (samples_ && is_part_) report::cut_samples(*samples_, source().definitions());
}

const samples::SampleSet* FilteredArchive::samples(Nameless nameless) {
  try {
    if (!samples_read_) load_samples(nameless);
  } catch (const Error& error) {
    print_note(std::string{error.what()} + "; what follows is without samples");
  }
  return samples_ ? &*samples_ : nullptr;
}

const samples::SampleSet& FilteredArchive::need_samples(Nameless nameless) {
  if (!samples_read_) load_samples(nameless);
  if (!samples_)
    throw Error{std::filesystem::path{path_}.parent_path().string() +
                " has no samples. Record some by: tracer run --sample -- PROGRAM"};
  return *samples_;
}

}  // namespace tracer::cli
