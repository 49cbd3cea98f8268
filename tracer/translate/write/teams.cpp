// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions and leagues: fork, team begin and end, join - and the ends that come late.
#include <algorithm>

#include "tracer/translate/write/location_translator.hpp"

namespace tracer::translate {
namespace {

/// libomp's hidden helper threads: their team stands nowhere in the program and is still at work at its end.
bool is_runtimes_own(const ParallelInstance* p) noexcept {
  return p && p->codeptr == 0;
}

/// What a thread does only while it runs the program's code: never late, so its team's end was lost.
constexpr bool is_of_program(RecordKind kind) noexcept {
  switch (kind) {
    case RecordKind::mutex_acquire:
    case RecordKind::mutex_acquired:
    case RecordKind::mutex_released:
    case RecordKind::nest_lock:
    case RecordKind::task_create:
    case RecordKind::dispatch:
      return true;
    default:
      return false;
  }
}

}  // namespace

// LLVM reports a worker's end of the join barrier and of its implicit task when the worker is woken
// for its next region or at exit, long after the region is over (13 to 24). What is true is the
// master's time.
Ticks LocationTranslator::due_late(const Record& r) const noexcept {
  const Implicit& i = nest_.back();
  if (!i.parallel || i.parallel->implicit_end == 0 || r.time <= i.parallel->implicit_end) return r.time;
  const bool begins_task = r.kind == RecordKind::task_schedule && r.c != no_id && r.c != i.task.id;
  if (begins_task || is_of_program(r.kind)) return r.time;
  const ParallelInstance& p = *i.parallel;
  if (r.kind == RecordKind::sync_region_wait && p.join_wait_end != 0) return std::min(r.time, p.join_wait_end);
  if (r.kind == RecordKind::sync_region && p.join_end != 0) return std::min(r.time, p.join_end);
  return p.implicit_end;
}

namespace {
/// The part of a master of which nothing is told.
const ImplicitInstance nobody{};
/// Of what a limit has ended: its records are still to come, and say nothing more.
const ParallelInstance over = [] {
  ParallelInstance p;
  p.limit = never;
  return p;
}();
}  // namespace

void LocationTranslator::parallel_begin(const Record& r, Nanoseconds t) {
  const ParallelInstance* p = tables_.parallel(r.b);
  if (!p) return;      // counted by the scan
  if (p->size == 0) {  // the trace ends right after its begin
    if (!p->in_pause) note(Repair::parallel_without_team);
  } else {
    out_.add(t, EventType::thread_fork, 0, std::max(p->requested, p->size), name_of(*p));
    if (kind_ == ThreadKind::unknown) kind_ = ThreadKind::root;
  }
  forks_.push_back({r.b, p});
}

// A fork and its team's begin are one to a reader, as are its end and the join: no event may come between.
void LocationTranslator::complete_team_boundary(const Record& r, Nanoseconds t) {
  const bool begins =
      (r.kind == RecordKind::implicit_task || r.kind == RecordKind::initial_task) && r.endpoint == Endpoint::begin;
  while (!forks_.empty() && r.kind != RecordKind::parallel_end && !is_neutral(r)) {
    OpenFork& fork = forks_.back();
    if (fork.left) {
      note(Repair::joined_where_thread_goes_on);
      join_early(t);
      continue;
    }
    if (fork.entered) return;
    const auto own = [&](const ImplicitInstance& i) { return i.parallel == fork.id; };
    if (const ImplicitInstance* next = next_begin(); begins && next && own(*next)) return;
    note(Repair::team_begin_of_master_supplied);
    const auto later =
        std::find_if(scan_.implicits.begin() + static_cast<std::ptrdiff_t>(next_implicit_), scan_.implicits.end(), own);
    enter_team(later != scan_.implicits.end() ? &*later : &nobody, fork.parallel, t);
    fork.entered = true;
    return;
  }
}

/// Its end is still to be told.
void LocationTranslator::join_early(Nanoseconds t) {
  joined_.push_back(forks_.back().id);
  join(t);
}

void LocationTranslator::join(Nanoseconds t) {
  if (const ParallelInstance* p = forks_.back().parallel; !forks_.back().entered && p->comm != undefined_ref) {
    // The trace ends before the master came to its part of the team.
    note(Repair::team_begin_of_master_supplied);
    out_.add(t, EventType::team_begin, p->comm, 0, name_of(*p));
    pass(t, {p->codeptr, p->league ? Construct::teams : Construct::parallel, false, 0});
    out_.add(t, EventType::team_end, p->comm);
  }
  if (forks_.back().parallel->size != 0) out_.add(t, EventType::thread_join, 0);
  forks_.pop_back();
  if (!errors_.empty() && !is_outside_forked_team()) write_errors(t);
}

// The innermost region that this thread began ends, whatever id is given: libomp's join frees the
// team before the callback, so that another thread's region may have overwritten it (seen with 19);
// and GCC's regions inside `teams` end the outer one twice.
void LocationTranslator::parallel_end(const Record& r, Nanoseconds t) {
  if (const auto early = std::find(joined_.begin(), joined_.end(), r.b); early != joined_.end())
    return void(joined_.erase(early));
  if (forks_.empty()) return note(Repair::second_end_of_parallel);
  const std::size_t depth = forks_.size() - 1;
  std::size_t keep = nest_.size();
  while (keep > 0 && nest_[keep - 1].forks > depth) --keep;
  drop_implicits_to(keep, t);
  join(t);
}

/// What the next record of an implicit task's begin is to the tables.
const ImplicitInstance* LocationTranslator::next_begin() const {
  const auto next = std::find_if(scan_.implicits.begin() + static_cast<std::ptrdiff_t>(next_implicit_),
                                 scan_.implicits.end(), [](const ImplicitInstance& i) { return !i.synthesized; });
  return next != scan_.implicits.end() ? &*next : nullptr;
}

void LocationTranslator::implicit_begin(const Record& r, Nanoseconds t) {
  const auto is_synthesized = [&r](const Implicit& i) {
    return i.instance->synthesized && i.instance->task == r.c &&
           (r.kind == RecordKind::initial_task || i.instance->parallel == r.b);
  };
  if (r.c != no_id && std::any_of(nest_.begin(), nest_.end(), is_synthesized)) return;
  const ImplicitInstance* instance = next_begin();
  if (!instance) return;
  next_implicit_ = static_cast<std::size_t>(instance - scan_.implicits.data()) + 1;
  const ParallelInstance* p = tables_.parallel(instance->parallel);
  if (instance->joins) drop_all(t);
  const auto is_open = [instance](const Implicit& i) { return i.instance == instance; };
  if (std::any_of(nest_.begin(), nest_.end(), is_open)) return;  // synthesized, see complete_team_boundary()
  const bool leads = p && tracer::channel_of(instance->parallel) == channel_;
  if (leads && (forks_.empty() || forks_.back().id != instance->parallel || forks_.back().entered)) {
    note(Repair::team_begin_without_region);
    p = nullptr;
  }
  enter_team(instance, p, t);
}

void LocationTranslator::push_implicit(const ImplicitInstance* instance, const ParallelInstance* p, std::size_t forks) {
  Ticks limit = nest_.empty() ? never : nest_.back().limit;
  if (p && instance->rank != 0) limit = std::min(limit, p->limit);
  Implicit i{instance, p, {}, current_, forks, limit};
  i.task.id = instance->task;
  static_cast<TaskName&>(i.task) = *current_;  // without a team of its own it goes on as what is around it
  if (p && p->comm != undefined_ref) static_cast<TaskName&>(i.task) = {p->comm, instance->rank, 0};
  nest_.push_back(std::move(i));
  limit_ = std::min(expiry_, limit);
  current_ = &nest_.back().task;
}

void LocationTranslator::enter_team(const ImplicitInstance* instance, const ParallelInstance* p, Nanoseconds t) {
  if (p && instance->rank == 0 && !forks_.empty() && forks_.back().parallel == p) forks_.back().entered = true;
  push_implicit(instance, p, forks_.size());
  loop_codeptr_ = 0;
  if (!p || p->comm == undefined_ref) return;
  if (kind_ == ThreadKind::unknown) kind_ = ThreadKind::worker;
  out_.attribute(names_[Attribute::thread_id],
                 channel_ < journal_.channels.size() ? journal_.channels[channel_].os_thread_id : 0);
  out_.add(t, EventType::team_begin, p->comm, 0, name_of(*p));
  enter(t, {p->codeptr, p->league ? Construct::teams : Construct::parallel, false, 0});
  write_errors(t);
}

void LocationTranslator::close_implicit(Nanoseconds t, bool repaired) {
  Implicit& i = nest_.back();
  close_tasks(t, nest_.size(), i.parallel ? i.parallel->comm : undefined_ref);
  current_ = &i.task;
  if (i.instance != &nobody && i.parallel != &over)
    end_unstarted(static_cast<std::uint32_t>(i.instance - scan_.implicits.data()), t);
  if (i.parallel && i.parallel->comm != undefined_ref) {
    close_open(i.task, t, 1, is_runtimes_own(i.parallel) ? std::optional<Repair>() : Repair::region_closed_by_team_end);
    if (!i.task.open.empty()) out_.add(t, EventType::leave, i.task.open.front().region);
    out_.add(t, EventType::team_end, i.parallel->comm);
    if (repaired && !is_runtimes_own(i.parallel)) note(Repair::team_without_end);
  } else {
    close_open(i.task, t, 0, Repair::region_closed_by_task_end);
  }
  current_ = i.outer;
  if (i.parallel && i.instance->rank == 0 && !forks_.empty() && forks_.back().parallel == i.parallel)
    forks_.back().left = true;
  nest_.pop_back();
  limit_ = std::min(expiry_, nest_.empty() ? never : nest_.back().limit);
}

// A task's end may be told after the barrier that waited for it: its time is the barrier's then. What else comes so
// late (a damaged trace) comes after the team.
Ticks LocationTranslator::past_limit(const Record& r, Ticks when) {
  // The late end of a task. From any other the thread comes where records are missing.
  if (r.kind == RecordKind::task_schedule && in_task() && r.b == current_->id) return limit_;
  pass_limits(when);
  return due(r);
}

// One after the other, each with what was due before it. The first pass knows no limits: what ended here stays in nest_
// and forks_ until a record ends it, and is what is around it.
void LocationTranslator::pass_limits(Ticks when) {
  while (limit_ < when) {
    const Ticks limit = limit_;
    release_implied(limit, nullptr);
    if (is_at_team_boundary()) complete_team_boundary(Record{}, std::max(clock_(limit), out_.last()));
    toggle(limit);
    const auto first = std::find_if(nest_.begin(), nest_.end(),
                                    [limit](const Implicit& i) { return i.limit <= limit || i.outer->limit <= limit; });
    const auto keep = static_cast<std::size_t>(first - nest_.begin());
    const std::vector<OpenFork> forks = forks_;
    std::vector<std::pair<const ImplicitInstance*, std::size_t>> ended;
    for (auto i = first; i != nest_.end(); ++i) ended.emplace_back(i->instance, i->forks);
    drop_implicits_to(keep, clock_(limit));
    while (!forks_.empty() && forks_.back().left) join(clock_(limit));
    expire(limit + 1);
    for (std::size_t n = forks_.size(); n < forks.size(); ++n)
      forks_.push_back({forks[n].id, &over, forks[n].entered, forks[n].left});
    for (const auto& [instance, depth] : ended) push_implicit(instance, &over, depth);
  }
}

bool LocationTranslator::is_outside_teams() const {
  return kind_ == ThreadKind::worker && std::none_of(nest_.begin(), nest_.end(), [](const Implicit& i) {
           return i.parallel && i.parallel->comm != undefined_ref;
         });
}

void LocationTranslator::end_unstarted(std::uint32_t creator, Nanoseconds t) {
  const auto by_creator = [](const auto& entry, std::uint32_t index) { return entry.first < index; };
  auto it = std::lower_bound(plan_.unstarted.begin(), plan_.unstarted.end(), creator, by_creator);
  for (; it != plan_.unstarted.end() && it->first == creator; ++it) {
    note(Repair::task_never_ran);
    discard(it->second, never, t);
  }
}

void LocationTranslator::drop_implicits_to(std::size_t depth, Nanoseconds t) {
  while (nest_.size() > depth) {
    const Implicit& i = nest_.back();
    Nanoseconds end = t;
    const std::size_t forks = i.forks;
    bool repaired = i.parallel != nullptr;
    // A worker whose late end never came (_exit, or the runtime dropped it) left with its master.
    const bool is_late = i.parallel && i.instance->rank != 0 && i.parallel->limit != never;
    if (is_late) end = std::min(t, clock_(i.parallel->limit));
    while (forks_.size() > forks) {
      if (!is_runtimes_own(forks_.back().parallel)) note(Repair::parallel_closed_by_outer_end);
      join(end);
    }
    if (is_late) {
      repaired = false;
      const auto& open = i.task.open;
      if (current_ == &i.task && open.size() > 1 && is_join(open.back().construct)) {
        if (open.back().wait) leave(std::min(end, clock_(i.parallel->join_wait_end)), open.back().construct, true);
        if (i.task.open.size() > 1 && is_join(i.task.open.back().construct))
          leave(std::min(end, clock_(i.parallel->join_end)), i.task.open.back().construct, false);
      }
    }
    close_implicit(end, repaired);
  }
}

void LocationTranslator::drop_all(Nanoseconds t) {
  drop_implicits_to(0, t);
  while (!forks_.empty()) {
    if (!is_runtimes_own(forks_.back().parallel)) note(Repair::parallel_closed_at_end_of_trace);
    join(t);
  }
}

void LocationTranslator::implicit_end(const Record& r, Nanoseconds t) {
  for (std::size_t n = nest_.size(); n-- > 0;) {
    if (nest_[n].task.id != r.c && r.c != no_id) continue;
    if (n + 1 < nest_.size()) drop_implicits_to(n + 1, t);
    while (forks_.size() > nest_[n].forks) {
      if (!is_runtimes_own(forks_.back().parallel)) note(Repair::parallel_closed_by_outer_end);
      join(t);
    }
    return close_implicit(t, false);
  }
  // The initial thread of libomp's hidden helpers (13 to 16) says only that it ends.
  if (r.kind == RecordKind::initial_task && nest_.empty()) return;
  note(Repair::end_without_begin);
}

}  // namespace tracer::translate
