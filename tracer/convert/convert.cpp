// SPDX-License-Identifier: BSD-3-Clause
// See convert.hpp.
#include "tracer/convert/convert.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <system_error>

#include "formats/otf2/write/sink.hpp"
#include "formats/raw/claim.hpp"
#include "formats/raw/leftovers.hpp"
#include "formats/raw/reader.hpp"
#include "tracer/base/files/file_fact.hpp"
#include "tracer/base/files/write_signals.hpp"
#include "tracer/base/text.hpp"
#include "tracer/convert/check_repaired.hpp"
#include "tracer/convert/devices.hpp"
#include "tracer/convert/memory_need.hpp"
#include "tracer/convert/part_mark.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/convert/samples.hpp"
#include "tracer/convert/verify.hpp"
#include "tracer/cut/filter.hpp"
#include "tracer/error.hpp"
#include "tracer/property_names.hpp"
#include "tracer/translate/clock_fit.hpp"
#include "tracer/translate/parallel_for.hpp"
#include "tracer/translate/regions/symbolize.hpp"
#include "tracer/translate/translate.hpp"

namespace tracer {
namespace {

namespace fs = std::filesystem;

/// Whether a module without a build id is another file now than the one that ran (the fact that session/modules.cpp
/// writes): its lines would be wrong.
bool was_replaced(const Module& module, const Journal& journal) {
  const auto fact = journal.facts.find(file_fact_name(module.begin));
  struct stat info {};
  if (!module.build_id.empty() || fact == journal.facts.end() || ::stat(module.path.c_str(), &info) != 0) return false;
  return fact->second != file_fact(static_cast<std::uint64_t>(info.st_size), changed_ns(info), module.path) &&
         fact->second.ends_with(": " + module.path);
}

/// The run's, as the journal has kept it. An invalid one leaves nothing out.
report::Filter filter_of(const Journal& journal, std::string& invalid) {
  report::Filter filter;
  if (!journal.filter) return filter;
  try {
    filter.add_text(*journal.filter, "TRACER_FILTER");
  } catch (const Error& error) {
    invalid = std::string{"the filter is invalid and leaves nothing out: "} + error.what();
    return {};
  }
  return filter;
}

/// Regions that events of other kinds refer to or are checked against: teams, tasks, device operations.
bool holds_the_trace_together(const Region& region) {
  const bool device = region.canonical.starts_with("!$omp target") || region.paradigm != Paradigm::openmp;
  return device || region.role == RegionRole::parallel || region.role == RegionRole::task ||
         region.role == RegionRole::task_untied;
}

std::uint64_t size_of_archive(const fs::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const char* name : {"traces.otf2", "traces.def"})
    if (const auto size = fs::file_size(directory / name, error); !error) bytes += size;
  for (fs::directory_iterator it(directory / "traces", error), end; !error && it != end; it.increment(error))
    if (const auto size = it->file_size(error); !error) bytes += size;
  return bytes;
}

bool is_around(const fs::path& directory, const fs::path& raw_directory) {
  std::error_code error;
  return fs::equivalent(directory, raw_directory, error) ||
         fs::equivalent(directory, fs::absolute(raw_directory).parent_path(), error);
}

}  // namespace

namespace {

void read_costs(const Journal& journal, ConvertResult& result) {
  const auto counter = [&](const char* name) {
    const auto it = journal.counters.find(name);
    return it == journal.counters.end() ? 0.0 : static_cast<double>(it->second) * 1e-9;
  };
  result.start_seconds = counter("tool.start_ns");
  result.drain_seconds = counter("tool.drain_ns");
  std::uint64_t ticks = 0;
  for (const ChannelInfo& channel : journal.channels) ticks += channel.wait_ticks;
  result.wait_seconds =
      static_cast<double>(ticks) / translate::ClockFit(journal.run.clock, journal.clock).ticks_per_second();
}

/// Whoever saw the process from outside read CLOCK_MONOTONIC: its times are put on the line of the events.
std::map<std::string, std::string> on_the_line(std::map<std::string, std::string> facts, const Journal& journal) {
  const translate::MonotonicOnLine on_line(journal.run.clock, journal.clock);
  for (const auto name : {properties::run_program_start, properties::run_process_end}) {
    const auto fact = facts.find(properties::run_fact(name));
    if (fact == facts.end()) continue;
    if (const auto time = parse_number(fact->second)) fact->second = std::to_string(on_line(*time));
  }
  return facts;
}

/// Before the raw trace is removed. An archive that cannot be read loses its anchor, so that nobody takes it for whole.
void read_back(const fs::path& directory, unsigned threads, const ConvertOptions& options) {
  try {
    if (options.read_back)
      options.read_back(directory);
    else
      verify_archive(directory, Events::all, threads);
  } catch (const Error& error) {
    std::error_code none;
    fs::remove(directory / "traces.otf2", none);
    throw Error(std::string{"the archive cannot be read back, and the raw trace is kept: "} + error.what());
  }
}

}  // namespace

ConvertResult convert(const fs::path& raw, const fs::path& directory, const ConvertOptions& options) {
  const fs::path raw_directory = raw::raw_directory_of(raw);
  raw::Claim claim;
  const bool is_changed = is_around(directory, raw_directory) || !options.keep_raw;
  if (is_changed && claim.take(raw_directory, options.waiting) == raw::Claimed::gone) {
    throw Error(raw_directory.string() + " was converted by another process meanwhile");
  }
  return convert_claimed(raw_directory, directory, options);
}

ConvertResult convert_claimed(const fs::path& raw_directory, const fs::path& directory, const ConvertOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const WithoutWriteSignals guard;
  const auto source = raw::open_trace(raw_directory);
  if (options.within_limits) {
    const std::string lack = what_lacks(*source, limits_of_process(directory, options.at_once),
                                        {source->report().device_records, raw_directory / "samples"});
    if (!lack.empty()) throw PutOff(lack);
  }
  ConvertResult result;
  result.ended = source->journal().ending != Ending::unknown;
  result.damage = source->report().damage;
  const bool alive = is_being_recorded(*source);
  if (alive && is_around(directory, raw_directory)) {
    throw Error("process " + std::to_string(source->journal().run.process_id) +
                " is still recording; name another directory for a look at what there is (--output)");
  }
  result.raw_kept = options.keep_raw || !result.damage.empty() || alive;
  if (is_around(directory, raw_directory)) {
    remove_half_archive(directory);  // a conversion that was killed
  } else {
    PartMark::clear(directory);
  }

  const auto make_sink = [&] {
    return make_otf2_sink(directory, {options.level_3_1 ? Otf2Level::v3_1 : Otf2Level::v3_0, {}, {}});
  };
  auto sink = make_sink();
  std::optional<PartMark> mark;
  if (is_around(directory, raw_directory))
    raw::mark_kept(raw_directory, result.raw_kept);  // not where the sink was refused: an archive that is there stays
  else
    mark.emplace(directory);
  translate::TranslateOptions translation;
  translation.threads = translate::threads_to_use(options.threads);
  translation.progress = options.progress;
  translation.spill_directory = directory;
  if (!result.ended) translation.seen_until = last_sample(raw_directory, source->journal());
  std::vector<Module> modules = source->journal().modules;
  for (Module& module : modules)
    if (options.symbols && was_replaced(module, source->journal())) module.build_id = "another";  // that no file has
  // Of those that constructs are in; the archive's properties come after its regions.
  const auto not_read = [&all = translation.properties](const std::string& path, const std::string& why) {
    const std::string name = properties::no_lines_of + path;
    if (std::none_of(all.begin(), all.end(), [&](const Property& known) { return known.name == name; }))
      all.push_back({name, why});
  };
  if (options.symbols) translation.symbolize = translate::make_symbolizer(modules, false, not_read);
  const std::string no_lines = options.symbols ? translate::why_no_lines() : "asked for without (--no-symbols)";
  if (!no_lines.empty()) translation.properties.push_back({properties::no_lines, no_lines});
  const report::Filter filter = filter_of(source->journal(), result.invalid_filter);
  if (!filter.empty()) {
    translation.keep = [&](const Region& region) { return holds_the_trace_together(region) || filter.keeps(region); };
    translation.properties.push_back({properties::filter, filter.text()});
  }
  translation.facts = on_the_line(options.facts, source->journal());
  if (alive) translation.facts[properties::run_fact(properties::run_ended)] = "running";
  read_costs(source->journal(), result);
  translation.properties.push_back({std::string{properties::counter_tool} + "wait_ns",
                                    std::to_string(static_cast<std::uint64_t>(result.wait_seconds * 1e9))});
  const DeviceTimeline devices = device_timeline(*source);
  translation.devices = &devices;
  translate::TranslateReport report = translate::translate(*source, *sink, translation);
  // Its threads contradict each other: what cannot be true together is left out, until the archive is valid.
  for (Judge judge; report.doubtful && judge.finds_more(directory / "traces.otf2", translation.excluded);) {
    sink.reset();
    fs::remove(directory / "traces.otf2");
    remove_half_archive(directory);
    sink = make_sink();
    report = translate::translate(*source, *sink, translation);
  }

  if (mark) mark->whole();
  try {
    result.samples = convert_samples(
        raw_directory, directory, source->journal(),
        options.symbols ? translate::make_symbolizer(std::move(modules), true) : translate::Symbolizer{}, report.end,
        result.damage);
  } catch (const Error&) {  // the next conversion makes the archive anew, with them
    if (is_around(directory, raw_directory)) raw::mark_kept(raw_directory, false);
    throw;
  }
  if (!result.damage.empty() && !result.raw_kept) {
    result.raw_kept = true;
    if (is_around(directory, raw_directory)) raw::mark_kept(raw_directory, true);
  }
  if (!result.raw_kept) read_back(directory, translation.threads, options);
  result.archive = directory / "traces.otf2";
  result.events = report.events;
  result.lost = report.lost;
  result.threads = report.threads;
  result.streams = report.streams;
  result.repairs = std::move(report.repairs);
  result.bytes = size_of_archive(directory);
  if (!result.raw_kept) raw::remove_raw_trace(raw_directory, source->report().spool);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace tracer
