// SPDX-License-Identifier: BSD-3-Clause
// See sampled_archive.hpp.
#include "formats/otf2/join/sampled_archive.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "formats/otf2/join/event_copy.hpp"
#include "formats/otf2/join/joined_writer.hpp"
#include "formats/otf2/join/sampled_metrics.hpp"
#include "formats/otf2/join/sampled_stacks.hpp"
#include "formats/otf2/join/sampled_walk.hpp"
#include "formats/otf2/read/shared_window.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint64_t least_chunk = 256 * 1024;

/// From where parallel regions are called outside of all others: of the stacks that threads had in them the most
/// frequent one's part before the runtime.
class Callers final : public SampledWalk {
 public:
  using Frames = std::vector<std::uint32_t>;
  Callers(const Trace& trace, const samples::SampleSet& set, ContextTree& tree, const SampledStacks& stacks)
      : SampledWalk(trace, set, tree), stacks_(stacks) {}

  const Frames* of(std::uint32_t region) const {
    const Frames* best = nullptr;
    std::uint64_t most = 0;
    if (const auto found = counts_.find(region); found != counts_.end())
      for (const auto& [frames, count] : found->second)
        if (count > most) most = count, best = &frames;
    return best;
  }

 private:
  std::uint32_t context_of(std::size_t sample, std::uint32_t around) override {
    std::uint32_t outermost = around;
    while (outermost != ContextTree::root && tree_.parent(outermost) != ContextTree::root)
      outermost = tree_.parent(outermost);
    const SampledStacks::Parts& parts = stacks_.parts(set_.samples[sample].stack);
    if (outermost != ContextTree::root && is_parallel(tree_.region(outermost)) && parts.has_gap &&
        !parts.before.empty())
      ++counts_[tree_.region(outermost)][Frames(parts.before.begin(), parts.before.end())];
    return around;
  }

  const SampledStacks& stacks_;
  std::map<std::uint32_t, std::map<Frames, std::uint64_t>> counts_;
};

class Writer final : public SampledWalk {
 public:
  Writer(const Trace& trace, const samples::SampleSet& set, ContextTree& tree, SampledStacks& stacks,
         const Callers& callers, JoinedDefinitions& definitions, JoinedArchive& archive,
         const std::function<void(double)>& progress)
      : SampledWalk(trace, set, tree),
        stacks_(stacks),
        callers_(callers),
        metrics_(set, definitions),
        archive_(archive),
        progress_(progress) {
    for (const LocationDef& location : definitions_.locations) {
      files_.push_back(open(location.ref));
      expected_ += location.events;
    }
  }

  SampledArchiveResult finish(JoinedDefinitions& whole) {
    for (std::size_t i = 0; i < files_.size(); ++i) close(*files_[i], whole.locations[i]);
    for (const SchedulingLocation& scheduling : metrics_.scheduling(definitions_, whole)) {
      const auto file = open(scheduling.location.ref);
      for (const SchedulingEvent& e : scheduling.events) file->append(metrics_.view_of(e));
      whole.locations.push_back(scheduling.location);
      close(*file, whole.locations.back());
    }
    result_.contexts = tree_.nodes().size();
    result_.outside = set_.samples.size() - result_.samples;
    return result_;
  }

 private:
  std::unique_ptr<EventCopy> open(std::uint64_t location) {
    return std::make_unique<EventCopy>(archive_.locations(), std::to_string(location) + ".evt", pool_, least_chunk,
                                       shared_window(definitions_.locations.size(), least_chunk));
  }
  void close(EventCopy& file, LocationDef& location) {
    location.events = file.events();
    result_.events += location.events;
    file.finish();
    archive_.add_definitions(std::to_string(location.ref));
  }

  void copy(std::size_t location, const EventView& event) {
    files_[location]->append(event);
    constexpr std::uint64_t between_reports = 65536;
    if (++copied_ % between_reports == 0 && progress_ && expected_ != 0)
      progress_(static_cast<double>(copied_) / static_cast<double>(expected_));
  }
  void enter(std::size_t location, const EventView& event, std::uint32_t context, std::uint32_t distance) override {
    EventView own = event;
    own.kind = EventKind::calling_context_enter;
    own.field[0] = context;
    own.field[1] = distance;
    copy(location, own);
  }
  void leave(std::size_t location, const EventView& event, std::uint32_t context) override {
    EventView own = event;
    own.kind = EventKind::calling_context_leave;
    own.field[0] = context;
    copy(location, own);
  }
  void other(std::size_t location, const EventView& event) override { copy(location, event); }

  std::uint32_t context_of(std::size_t sample, std::uint32_t around) override {
    const SampledStacks::Parts& parts = stacks_.parts(set_.samples[sample].stack);
    bool in_construct = false;
    for (std::uint32_t at = around; at != ContextTree::root && !in_construct; at = tree_.parent(at))
      in_construct = is_parallel(tree_.region(at)) || is_task(tree_.region(at));
    const auto frames = !in_construct ? parts.all : parts.has_gap ? parts.after : parts.before;
    const std::uint32_t context = stacks_.below(around, frames);
    return context != ContextTree::root ? context : tree_.child(context, stacks_.unknown());
  }
  void sample(std::size_t location, std::size_t sample, std::uint32_t context, std::uint32_t distance) override {
    EventView own;
    own.time = set_.samples[sample].time;
    if (metrics_.fill(location, sample, own)) files_[location]->append(own);
    own = {};
    own.time = set_.samples[sample].time;
    own.kind = EventKind::calling_context_sample;
    own.field = {context, distance, 0};  // of the one interrupt generator
    files_[location]->append(own);
    ++result_.samples;
  }
  std::uint32_t parent_of(std::uint32_t region) override {
    const Callers::Frames* frames = callers_.of(region);
    return frames == nullptr ? ContextTree::root : stacks_.below(ContextTree::root, *frames);
  }

  ChunkPool pool_;
  SampledStacks& stacks_;
  const Callers& callers_;
  SampledMetrics metrics_;
  JoinedArchive& archive_;
  const std::function<void(double)>& progress_;
  std::vector<std::unique_ptr<EventCopy>> files_;
  std::uint64_t copied_ = 0, expected_ = 0;
  SampledArchiveResult result_;
};

/// References are kept.
JoinedDefinitions copy_of(const TraceDefinitions& from, const MpiWorlds& no_worlds) {
  JoinedDefinitions to(static_cast<std::uint32_t>(from.location_groups.size()), no_worlds);
  for (const StringDef& s : from.strings) {
    if (s.ref >= std::max<std::size_t>(2 * from.strings.size(), 1024)) throw Error("its strings are not numbered");
    if (to.strings.size() <= s.ref) to.strings.resize(s.ref + 1);
    to.strings[s.ref] = s.text;
  }
  for (std::size_t i = 0; i < from.regions.size(); ++i)
    if (from.regions[i].ref != i) throw Error("its regions are not numbered: only traces of Tracer's have samples");
  const auto copy = [](const auto& all, auto& items) { items.assign(all.begin(), all.end()); };
  copy(from.paradigms, to.paradigms);
  copy(from.attributes, to.attributes);
  copy(from.parameters, to.parameters);
  copy(from.nodes, to.nodes);
  copy(from.location_groups, to.processes);
  copy(from.locations, to.locations);
  copy(from.regions, to.regions);
  copy(from.groups, to.groups);
  copy(from.comms, to.comms);
  copy(from.windows, to.windows);
  copy(from.io_paradigms, to.io_paradigms);
  copy(from.io_files, to.io_files);
  copy(from.io_handles, to.io_handles);
  copy(from.metric_members, to.metric_members);
  copy(from.metrics, to.metrics);
  return to;
}

}  // namespace

SampledArchiveResult write_sampled(const Trace& trace, const samples::SampleSet& set,
                                   const std::filesystem::path& directory,
                                   const std::function<void(double)>& progress) {
  const TraceDefinitions& from = trace.definitions();
  if (from.clock.resolution != 1'000'000'000) throw Error("its clock is not in nanoseconds: its samples' is");
  if (!from.calling_contexts.empty()) throw Error("the trace has samples in it already");
  const MpiWorlds no_worlds;
  JoinedDefinitions whole = copy_of(from, no_worlds);
  ContextTree without_functions, tree;
  SampledStacks stacks(set, whole, tree);
  Callers callers(trace, set, without_functions, stacks);
  callers.run();
  JoinedArchive archive(directory, least_chunk);
  Writer writer(trace, set, tree, stacks, callers, whole, archive, progress);
  writer.run();
  const SampledArchiveResult result = writer.finish(whole);
  whole.calling_contexts = tree.nodes();
  if (result.samples != 0)
    whole.interrupt_generators.push_back({0, whole.string("processor time of the thread"), 0, 1, -9, set.period});
  JoinOptions options;
  options.clock = from.clock;
  options.event_chunk = least_chunk;
  options.properties = trace.info().properties;
  options.creator = trace.info().creator;
  options.description = trace.info().description;
  archive.finish(whole, options);
  return result;
}

}  // namespace tracer::otf2
