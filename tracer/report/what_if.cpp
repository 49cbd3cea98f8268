// SPDX-License-Identifier: BSD-3-Clause
// Each execution of a parallel region becomes lists of operations - work, loops, locks, tasks, barriers - that
// simulated threads carry out, whoever is earliest first.
#include "tracer/report/what_if.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>

#include "tracer/report/account.hpp"
#include "tracer/report/replay.hpp"

namespace tracer::report {
namespace {

enum class Do : std::uint8_t { work, create, wait, barrier, loop, single, lock };

struct Op {
  Do what = Do::work;
  std::uint32_t index = 0;  ///< of the task, loop, single, or lock
  std::uint64_t ns = 0;     ///< of work, or under the lock
};
using Ops = std::vector<Op>;

struct Held {
  std::uint32_t lock;
  std::uint64_t ns;
};

/// One execution of a worksharing loop (or sections) by a team.
struct Loop {
  RegionRef region = undefined_ref;
  std::vector<std::uint64_t> by_rank;  ///< work of each recorded thread
  std::vector<Held> locks;
  bool is_static = true;
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t ns : by_rank) sum += ns;
    return sum;
  }
};

struct Single {
  Ops ops;  ///< of whoever executed it
};

struct TaskModel {
  Ops ops;
  std::uint32_t parent = 0;  ///< in `tasks`
  std::vector<std::uint32_t> after;
};

/// One execution of a parallel region. The first `size` tasks are the implicit ones.
struct RegionModel {
  RegionRef region = undefined_ref;
  std::uint32_t size = 0;
  std::vector<TaskModel> tasks;
  std::vector<Loop> loops;
  std::vector<Single> singles;
};

struct Settings {
  std::uint32_t threads = 0;
  std::vector<bool> balanced;  ///< by region
  std::vector<bool> without;   ///< by lock: nobody waits for it
  std::uint64_t task_overhead = 0;
};

/// The part of a loop that thread `j` of `n` gets, when what each recorded thread did lies evenly in its part of the
/// iterations.
std::uint64_t share_of(const Loop& loop, std::uint32_t j, std::uint32_t n, bool even) {
  const std::uint64_t total = loop.total();
  if (even || !loop.is_static || loop.by_rank.empty()) return total / n;
  const auto recorded = static_cast<double>(loop.by_rank.size());
  const double from = j * recorded / n, to = (j + 1) * recorded / n;
  double sum = 0;
  for (std::size_t r = 0; r < loop.by_rank.size(); ++r) {
    const double low = std::max(from, static_cast<double>(r)), high = std::min(to, static_cast<double>(r) + 1);
    if (high > low) sum += (high - low) * static_cast<double>(loop.by_rank[r]);
  }
  return static_cast<std::uint64_t>(sum);
}

class Simulation {
 public:
  Simulation(const RegionModel& model, const Settings& settings)
      : model_{model}, settings_{settings}, n_{settings.threads != 0 ? settings.threads : std::max(1u, model.size)} {}

  /// Time from the region's start to the end of the last thread.
  std::uint64_t run() {
    prepare();
    for (;;) {
      Thread* next = nullptr;
      for (Thread& thread : threads_)
        if (!thread.done && !thread.idle && (!next || thread.now < next->now)) next = &thread;
      if (!next) {
        if (!release_barrier()) break;
        continue;
      }
      step(*next);
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
    children_.assign(tasks, 0);
    complete_.assign(tasks, false);
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
          if (op.what == Do::create || op.what == Do::lock || op.what == Do::wait) continue;
          implicit_[j].push_back(op.what == Do::work ? Op{Do::work, 0, 0} : op);
        }
      }
    }
    for (std::uint32_t r = n_; r < model_.size; ++r) move_creations(model_.tasks[r].ops, implicit_[r % n_]);
    for (std::uint32_t j = 0; j < n_; ++j) {
      threads_[j].rank = j;
      threads_[j].stack.push_back({j < model_.size ? j : 0, &implicit_[j]});
    }
  }
  static void move_creations(const Ops& from, Ops& to) {
    Ops extra;
    for (const Op& op : from)
      if (op.what == Do::create || op.what == Do::lock) extra.push_back(op);
    const auto end = std::find_if(to.begin(), to.end(), [](const Op& op) { return op.what == Do::barrier; });
    to.insert(end, extra.begin(), extra.end());
  }

  void wake(std::uint64_t when) {
    for (Thread& thread : threads_) {
      if (!thread.idle) continue;
      thread.idle = false;
      thread.now = std::max(thread.now, when);
    }
  }

  bool take_task(Thread& thread) {
    if (ready_.empty()) return false;
    const auto [task, when] = ready_.front();
    ready_.pop_front();
    thread.now = std::max(thread.now, when) + settings_.task_overhead;
    thread.stack.push_back({task, &model_.tasks[task].ops});
    return true;
  }

  void finish_task(std::uint32_t task, std::uint64_t when) {
    complete_[task] = true;
    --outstanding_;
    --children_[model_.tasks[task].parent];
    for (const std::uint32_t next : successors_[task])
      if (--waits_for_[next] == 0 && created_[next]) ready_.emplace_back(next, when);
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
      const bool is_task = top.ops == &model_.tasks[task].ops;
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
        created_[op.index] = true;
        ++outstanding_;
        ++children_[model_.tasks[op.index].parent];
        if (waits_for_[op.index] == 0) ready_.emplace_back(op.index, thread.now);
        wake(thread.now);
        return;
      case Do::wait:
        if (children_[top.task] == 0) {
          ++top.at;
        } else if (!take_task(thread)) {
          thread.idle = true;
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
        const bool waits = op.index >= settings_.without.size() || !settings_.without[op.index];
        if (waits) thread.now = std::max(thread.now, free);
        thread.now += op.ns;
        if (waits) free = thread.now;
        return;
      }
    }
  }

  void expand(const Loop& loop, std::uint32_t rank, Ops& ops) const {
    const bool even = loop.region < settings_.balanced.size() && settings_.balanced[loop.region];
    const std::uint64_t work = share_of(loop, rank, n_, even);
    std::vector<Held> mine;
    for (std::size_t i = rank; i < loop.locks.size(); i += n_) mine.push_back(loop.locks[i]);
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
    }
    return any;
  }

  const RegionModel& model_;
  const Settings& settings_;
  const std::uint32_t n_;
  std::vector<Thread> threads_;
  std::vector<Ops> implicit_;
  std::deque<std::pair<std::uint32_t, std::uint64_t>> ready_;
  std::vector<std::uint32_t> waits_for_, children_;
  std::vector<bool> complete_, created_, taken_;
  std::vector<std::vector<std::uint32_t>> successors_;
  std::unordered_map<std::uint32_t, std::uint64_t> free_at_;
  std::uint64_t outstanding_ = 0;
};

class Modeller final : public Observer {
 public:
  Modeller(const Definitions& definitions, const Replay& replay, const std::vector<Scenario>& scenarios,
           std::uint64_t task_overhead)
      : definitions_{definitions}, replay_{replay}, task_overhead_{task_overhead}, in_regions_(scenarios.size() + 1) {
    states_.resize(definitions.locations.size());
    matched_.assign(scenarios.size() + 1, false);
    for (std::size_t i = 0; i < definitions.parameters.size(); ++i)
      if (definitions.parameters[i].name == "schedule") schedule_ = static_cast<std::uint32_t>(i);
    Scenario as_recorded;
    all_.push_back(as_recorded);
    all_.insert(all_.end(), scenarios.begin(), scenarios.end());
    for (std::size_t s = 0; s < all_.size(); ++s) {
      std::vector<bool>& balanced = balanced_.emplace_back(definitions.regions.size());
      for (std::size_t r = 0; r < balanced.size(); ++r)
        balanced[r] = !all_[s].balanced.empty() && names(r, all_[s].balanced);
      locks_.emplace_back();
    }
  }

  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override {
    State& state = states_[location];
    const auto& stack = replay_.location(location).current->stack;
    if (event.type == EventType::parameter_string && event.ref == schedule_ && event.a < definitions_.strings.size() &&
        state.loop != none) {
      const std::string& schedule = definitions_.strings[event.a];
      if (state.model) state.model->loops[state.loop].is_static = schedule == "static" || schedule == "unknown";
    }
    if (event.type == EventType::acquire_lock) {
      const auto [found, is_new] = lock_numbers_.try_emplace(event.a, static_cast<std::uint32_t>(lock_numbers_.size()));
      if (is_new) {
        for (std::size_t s = 0; s < all_.size(); ++s) {
          const bool without =
              !all_[s].without_lock.empty() && !stack.empty() && names(stack.back().region, all_[s].without_lock);
          locks_[s].push_back(without);
          if (without) matched_[s] = true;
        }
      }
      state.lock = found->second;
      state.held = 0;
      state.holds = true;
    } else if (event.type == EventType::release_lock && state.holds) {
      state.holds = false;
      if (state.model && state.held > 0) {
        if (state.loop != none) {
          state.model->loops[state.loop].locks.push_back({state.lock, state.held});
        } else {
          put(state, *replay_.location(location).current, {Do::lock, state.lock, state.held});
        }
      }
    }
  }

  void interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) override {
    State& state = states_[location];
    if (!state.model || (activity != Activity::work && activity != Activity::runtime && activity != Activity::device))
      return;
    if (replay_.location(location).contexts.size() != state.depth) return;  // inside a nested team: its wall counts
    const std::uint64_t ns = to - from;
    if (state.holds) {
      state.held += ns;
    } else if (state.loop != none && !task.is_explicit) {
      state.model->loops[state.loop].by_rank[state.rank] += ns;
    } else {
      Ops* ops = ops_of(state, task);
      if (!ops) return;
      if (!ops->empty() && ops->back().what == Do::work) {
        ops->back().ns += ns;
      } else {
        ops->push_back({Do::work, 0, ns});
      }
    }
  }

  void enter(LocationRef location, Task& task, const Frame& frame) override {
    State& state = states_[location];
    if (!state.model || replay_.location(location).contexts.size() != state.depth) return;
    const Construct construct = replay_.classes()[frame.region].construct;
    if (construct == Construct::task_wait || construct == Construct::task_group) {
      if (!nested_wait(task)) put(state, task, {Do::wait, 0, 0});
      return;
    }
    if (task.is_explicit) return;
    RegionModel& model = *state.model;
    switch (construct) {
      case Construct::barrier:
      case Construct::implicit_barrier:
        if (!nested_wait(task)) put(state, task, {Do::barrier, 0, 0});
        break;
      case Construct::loop:
      case Construct::sections:
      case Construct::workshare: {
        const std::uint32_t number = state.loops++;
        if (model.loops.size() <= number) model.loops.resize(number + 1);
        Loop& loop = model.loops[number];
        loop.region = frame.region;
        loop.is_static = loop.is_static && construct == Construct::loop;
        loop.by_rank.resize(model.size);
        put(state, task, {Do::loop, number, 0});
        state.loop = number;
        state.loop_region = frame.region;
        mark(frame.region);
        break;
      }
      case Construct::single: {
        const std::uint32_t number = state.singles++;
        if (model.singles.size() <= number) model.singles.resize(number + 1);
        put(state, task, {Do::single, number, 0});
        state.single = number;
        state.single_region = frame.region;
        break;
      }
      default:
        break;
    }
  }

  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t) override {
    State& state = states_[location];
    if (task.is_explicit || !state.model) return;
    if (state.loop != none && frame.region == state.loop_region) state.loop = none;
    if (state.single != none && frame.region == state.single_region) state.single = none;
  }

  void task_created(LocationRef location, Task& creator, Task& task) override {
    State& state = states_[location];
    if (!state.model) return;
    ++tasks_;
    const auto parent = state.numbers->find(&creator);
    const auto number = static_cast<std::uint32_t>(state.model->tasks.size());
    TaskModel& made = state.model->tasks.emplace_back();
    made.parent = parent == state.numbers->end() ? state.rank : parent->second;
    (*state.numbers)[&task] = number;
    put(state, creator, {Do::create, number, 0});
  }

  void task_dependence(Task& source, Task& sink) override {
    if (!sink.team) return;
    const auto team = teams_.find(sink.team);
    if (team == teams_.end()) return;
    const auto from = team->second->numbers.find(&source), to = team->second->numbers.find(&sink);
    if (from == team->second->numbers.end() || to == team->second->numbers.end()) return;
    team->second->model.tasks[to->second].after.push_back(from->second);
  }

  void team_begun(LocationRef location, Team& team, Task& implicit) override {
    State& state = states_[location];
    if (replay_.location(location).contexts.size() != 1) {  // a nested one
      state.nested_from = state.nested_from == 0 ? team.begin : state.nested_from;
      return;
    }
    auto& known = teams_[&team];
    if (!known) {
      known = std::make_shared<Known>();
      known->model.size = std::max<std::uint32_t>(team.size, 1);
      known->model.tasks.resize(known->model.size);
    }
    largest_ = std::max(largest_, known->model.size);
    const std::uint32_t rank = known->arrived++;
    if (rank >= known->model.size) return;
    state = State{};
    state.known = known;
    state.model = &known->model;
    state.numbers = &known->numbers;
    state.rank = rank;
    state.depth = 1;
    known->numbers[&implicit] = rank;
  }

  void team_left(LocationRef location, Team& team, Task&) override {
    State& state = states_[location];
    if (replay_.location(location).contexts.empty()) {
      state = State{};
    } else if (state.model && location == team.master && replay_.location(location).contexts.size() == 1) {
      // What a nested team took is work of the thread that began it.
      Ops* ops = ops_of(state, *replay_.location(location).contexts.back().implicit);
      if (ops && team.end > team.begin) ops->push_back({Do::work, 0, team.end - team.begin});
    }
  }

  void team_ended(Team& team) override {
    const auto found = teams_.find(&team);
    if (found == teams_.end()) return;
    const RegionModel& model = found->second->model;
    recorded_in_regions_ += team.end - team.begin;
    for (std::size_t s = 0; s < all_.size(); ++s) {
      Settings settings;
      settings.threads = model.size == 1 && s == 0 ? 1 : all_[s].threads;
      settings.balanced = balanced_[s];
      settings.without = locks_[s];
      settings.task_overhead =
          all_[s].task_overhead >= 0 ? static_cast<std::uint64_t>(all_[s].task_overhead) : task_overhead_;
      in_regions_[s] += Simulation{model, settings}.run();
    }
    teams_.erase(found);
  }

  void fill(WhatIf& result, std::uint64_t first, std::uint64_t last) const {
    result.recorded = last - std::min(first, last);
    result.serial = result.recorded - std::min(result.recorded, recorded_in_regions_);
    result.threads = largest_;
    result.baseline.wall = result.serial + in_regions_[0];
    for (std::size_t s = 1; s < all_.size(); ++s) {
      Prediction prediction;
      prediction.scenario = all_[s];
      prediction.wall = result.serial + in_regions_[s];
      prediction.matched = matched_[s] || (all_[s].balanced.empty() && all_[s].without_lock.empty());
      result.predictions.push_back(prediction);
    }
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Known {
    RegionModel model;
    std::unordered_map<const Task*, std::uint32_t> numbers;
    std::uint32_t arrived = 0;
  };
  struct State {
    std::shared_ptr<Known> known;
    RegionModel* model = nullptr;
    std::unordered_map<const Task*, std::uint32_t>* numbers = nullptr;
    std::uint32_t rank = 0, loops = 0, singles = 0, loop = none, single = none, lock = 0;
    RegionRef loop_region = undefined_ref, single_region = undefined_ref;
    std::size_t depth = 0;
    bool holds = false;
    std::uint64_t held = 0, nested_from = 0;
  };

  /// Whether a region's name, or its file and line, is meant by `text`.
  bool names(std::size_t region, const std::string& text) const {
    const Region& known = definitions_.regions[region];
    const std::string place = known.source_file + ":" + std::to_string(known.begin_line);
    return known.name.find(text) != std::string::npos || place == text ||
           (place.size() > text.size() && place.ends_with(text) && place[place.size() - text.size() - 1] == '/');
  }
  void mark(RegionRef region) {
    for (std::size_t s = 0; s < all_.size(); ++s)
      if (region < balanced_[s].size() && balanced_[s][region]) matched_[s] = true;
  }
  /// The runtime tells of a wait and of the waiting in it: one is enough.
  bool nested_wait(const Task& task) const {
    if (task.stack.size() < 2) return false;
    const Construct outer = replay_.classes()[task.stack[task.stack.size() - 2].region].construct;
    return outer == Construct::barrier || outer == Construct::implicit_barrier || outer == Construct::task_wait ||
           outer == Construct::task_group;
  }
  Ops* ops_of(State& state, const Task& task) {
    const auto number = state.numbers->find(&task);
    if (number == state.numbers->end()) return nullptr;
    if (!task.is_explicit && state.single != none) return &state.model->singles[state.single].ops;
    return &state.model->tasks[number->second].ops;
  }
  void put(State& state, const Task& task, Op op) {
    if (Ops* ops = ops_of(state, task)) ops->push_back(op);
  }

  const Definitions& definitions_;
  const Replay& replay_;
  const std::uint64_t task_overhead_;  ///< ns of each task, as recorded
  std::vector<Scenario> all_;
  std::vector<std::vector<bool>> balanced_, locks_;
  std::vector<bool> matched_;
  std::vector<std::uint64_t> in_regions_;
  std::vector<State> states_;
  std::unordered_map<const Team*, std::shared_ptr<Known>> teams_;
  std::map<std::uint64_t, std::uint32_t> lock_numbers_;
  std::uint64_t recorded_in_regions_ = 0, tasks_ = 0;
  std::uint32_t largest_ = 0, schedule_ = undefined_ref;
};

class Counting final : public Observer {
 public:
  Counting(std::uint64_t total, const std::function<void(double)>& progress) : total_{total}, progress_{progress} {}
  void event(LocationRef, const Event&, std::span<const EventAttribute>) override {
    if (++count_ % (1 << 18) == 0 && progress_ && total_ != 0)
      progress_(static_cast<double>(count_) / static_cast<double>(total_));
  }

 private:
  std::uint64_t total_, count_ = 0;
  const std::function<void(double)>& progress_;
};

/// What a task cost beside its work, by the account: a pass of its own, for programs with tasks only.
std::uint64_t recorded_task_overhead(EventSource& source) {
  const auto& regions = source.definitions().regions;
  if (std::none_of(regions.begin(), regions.end(),
                   [](const Region& region) { return region.role == RegionRole::task_create; }))
    return 0;
  Replay replay{source.definitions()};
  Accountant accountant{source.definitions(), replay};
  replay.add(accountant);
  source.read(replay);
  replay.finish();
  const Account account = accountant.account();
  return account.tasks == 0 ? 0 : account.at(Place::tasking) / account.tasks;
}

}  // namespace

WhatIf what_if(EventSource& source, const std::vector<Scenario>& scenarios,
               const std::function<void(double)>& progress) {
  Replay replay{source.definitions()};
  Modeller modeller{source.definitions(), replay, scenarios, recorded_task_overhead(source)};
  Counting ticks{source.number_of_events(), progress};
  replay.add(modeller);
  replay.add(ticks);
  source.read(replay);
  replay.finish();
  WhatIf result;
  if (replay.events() != 0) modeller.fill(result, replay.first(), replay.last());
  return result;
}

}  // namespace tracer::report
