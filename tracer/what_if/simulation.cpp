// SPDX-License-Identifier: BSD-3-Clause
// Simulated threads carry out a region's operations, whoever is earliest first.
#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>

#include "tracer/what_if/model.hpp"

namespace tracer::report {
namespace {

/// What each of `n` threads gets of a loop that hands out chunks: whoever is done first has the next one. The rest can
/// be split as finely as one likes, and lies evenly between them. Of more threads than iterations some get nothing.
std::vector<std::uint64_t> dealt_out(const Loop& loop, std::uint64_t total, std::uint32_t n) {
  std::uint64_t whole = 0;
  for (const Chunk& chunk : loop.chunks) whole += chunk.ns;
  const std::uint32_t workers = loop.workers(n);
  std::vector<std::uint64_t> shares(n);
  std::fill_n(shares.begin(), workers, (total - std::min(total, whole)) / workers);
  using Load = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> next;
  for (std::uint32_t j = 0; j < workers; ++j) next.emplace(shares[j], j);
  for (const Chunk& chunk : loop.chunks) {
    const std::uint32_t j = next.top().second;
    next.pop();
    shares[j] += chunk.ns;
    next.emplace(shares[j], j);
  }
  return shares;
}

/// How much of a static loop's iterations is before those of thread `j` of `n`: 0 to 1. The first threads have one more
/// where they cannot all have as many.
double before(const Loop& loop, std::size_t j, std::size_t n) {
  if (loop.iterations == 0) return static_cast<double>(j) / static_cast<double>(n);
  const std::uint64_t first = j * (loop.iterations / n) + std::min<std::uint64_t>(j, loop.iterations % n);
  return static_cast<double>(first) / static_cast<double>(loop.iterations);
}

/// The part of a static loop that thread `j` of `n` gets, when what each recorded thread did lies evenly in its part of
/// the iterations.
std::uint64_t share_of(const Loop& loop, std::uint64_t total, std::uint32_t j, std::uint32_t n) {
  const std::size_t recorded = loop.by_rank.size();
  if (recorded == 0) return total / n;
  if (recorded == n) return loop.by_rank[j];
  const double from = before(loop, j, n), to = before(loop, std::size_t{j} + 1, n);
  auto r = std::min(recorded - 1, static_cast<std::size_t>(from * static_cast<double>(recorded)));
  while (r > 0 && before(loop, r, recorded) > from) --r;
  double sum = 0;
  for (; r < recorded && before(loop, r, recorded) < to; ++r) {
    const double begin = before(loop, r, recorded), end = before(loop, r + 1, recorded);
    const double both = std::min(to, end) - std::max(from, begin);
    if (both > 0) sum += both / (end - begin) * static_cast<double>(loop.by_rank[r]);
  }
  return static_cast<std::uint64_t>(sum);
}

class Simulation {
 public:
  Simulation(const RegionModel& model, const Conditions& conditions)
      : model_{model},
        conditions_{conditions},
        n_{conditions.threads != 0 ? conditions.threads : std::max(1u, model.size)} {}

  /// Time from the region's start to the end of the last thread.
  std::uint64_t run() {
    prepare();
    for (;;) {
      if (able_.empty()) {
        if (!release_barrier()) break;
        continue;
      }
      Thread& next = threads_[able_.top().second];
      able_.pop();
      step(next);
      if (next.idle)
        idle_.insert(next.rank);
      else if (!next.done)
        able_.emplace(next.now, next.rank);
    }
    std::uint64_t end = 0;
    for (const Thread& thread : threads_) end = std::max(end, thread.now);
    return end;
  }

 private:
  struct Running {
    std::uint32_t task;
    const Ops* ops;
    std::size_t at = 0;
  };
  struct Thread {
    std::uint64_t now = 0;
    std::uint32_t rank = 0;
    bool idle = false, done = false, at_barrier = false;
    std::vector<Running> stack;
    std::deque<Ops> made;  ///< operations of loops, for this thread
  };

  void prepare() {
    threads_.resize(n_);
    const auto tasks = static_cast<std::uint32_t>(model_.tasks.size());
    waits_for_.assign(tasks, 0);
    parent_.assign(tasks, 0);
    const std::uint32_t more = n_ - std::min(n_, model_.size);  // implicit tasks of threads that were not recorded
    children_.assign(tasks + more, 0);
    waiting_.assign(tasks + more, nobody);
    for (const Loop& loop : model_.loops) {
      totals_.push_back(loop.total());
      dealt_.push_back(loop.is_static ? std::vector<std::uint64_t>{} : dealt_out(loop, totals_.back(), n_));
    }
    created_.assign(tasks, false);
    successors_.resize(tasks);
    for (std::uint32_t t = model_.size; t < tasks; ++t) {
      for (const std::uint32_t source : model_.tasks[t].after) {
        ++waits_for_[t];
        successors_[source].push_back(t);
      }
    }
    taken_.assign(model_.singles.size(), false);
    // What recorded threads did that are not there now is done by others; what new ones do is the mean of all.
    implicit_.resize(n_);
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (j < model_.size) {
        implicit_[j] = model_.tasks[j].ops;
      } else {
        for (const Op& op : model_.tasks[0].ops) {
          if (is_moved(op) || op.what == Do::wait) continue;
          implicit_[j].push_back(op.what == Do::work ? Op{Do::work, 0, 0} : op);
        }
      }
    }
    for (std::uint32_t r = n_; r < model_.size; ++r) move_creations(model_.tasks[r].ops, implicit_[r % n_]);
    for (std::uint32_t j = 0; j < n_; ++j) {
      threads_[j].rank = j;
      threads_[j].stack.push_back({j < model_.size ? j : tasks + j - model_.size, &implicit_[j]});
      able_.emplace(0, j);
    }
  }
  /// Done by others where the thread that did it is not there.
  static bool is_moved(const Op& op) { return op.what == Do::create || op.what == Do::run || op.what == Do::lock; }
  static void move_creations(const Ops& from, Ops& to) {
    Ops extra;
    for (const Op& op : from)
      if (is_moved(op)) extra.push_back(op);
    const auto end = std::find_if(to.begin(), to.end(), [](const Op& op) { return op.what == Do::barrier; });
    to.insert(end, extra.begin(), extra.end());
  }

  void wake(Thread& thread, std::uint64_t when) {
    if (!thread.idle) return;
    thread.idle = false;
    thread.now = std::max(thread.now, when);
    able_.emplace(thread.now, thread.rank);
    idle_.erase(thread.rank);
  }
  void wake_waiting(std::uint32_t task, std::uint64_t when) {
    if (waiting_[task] != nobody) wake(threads_[std::exchange(waiting_[task], nobody)], when);
  }
  /// As many as find something to do: in programs of many threads most would go back to sleep. Of all that are idle the
  /// time is the same.
  void wake(std::uint64_t when) {
    std::size_t wanted = outstanding_ == 0 ? idle_.size() : ready_.size();
    for (; wanted > 0 && !idle_.empty(); --wanted) wake(threads_[*idle_.begin()], when);
  }

  bool take_task(Thread& thread) {
    if (ready_.empty()) return false;
    const auto [task, when] = ready_.front();
    ready_.pop_front();
    thread.now = std::max(thread.now, when);
    begin_task(thread, task);
    return true;
  }
  void begin_task(Thread& thread, std::uint32_t task) {
    thread.now += conditions_.task_overhead;
    thread.stack.push_back({task, &model_.tasks[task].ops});
  }
  void add_child(std::uint32_t parent, std::uint32_t task) {
    created_[task] = true;
    ++outstanding_;
    parent_[task] = parent;
    ++children_[parent];
  }

  void finish_task(std::uint32_t task, std::uint64_t when) {
    --outstanding_;
    const std::uint32_t parent = parent_[task];
    if (--children_[parent] == 0) wake_waiting(parent, when);
    for (const std::uint32_t next : successors_[task]) {
      if (--waits_for_[next] != 0) continue;
      if (created_[next]) {
        ready_.emplace_back(next, when);
      } else {
        wake_waiting(next, when);
      }
    }
    wake(when);
  }

  void step(Thread& thread) {
    Running& top = thread.stack.back();
    if (top.at == top.ops->size()) {
      const bool implicit = thread.stack.size() == 1;
      if (implicit) {  // the region's end: tasks that are left are still to be done
        if (take_task(thread)) return;
        thread.done = outstanding_ == 0;
        thread.idle = !thread.done;
        return;
      }
      const std::uint32_t task = top.task;
      const bool is_task = task < model_.tasks.size() && top.ops == &model_.tasks[task].ops;
      thread.stack.pop_back();
      if (is_task) finish_task(task, thread.now);
      return;
    }
    const Op op = top.ops->at(top.at);
    switch (op.what) {
      case Do::work:
        ++top.at;
        thread.now += op.ns;
        return;
      case Do::create:
        ++top.at;
        add_child(top.task, op.index);
        if (waits_for_[op.index] == 0) ready_.emplace_back(op.index, thread.now);
        wake(thread.now);
        return;
      case Do::run:
        if (waits_for_[op.index] == 0) {
          ++top.at;
          add_child(top.task, op.index);
          begin_task(thread, op.index);
        } else if (!take_task(thread)) {
          thread.idle = true;
          waiting_[op.index] = thread.rank;
        }
        return;
      case Do::wait:
        if (children_[top.task] == 0) {
          ++top.at;
        } else if (!take_task(thread)) {
          thread.idle = true;
          waiting_[top.task] = thread.rank;
        }
        return;
      case Do::barrier:
        if (take_task(thread)) return;
        thread.at_barrier = thread.idle = true;
        return;
      case Do::loop: {
        ++top.at;
        Ops& part = thread.made.emplace_back();
        expand(model_.loops[op.index], thread.rank, part);
        thread.stack.push_back({top.task, &part});
        return;
      }
      case Do::single:
        ++top.at;
        if (taken_[op.index]) return;
        taken_[op.index] = true;
        thread.stack.push_back({top.task, &model_.singles[op.index].ops});
        return;
      case Do::lock: {
        ++top.at;
        std::uint64_t& free = free_at_[op.index];
        const bool waits = op.index >= conditions_.without.size() || !conditions_.without[op.index];
        if (waits) thread.now = std::max(thread.now, free);
        thread.now += op.ns;
        if (waits) free = thread.now;
        return;
      }
    }
  }

  void expand(const Loop& loop, std::uint32_t rank, Ops& ops) const {
    const bool even = loop.region < conditions_.balanced.size() && conditions_.balanced[loop.region];
    const auto number = static_cast<std::size_t>(&loop - model_.loops.data());
    const std::uint64_t total = totals_[number];
    const std::uint32_t workers = loop.workers(n_);
    const std::uint64_t work = even             ? (rank < workers ? total / workers : 0)
                               : loop.is_static ? share_of(loop, total, rank, n_)
                                                : dealt_[number][rank];
    std::vector<Held> mine;
    for (std::size_t i = rank; rank < workers && i < loop.locks.size(); i += workers) mine.push_back(loop.locks[i]);
    const std::uint64_t piece = work / (mine.size() + 1);
    for (const Held& held : mine) {
      ops.push_back({Do::work, 0, piece});
      ops.push_back({Do::lock, held.lock, held.ns});
    }
    ops.push_back({Do::work, 0, work - piece * mine.size()});
  }

  /// Nobody can go on: all who wait at the barrier leave it at once. False: the region is over, or cannot go on.
  bool release_barrier() {
    std::uint64_t when = 0;
    bool any = false;
    for (const Thread& thread : threads_) when = std::max(when, thread.now);
    for (Thread& thread : threads_) {
      if (thread.done || !thread.at_barrier) continue;
      any = true;
      thread.at_barrier = thread.idle = false;
      thread.now = when;
      ++thread.stack.back().at;
      idle_.erase(thread.rank);
      able_.emplace(when, thread.rank);
    }
    return any;
  }

  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
  using ByTime = std::pair<std::uint64_t, std::uint32_t>;  ///< when, and which thread

  const RegionModel& model_;
  const Conditions& conditions_;
  const std::uint32_t n_;
  std::vector<Thread> threads_;
  std::priority_queue<ByTime, std::vector<ByTime>, std::greater<>> able_;  ///< to go on
  std::set<std::uint32_t> idle_;
  std::vector<std::uint32_t> waiting_;             ///< by task: the thread in its taskwait, or that is to run it
  std::vector<std::uint64_t> totals_;              ///< of loops
  std::vector<std::vector<std::uint64_t>> dealt_;  ///< of those that are not static: by thread
  std::vector<Ops> implicit_;
  std::deque<std::pair<std::uint32_t, std::uint64_t>> ready_;
  std::vector<std::uint32_t> waits_for_, children_;
  std::vector<std::uint32_t> parent_;  ///< by task: that of the thread that creates it here
  std::vector<bool> created_, taken_;
  std::vector<std::vector<std::uint32_t>> successors_;
  std::unordered_map<std::uint32_t, std::uint64_t> free_at_;
  std::uint64_t outstanding_ = 0;
};

/// A thread leaves such a loop when there is no chunk left: what another does after that is its last chunk.
void take_last_chunks(Loop& loop) {
  std::uint64_t first = 0;
  for (const std::uint64_t left : loop.left)
    if (left != 0 && (first == 0 || left < first)) first = left;
  for (std::size_t rank = 0; rank < std::min(loop.left.size(), loop.by_rank.size()); ++rank)
    if (loop.left[rank] > first) loop.chunks.push_back({first, std::min(loop.left[rank] - first, loop.by_rank[rank])});
}

/// How many sections a thread executed is unknown: one, perhaps.
void take_as_wholes(Loop& sections) {
  for (const std::uint64_t ns : sections.by_rank)
    if (ns != 0) sections.chunks.push_back({0, ns});
}

}  // namespace

void infer_chunks(RegionModel& model) {
  for (Loop& loop : model.loops) {
    if (loop.is_static) continue;
    if (!loop.chunks.empty()) {
      std::stable_sort(loop.chunks.begin(), loop.chunks.end(),
                       [](const Chunk& a, const Chunk& b) { return a.begin < b.begin; });
    } else {
      if (loop.is_sections)
        take_as_wholes(loop);
      else
        take_last_chunks(loop);
      std::stable_sort(loop.chunks.begin(), loop.chunks.end(),
                       [](const Chunk& a, const Chunk& b) { return a.ns > b.ns; });
    }
    if (loop.is_sections) loop.iterations = loop.chunks.size();
  }
}

std::uint64_t simulate(const RegionModel& model, const Conditions& conditions) {
  return Simulation{model, conditions}.run();
}

}  // namespace tracer::report
