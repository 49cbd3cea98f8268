// SPDX-License-Identifier: BSD-3-Clause
// Adds up samples: by function, by path, and by the waiting of others.
#include <algorithm>
#include <map>

#include "tracer/loss_counters.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/replay/samples/call_paths.hpp"
#include "tracer/replay/samples/counters.hpp"
#include "tracer/replay/samples/join.hpp"
#include "tracer/report/samples.hpp"

namespace tracer::report {
namespace {

constexpr Activity blamed[] = {Activity::barrier, Activity::task_wait, Activity::lock_wait, Activity::idle};

/// A path as people read it: functions by their names, whatever their files.
std::vector<std::string> words_of(const SamplePaths& paths, std::uint32_t node) {
  std::vector<std::string> words;
  for (const std::uint32_t frame : paths.path(node)) words.push_back(paths.frames()[frame].name);
  return words;
}

class Sum {
 public:
  Sum(const SampleJoin& join, const SamplePaths& paths)
      : join_{join}, set_{join.set()}, paths_{paths}, counters_{set_} {}

  SampleReport report(bool with_paths) {
    report_.period = set_.period;
    report_.lacks = fact_of_run(join_.definitions(), properties::run_samples_lack);
    report_.without_counters = counter_of(join_.definitions(), loss_counters::sampled_uncounted);
    report_.lost = set_.lost;
    report_.pauses = set_.pauses.size();
    counts_.resize(paths_.kinds().size());
    counted_.resize(paths_.kinds().size() * counters_.size());
    for (const samples::Counter& counter : set_.counters)
      report_.counters.push_back({set_.strings[counter.name], counter.nanoseconds != 0});
    threads();
    report_.outside = set_.samples.size() - report_.samples;
    functions();
    if (with_paths) paths();
    blame();
    waits();
    states();
    return std::move(report_);
  }

 private:
  using CodeKey =
      std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, RegionRef>;  // function, file, line, construct

  void threads() {
    const auto& locations = join_.definitions().locations;
    for (LocationRef l = 0; l < locations.size(); ++l) {
      SampleThreadRow row{.location = l, .name = locations[l].name};
      const auto [first, last] = join_.samples_of(l);
      for (std::size_t s = first; s != last; ++s) {
        if (paths_.kind(s) == SampleJoin::outside) continue;
        ++row.samples;
        ++counts_[paths_.kind(s)];
        add_blame(l, s);
        add_counters(s);
        if (set_.samples[s].state != samples::state_not_asked)
          ++states_[{set_.samples[s].state, set_.samples[s].wait_id}];
      }
      const auto pauses = join_.pauses_of(l);
      row.pauses = pauses.size();
      for (const samples::Pause& pause : pauses)
        (pause.preempted != 0 ? row.preempted : row.slept) += pause.end - std::min(pause.begin, pause.end);
      const StoppedTime& work = join_.stopped(l, Activity::work);
      row.preempted_working = work.preempted;
      row.slept_working = work.slept;
      row.working = work.ns;
      report_.samples += row.samples;
      if (row.samples != 0 || row.pauses != 0) report_.threads.push_back(std::move(row));
    }
  }

  /// Half the threads wait and half work: each of these has the blame for one.
  void add_blame(LocationRef location, std::size_t sample) {
    const SampleKind& kind = paths_.kinds()[paths_.kind(sample)];
    if (kind.activity != Activity::work) return;
    const Crowd crowd = join_.crowd(location, set_.samples[sample].time);
    std::uint32_t others = 0;
    for (const Activity activity : blamed) others += crowd.by[static_cast<std::size_t>(activity)];
    if (others == 0 || crowd.working == 0) return;
    CodeKey key{0, 0, 0, kind.construct};
    if (kind.leaf != SampleJoin::outside) {
      const samples::Frame& frame = set_.frames[kind.leaf];
      key = {frame.function, frame.file, frame.line, kind.construct};
    }
    SampleTimes& ns = blame_[key];
    for (const Activity activity : blamed) {
      const auto which = static_cast<std::size_t>(activity);
      ns[which] += set_.period * crowd.by[which] / crowd.working;
    }
  }

  void add_counters(std::size_t sample) {
    const std::uint32_t kind = paths_.kind(sample);
    const bool works = paths_.kinds()[kind].activity == Activity::work;
    const auto increases = counters_.increases(sample);
    for (std::size_t c = 0; c < increases.size(); ++c) {
      if (increases[c] == samples::not_counted) continue;
      report_.counters[c].total += increases[c];
      if (works)
        counted_[kind * counters_.size() + c] += increases[c];
      else
        report_.counters[c].waiting += increases[c];
    }
  }

  void add_counted(std::vector<std::uint64_t>& to, std::size_t kind) const {
    to.resize(counters_.size());
    for (std::size_t c = 0; c < to.size(); ++c) to[c] += counted_[kind * to.size() + c];
  }

  void states() {
    for (const auto& [key, samples] : states_) report_.states.push_back({key.first, key.second, samples});
    std::stable_sort(report_.states.begin(), report_.states.end(),
                     [](const StateRow& a, const StateRow& b) { return a.samples > b.samples; });
  }

  void functions() {
    std::vector<FunctionRow> rows(paths_.frames().size());
    std::vector<std::uint64_t> most(rows.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> lines;  // of frames
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      const SampleKind& kind = paths_.kinds()[k];
      std::vector<std::uint32_t> path = paths_.path(kind.node);
      // What the kernel does is of who called it; its own row has the sum.
      const std::uint32_t last = kind.in_kernel && path.size() > 1 ? path[path.size() - 2] : path.back();
      if (kind.in_kernel && kind.activity == Activity::work) {
        rows[last].kernel += counts_[k];
        report_.kernel += counts_[k];
      }
      std::sort(path.begin(), path.end());  // a function that calls itself counts once
      path.erase(std::unique(path.begin(), path.end()), path.end());
      for (const std::uint32_t frame : path) {
        rows[frame].inside += counts_[k];
        add_counted(rows[frame].counted_inside, k);
      }
      add_counted(rows[last].counted, k);
      (kind.activity == Activity::work ? rows[last].self : rows[last].waiting) += counts_[k];
      if (kind.leaf == SampleJoin::outside) continue;
      const std::uint32_t line = set_.frames[kind.leaf].line;
      const std::uint64_t count = lines[{last, line}] += counts_[k];
      if (line == 0 || count <= most[last]) continue;
      most[last] = count;
      rows[last].line = line;
      if (rows[last].file.empty()) rows[last].file = set_.strings[set_.frames[kind.leaf].file];
    }
    for (std::size_t f = 0; f < rows.size(); ++f) {
      const PathFrame& frame = paths_.frames()[f];
      rows[f].name = frame.name;
      rows[f].counted.resize(counters_.size());
      rows[f].counted_inside.resize(counters_.size());
      rows[f].construct = frame.construct;
      if (!frame.file.empty()) rows[f].file = frame.file;
    }
    std::stable_sort(rows.begin(), rows.end(), [](const FunctionRow& a, const FunctionRow& b) {
      return std::tuple{a.self + a.waiting, a.inside} > std::tuple{b.self + b.waiting, b.inside};
    });
    report_.functions = std::move(rows);
  }

  void paths() {
    std::map<std::pair<std::vector<std::string>, Activity>, std::uint64_t> sums;
    for (std::size_t k = 0; k < counts_.size(); ++k)
      sums[{words_of(paths_, paths_.kinds()[k].node), paths_.kinds()[k].activity}] += counts_[k];
    for (const auto& [key, count] : sums) report_.paths.push_back({key.first, key.second, count});
  }

  void blame() {
    for (const auto& [key, ns] : blame_) {
      const auto& [function, file, line, construct] = key;
      report_.blame.push_back({set_.strings[function], set_.strings[file], line, construct, ns});
      if (function == 0) report_.blame.back().name = "(unknown)";
    }
    std::stable_sort(report_.blame.begin(), report_.blame.end(),
                     [](const BlameRow& a, const BlameRow& b) { return a.total() > b.total(); });
  }

  void waits() {
    for (const auto& [key, time] : join_.stopped()) {
      const auto& [activity, region] = key;
      if (!is_waiting(activity) || region >= join_.definitions().regions.size()) continue;
      report_.waits.push_back(
          {region, join_.definitions().regions[region].name, activity, time.ns, time.slept, time.preempted});
    }
    std::stable_sort(report_.waits.begin(), report_.waits.end(),
                     [](const WaitRow& a, const WaitRow& b) { return a.ns > b.ns; });
  }

  const SampleJoin& join_;
  const samples::SampleSet& set_;
  const SamplePaths& paths_;
  SampleReport report_;
  std::vector<std::uint64_t> counts_;  ///< of each kind
  std::map<CodeKey, SampleTimes> blame_;
  const SampleCounters counters_;
  std::vector<std::uint64_t> counted_;  ///< of each kind by counter; of work only
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::uint64_t> states_;
};

}  // namespace

SampleReport report_of(const SampleJoin& join, const SamplePaths& paths, bool with_paths) {
  return Sum{join, paths}.report(with_paths);
}

}  // namespace tracer::report
