// SPDX-License-Identifier: BSD-3-Clause
// The two passes: scan all channels, join what they found, then write every location.
#include "tracer/translate/translate.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tracer/base/runtime_names.hpp"
#include "tracer/device_names.hpp"
#include "tracer/device_timeline.hpp"
#include "tracer/property_names.hpp"
#include "tracer/thread_end.hpp"
#include "tracer/translate/costs.hpp"
#include "tracer/translate/definitions/default_names.hpp"
#include "tracer/translate/definitions/mpi.hpp"
#include "tracer/translate/definitions/run.hpp"
#include "tracer/translate/devices/events.hpp"
#include "tracer/translate/parallel_for.hpp"
#include "tracer/translate/pipelined_writer.hpp"
#include "tracer/translate/resolve/resolve.hpp"
#include "tracer/translate/scan/ordered_source.hpp"
#include "tracer/translate/scan/scan.hpp"
#include "tracer/translate/write/annotation_lanes.hpp"
#include "tracer/translate/write/left_out.hpp"
#include "tracer/translate/write/location_translator.hpp"
#include "tracer/translate/write/stray_ranges.hpp"

namespace tracer::translate {
namespace {

RuntimeCode runtime_of(const Journal& journal) {
  std::vector<AddressRange> ranges;
  for (const Module& m : journal.modules) {
    const std::filesystem::path path = m.path;
    const std::string file = path.filename().string();
    std::error_code unknown;
    if (is_llvm_runtime(file) || is_gcc_runtime(file) || is_target_runtime(file) ||
        (!journal.run.runtime_library.empty() &&
         std::filesystem::equivalent(path, journal.run.runtime_library, unknown)))
      ranges.push_back({m.begin, m.end});
  }
  return RuntimeCode{std::move(ranges)};
}

/// Of a metric that is a sum: what was added in a pause.
void leave_out_pauses(std::vector<DeviceSample>& sums, const Tables& tables) {
  std::uint64_t before = 0, left_out = 0;
  std::vector<DeviceSample> kept;
  for (const DeviceSample& sum : sums) {
    if (tables.paused(sum.time, sum.time))
      left_out += sum.value - before;
    else
      kept.push_back({sum.time, sum.value - left_out});
    before = sum.value;
  }
  sums = std::move(kept);
}

class Translation {
 public:
  Translation(const TraceSource& source, EventSink& sink, const TranslateOptions& options)
      : costs_(options.threads),
        source_(source),
        journal_(source.journal()),
        sink_(sink),
        options_(options),
        clock_(journal_.run.clock, journal_.clock),
        spill_(options.spill_directory) {}

  TranslateReport run();

 private:
  void scan();
  void link();
  void link_toggles();
  void leave_out_teams();
  const DeviceTimeline& recorded_devices();
  void link_devices();
  void write();
  void write_location(LocationRef location);
  void write_stream(const DeviceLocation& stream);
  void write_lane(const AnnotationLane& lane);
  void count(const LocationResult& result);
  bool has_unusual_repairs() const;
  /// Records of a channel that is worth a second thread.
  static constexpr std::uint64_t long_channel = 50'000;
  void progress(double fraction) {
    if (options_.progress) options_.progress(fraction);
  }

  ConversionCosts costs_;
  OrderedSource source_;
  const Journal& journal_;
  EventSink& sink_;
  const TranslateOptions& options_;
  ClockFit clock_;
  bool threads_are_left_ = false;
  SpillFile spill_;
  Tables tables_;
  Definitions definitions_;
  Vocabulary vocabulary_;
  DeviceDefinitions devices_;
  std::vector<AnnotationLane> lanes_;
  DeviceTimeline recorded_devices_;  ///< only with pauses
  TranslateReport report_;
  Usage usage_;
  Repairs repairs_;
  Balance balance_;
  std::size_t inside_at_end_ = 0;  ///< threads whose last record leaves them in a construct
  std::mutex mutex_;               // report_, usage_, repairs_, first_, last_
  Nanoseconds first_ = ~Nanoseconds{0}, last_ = 0;
};

void Translation::scan() {
  // The main thread of a process that recorded nothing: readers refuse an archive without locations.
  const std::size_t count = std::max<std::size_t>(1, journal_.channels.size());
  tables_.channels.resize(count);
  tables_.spill = &spill_;
  tables_.excluded = options_.excluded;
  repairs_.add(options_.excluded.found);
  tables_.members = GrowingTable<Member>(&spill_);
  tables_.plans.resize(count);
  tables_.runtime = runtime_of(journal_);
  std::atomic<std::size_t> done{0};
  parallel_for(count, options_.threads, [&](std::size_t c) {
    const auto id = static_cast<ChannelId>(c);
    WatchedReader reader{source_.records(id)};
    tables_.channels[c] = scan_channel(reader, id, tables_.runtime, &spill_);
    if (reader.goes_back()) {
      source_.put_in_order(id);
      tables_.channels[c] = scan_channel(*source_.records(id), id, tables_.runtime, &spill_);
      tables_.channels[c].repairs.note(Repair::event_moved);
    }
    ++done;
  });
  tables_.begin = journal_.run.begin;
  tables_.end = std::max(journal_.end, journal_.run.begin);
  for (std::size_t c = 0; c < count; ++c) {
    ChannelScan& scan = tables_.channels[c];
    if (c < journal_.channels.size()) scan.lost = std::max(scan.lost, journal_.channels[c].lost);
    report_.lost += scan.lost;
    if (scan.first != 0) tables_.begin = tables_.begin == 0 ? scan.first : std::min(tables_.begin, scan.first);
    tables_.end = std::max(tables_.end, scan.last);
    report_.records += scan.records;
    repairs_.add(scan.repairs);
  }
  if (journal_.ending == Ending::unknown && options_.seen_until != 0)
    tables_.end = std::max(tables_.end, clock_.ticks_of(options_.seen_until));
  report_.lost += lost_without_count(journal_);
}

void Translation::link_toggles() {
  std::vector<Toggle>& all = tables_.toggles;
  for (const ChannelScan& scan : tables_.channels) all.insert(all.end(), scan.toggles.begin(), scan.toggles.end());
  std::stable_sort(all.begin(), all.end(), [](const Toggle& a, const Toggle& b) { return a.time < b.time; });
  const auto end = std::find_if(all.begin(), all.end(), [](const Toggle& t) { return t.is_final; });
  if (end != all.end()) all.erase(std::next(end), all.end());
  bool recording = true;  // a second pause changes nothing
  std::erase_if(all, [&recording](const Toggle& t) { return std::exchange(recording, t.recording) == t.recording; });
}

void Translation::link() {
  define_process(journal_, definitions_);
  define_locations(tables_, journal_, definitions_);
  report_.threads = definitions_.locations.size();
  define_all_threads(report_.threads, definitions_);
  link_toggles();
  leave_out_teams();
  form_teams(tables_, definitions_);
  define_mpi(tables_, journal_, definitions_);
  tables_.nanosecond = static_cast<Ticks>(clock_.ticks_per_second() / 1e9) + 1;
  repairs_.note(Repair::lock_left_out, order_locks(tables_));
  follow_untied_tasks(tables_);
  find_task_begins(tables_, source_, definitions_, options_.threads, repairs_);
  report_.paused =
      std::any_of(tables_.toggles.begin(), tables_.toggles.end(), [](const Toggle& t) { return !t.recording; });
  build_regions(tables_, journal_, options_.symbolize);
  if (options_.keep) tables_.regions->leave_out(options_.keep);
  vocabulary_ = make_vocabulary(tables_, journal_, definitions_);
  std::vector<AnnotationRange> strays = find_stray_ranges(source_, tables_, vocabulary_, clock_, options_.threads);
  if (options_.devices) tables_.landed = options_.devices->landed;
  if (options_.excluded.all_devices) {
    repairs_.note(Repair::devices_left_out);
  } else if (options_.devices) {
    link_devices();
  }
  lanes_ = lay_out_ranges(tables_, std::move(strays), journal_, definitions_, repairs_);
  tables_.regions->number_from(static_cast<RegionRef>(definitions_.regions.size()));
}

/// Of each fork in Exclusions::teams the region that its thread began last.
void Translation::leave_out_teams() {
  const Exclusions& excluded = tables_.excluded;
  const auto leave_out = [this](ParallelInstance& p) {
    p.left_out = true;
    repairs_.note(Repair::team_left_out);
  };
  if (excluded.all_teams)
    for (ChannelScan& scan : tables_.channels) scan.parallels.for_each(leave_out);
  for (const auto& fork : excluded.teams) {
    if (excluded.all_teams || fork.first >= tables_.channel_of.size()) continue;
    ParallelInstance* last = nullptr;
    tables_.channels[tables_.channel_of[fork.first]].parallels.for_each([&](ParallelInstance& p) {
      if (!p.left_out && clock_(p.begin) <= fork.second && (!last || p.begin >= last->begin)) last = &p;
    });
    if (last) leave_out(*last);
  }
}

// What the host requested in a pause is left out on both sides; of what no construct requested, what began in it, and
// what was counted in it.
const DeviceTimeline& Translation::recorded_devices() {
  if (!report_.paused) return *options_.devices;
  recorded_devices_ = *options_.devices;
  for (DeviceTrack& track : recorded_devices_.devices) {
    for (DeviceStream& stream : track.streams)
      std::erase_if(stream.operations, [this](const DeviceOperation& o) {
        const Ticks begin = o.host_begin != 0 ? o.host_begin : o.start;
        return tables_.paused(begin, begin);
      });
    for (auto& [metric, samples] : track.metrics)
      if (names_of(metric).is_sum) leave_out_pauses(samples, tables_);
    std::erase_if(track.metrics, [](const auto& metric) { return metric.second.empty(); });
  }
  return recorded_devices_;
}

void Translation::link_devices() {
  devices_ = define_devices(recorded_devices(), tables_, journal_, definitions_);
  report_.streams = devices_.locations.size();
  for (const auto& [what, n] : options_.devices->repairs) {
    if (n > 0) report_.repairs[what] += n;
  }
}

void Translation::count(const LocationResult& result) {
  const std::lock_guard lock(mutex_);
  report_.events += result.events;
  usage_.merge(result.used);
  repairs_.note(Repair::event_moved, result.clamped);
  repairs_.add(result.repairs);
  inside_at_end_ += result.is_inside ? 1 : 0;
  balance_.add(result.balance);
  if (result.events == 0) return;
  first_ = std::min(first_, result.first);
  last_ = std::max(last_, result.last);
}

void Translation::write_location(LocationRef location) {
  if (location >= report_.threads + report_.streams)
    return write_lane(lanes_[location - report_.threads - report_.streams]);
  if (location >= report_.threads) return write_stream(devices_.locations[location - report_.threads]);
  const ChannelId channel = tables_.channel_of[location];
  auto writer = sink_.open(location);
  if (threads_are_left_ && tables_.channels[channel].records >= long_channel)
    writer = make_pipelined(std::move(writer));
  LeftOut chosen(*writer);
  LocationWriter& next = options_.keep ? chosen : *writer;
  LocationTranslator translator(tables_, journal_, vocabulary_, clock_, channel, next);
  const auto records = source_.records(channel);
  LocationResult result = translator.run(*records);
  if (translator.has_ended()) {  // while its process went on
    const Nanoseconds end = std::max(clock_(journal_.channels[channel].end), result.last);
    definitions_.locations[location].properties.push_back({properties::thread_ended, std::to_string(end)});
  }
  chosen.finish();
  result.events -= chosen.dropped();
  count(result);
  writer->close();
}

void Translation::write_stream(const DeviceLocation& stream) {
  const auto writer = sink_.open(stream.location);
  count(translate_stream(stream, devices_, tables_, clock_, *writer));
  writer->close();
}

void Translation::write_lane(const AnnotationLane& lane) {
  const auto writer = sink_.open(lane.location);
  LeftOut chosen(*writer);
  LocationWriter& next = options_.keep ? chosen : *writer;
  LocationResult result = translate_lane(lane, tables_, vocabulary_, clock_, next);
  chosen.finish();
  result.events -= chosen.dropped();
  count(result);
  writer->close();
}

void Translation::write() {
  // The longest channels first, so that no thread is left alone with one at the end.
  std::vector<LocationRef> order(report_.threads + report_.streams + lanes_.size());
  for (LocationRef l = 0; l < order.size(); ++l) order[l] = l;
  const auto records = [&](LocationRef l) -> std::uint64_t {
    if (l < report_.threads) return tables_.channels[tables_.channel_of[l]].records;
    if (l >= report_.threads + report_.streams) return lanes_[l - report_.threads - report_.streams].ranges.size();
    const DeviceStream* stream = devices_.locations[l - report_.threads].stream;
    return stream ? stream->operations.size() : 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](LocationRef a, LocationRef b) { return records(a) > records(b); });
  const auto long_ones = std::count_if(tables_.channels.begin(), tables_.channels.end(),
                                       [](const ChannelScan& scan) { return scan.records >= long_channel; });
  threads_are_left_ = options_.threads > static_cast<std::size_t>(long_ones);
  std::atomic<std::size_t> done{0};
  parallel_for(order.size(), options_.threads, [&](std::size_t n) {
    write_location(order[n]);
    const std::size_t finished = ++done;
    if (options_.progress) {
      const std::lock_guard lock(mutex_);
      progress(0.4 + 0.6 * static_cast<double>(finished) / static_cast<double>(order.size()));
    }
  });
}

/// Code of GCC on libomp does not report some ends.
bool Translation::has_unusual_repairs() const {
  const bool of_gcc = stands_in_for_libgomp(journal_);
  Repairs others;
  for (const RepairRow& row : repair_table()) {
    const bool is_usual =
        of_gcc && (row.repair == Repair::region_closed_by_outer_end || row.repair == Repair::second_end_of_parallel);
    if (!is_usual) others.note(row.repair, repairs_[row.repair]);
  }
  return others.are_unusual();
}

TranslateReport Translation::run() {
  scan();
  costs_.scanned();
  progress(0.4);
  link();
  name_nameless(definitions_);
  sink_.prepare(definitions_);
  write();
  const std::vector<Region> used = tables_.regions->used();
  definitions_.regions.insert(definitions_.regions.end(), used.begin(), used.end());
  if (first_ > last_) first_ = last_ = clock_(tables_.begin);
  report_.end = last_;
  usage_.add_to(definitions_);
  define_clock(first_, last_, clock_, definitions_);
  report_.doubtful = !balance_.is_even() || has_unusual_repairs();
  report_.left_out = options_.excluded.leave_out();
  for (const auto& [what, n] : repairs_.by_name()) report_.repairs[what] += n;
  define_properties(journal_, report_, options_.facts, definitions_);
  mpi_properties(tables_, journal_, definitions_);
  std::map<std::string, std::string> facts = options_.facts;
  if (journal_.ending == Ending::unknown)
    facts[properties::run_fact(properties::run_threads_inside)] = std::to_string(inside_at_end_);
  define_run_facts(journal_, clock_, last_, facts, definitions_);
  define_callback_counts(tables_, definitions_);
  define_silent_target_library(tables_, journal_, definitions_);
  definitions_.properties.insert(definitions_.properties.end(), options_.properties.begin(), options_.properties.end());
  costs_.define(definitions_);
  name_nameless(definitions_);
  sink_.finish(definitions_);
  progress(1.0);
  return std::move(report_);
}

}  // namespace

TranslateReport translate(const TraceSource& source, EventSink& sink, const TranslateOptions& options) {
  return Translation(source, sink, options).run();
}

}  // namespace tracer::translate
