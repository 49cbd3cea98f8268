// SPDX-License-Identifier: BSD-3-Clause
// See team_events.hpp.
#include "tracer/translate/write/team_events.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tracer/repeats.hpp"

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

constexpr bool begins_part(const Record& r) noexcept {
  return (r.kind == RecordKind::implicit_task || r.kind == RecordKind::initial_task) && r.endpoint == Endpoint::begin;
}

/// The part of a master of which nothing is told.
const ImplicitInstance nobody{};
/// Of what a limit has ended: its records are still to come, and say nothing more.
const ParallelInstance over = [] {
  ParallelInstance p;
  p.limit = never;
  return p;
}();

}  // namespace

// LLVM reports a worker's end of the join barrier and of its implicit task when the worker is woken
// for its next region or at exit, long after the region is over (13 to 24). What is true is the
// master's time.
Ticks TeamEvents::due_late(const Record& r) const noexcept {
  const Part& i = nest_.parts.back();
  if (!i.parallel || i.parallel->implicit_end == 0 || r.time <= i.parallel->implicit_end) return r.time;
  const bool begins_task = r.kind == RecordKind::task_schedule && r.c != no_id && r.c != i.task.id;
  if (begins_task || is_of_program(r.kind)) return r.time;
  const ParallelInstance& p = *i.parallel;
  if (r.kind == RecordKind::sync_region_wait && p.join_wait_end != 0) return std::min(r.time, p.join_wait_end);
  if (r.kind == RecordKind::sync_region && p.join_end != 0) return std::min(r.time, p.join_end);
  return p.implicit_end;
}

Ticks TeamEvents::on_time_until() const noexcept {
  if (nest_.parts.empty()) return never;
  const Part& i = nest_.parts.back();
  return i.instance->rank != 0 && i.parallel && i.parallel->implicit_end != 0 ? i.parallel->implicit_end : never;
}

void TeamEvents::fork(const Record& r, Nanoseconds t) {
  const ParallelInstance* p = context_.tables.parallel(r.b);
  if (!p) return;      // counted by the scan
  if (p->size == 0) {  // the trace ends right after its begin
    if (!p->in_pause) context_.note(Repair::parallel_without_team);
  } else {
    context_.out.add(t, EventType::thread_fork, 0, std::max(p->requested, p->size), names_.of(*p));
    if (nest_.kind == Nest::ThreadKind::unknown) nest_.kind = Nest::ThreadKind::root;
  }
  nest_.forks.push_back({r.b, p});
}

void TeamEvents::complete_boundary(const Record& r, Nanoseconds t) {
  while (!nest_.forks.empty() && r.kind != RecordKind::parallel_end && !is_neutral(r)) {
    OpenFork& fork = nest_.forks.back();
    if (fork.left) {
      context_.note(Repair::joined_where_thread_goes_on);
      nest_.joined.push_back(fork.id);  // its end is still to be told
      join(t);
      continue;
    }
    if (fork.entered) return;
    const auto own = [&](const ImplicitInstance& i) { return i.parallel == fork.id; };
    if (const ImplicitInstance* next = next_begin(); begins_part(r) && next && own(*next)) return;
    context_.note(Repair::team_begin_of_master_supplied);
    const auto& all = context_.scan().implicits;
    const auto later = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(next_implicit_), all.end(), own);
    enter(later != all.end() ? &*later : &nobody, fork.parallel, t);
    fork.entered = true;
    return;
  }
}

void TeamEvents::join(Nanoseconds t) {
  const OpenFork& fork = nest_.forks.back();
  if (const ParallelInstance* p = fork.parallel; !fork.entered && p->comm != undefined_ref) {
    // The trace ends before the master came to its part of the team.
    context_.note(Repair::team_begin_of_master_supplied);
    context_.out.add(t, EventType::team_begin, p->comm, 0, names_.of(*p));
    regions_.pass(t, {p->codeptr, p->league ? Construct::teams : Construct::parallel, false, 0});
    context_.out.add(t, EventType::team_end, p->comm);
  }
  if (fork.parallel->size != 0) context_.out.add(t, EventType::thread_join, 0);
  nest_.forks.pop_back();
  if (!nest_.is_outside_forked_team()) marks_.write_errors(t);
}

void TeamEvents::join_to(std::size_t forks, Nanoseconds t, Repair why) {
  while (nest_.forks.size() > forks) {
    if (!is_runtimes_own(nest_.forks.back().parallel)) context_.note(why);
    join(t);
  }
}

// The innermost region that this thread began ends, whatever id is given: libomp's join frees the
// team before the callback, so that another thread's region may have overwritten it (seen with 19);
// and GCC's regions inside `teams` end the outer one twice.
void TeamEvents::end_region(const Record& r, Nanoseconds t) {
  auto& joined = nest_.joined;
  if (const auto early = std::find(joined.begin(), joined.end(), r.b); early != joined.end())
    return void(joined.erase(early));
  if (nest_.forks.empty()) return context_.note(Repair::second_end_of_parallel);
  const std::size_t depth = nest_.forks.size() - 1;
  std::size_t keep = nest_.parts.size();
  while (keep > 0 && nest_.parts[keep - 1].forks > depth) --keep;
  end_to(keep, t);
  join(t);
}

/// What the next record of an implicit task's begin is to the tables.
const ImplicitInstance* TeamEvents::next_begin() const {
  const auto& all = context_.scan().implicits;
  const auto next = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(next_implicit_), all.end(),
                                 [](const ImplicitInstance& i) { return !i.synthesized; });
  return next != all.end() ? &*next : nullptr;
}

void TeamEvents::begin_part(const Record& r, Nanoseconds t) {
  const auto is_synthesized = [&r](const Part& i) {
    return i.instance->synthesized && i.instance->task == r.c &&
           (r.kind == RecordKind::initial_task || i.instance->parallel == r.b);
  };
  if (r.c != no_id && std::any_of(nest_.parts.begin(), nest_.parts.end(), is_synthesized)) return;
  const ImplicitInstance* instance = next_begin();
  if (!instance) return;
  next_implicit_ = static_cast<std::size_t>(instance - context_.scan().implicits.data()) + 1;
  const ParallelInstance* p = context_.tables.parallel(instance->parallel);
  if (instance->joins) end_all(t);
  const auto is_open = [instance](const Part& i) { return i.instance == instance; };
  if (std::any_of(nest_.parts.begin(), nest_.parts.end(), is_open)) return;  // see complete_boundary()
  const bool leads = p && tracer::channel_of(instance->parallel) == context_.channel;
  const auto& forks = nest_.forks;
  if (leads && (forks.empty() || forks.back().id != instance->parallel || forks.back().entered)) {
    context_.note(Repair::team_begin_without_region);
    p = nullptr;
  }
  enter(instance, p, t);
}

void TeamEvents::enter(const ImplicitInstance* instance, const ParallelInstance* p, Nanoseconds t) {
  auto& forks = nest_.forks;
  if (p && instance->rank == 0 && !forks.empty() && forks.back().parallel == p) forks.back().entered = true;
  nest_.push(instance, p, forks.size());
  work_.begin_team();
  if (!p || p->comm == undefined_ref) return;
  if (nest_.kind == Nest::ThreadKind::unknown) nest_.kind = Nest::ThreadKind::worker;
  const auto& channels = context_.journal.channels;
  context_.out.attribute(context_.names[Attribute::thread_id],
                         context_.channel < channels.size() ? channels[context_.channel].os_thread_id : 0);
  context_.out.add(t, EventType::team_begin, p->comm, 0, names_.of(*p));
  regions_.enter(t, {p->codeptr, p->league ? Construct::teams : Construct::parallel, false, 0});
  marks_.write_errors(t);
}

void TeamEvents::close_part(Nanoseconds t, bool repaired) {
  Part& i = nest_.parts.back();
  tasks_.close(t, nest_.parts.size(), i.parallel ? i.parallel->comm : undefined_ref);
  nest_.current = &i.task;
  if (i.instance != &nobody && i.parallel != &over)
    end_unstarted(static_cast<std::uint32_t>(i.instance - context_.scan().implicits.data()), t);
  RegionStack& open = i.task.open;
  if (i.parallel && i.parallel->comm != undefined_ref) {
    open.close(context_.out, context_.repairs, t, 1,
               is_runtimes_own(i.parallel) ? std::optional<Repair>() : Repair::region_closed_by_team_end);
    if (!open.empty()) context_.out.add(t, EventType::leave, open.outermost().region);
    context_.out.add(t, EventType::team_end, i.parallel->comm);
    if (repaired && !is_runtimes_own(i.parallel)) context_.note(Repair::team_without_end);
  } else if (!open.hand_ranges_to(i.outer->open)) {  // a range may end behind its thread's initial task
    open.close(context_.out, context_.repairs, t, 0, Repair::region_closed_by_task_end);
  }
  nest_.pop();
}

// The scan knows no limits: what ended here stays in the nest until a record ends it, and is what is around it.
void TeamEvents::end_by_limit(Ticks limit) {
  auto& parts = nest_.parts;
  const Nanoseconds t = context_.clock(limit);
  const auto first = std::find_if(parts.begin(), parts.end(),
                                  [limit](const Part& i) { return i.limit <= limit || i.outer->limit <= limit; });
  const auto keep = static_cast<std::size_t>(first - parts.begin());
  const std::vector<OpenFork> forks = nest_.forks;
  std::vector<std::pair<const ImplicitInstance*, std::size_t>> ended;
  for (auto i = first; i != parts.end(); ++i) ended.emplace_back(i->instance, i->forks);
  end_to(keep, t);
  while (!nest_.forks.empty() && nest_.forks.back().left) join(t);
  tasks_.expire(limit + 1);
  for (std::size_t n = nest_.forks.size(); n < forks.size(); ++n)
    nest_.forks.push_back({forks[n].id, &over, forks[n].entered, forks[n].left});
  for (const auto& [instance, depth] : ended) nest_.push(instance, &over, depth);
}

void TeamEvents::end_unstarted(std::uint32_t creator, Nanoseconds t) {
  const auto& unstarted = context_.plan().unstarted;
  const auto by_creator = [](const auto& entry, std::uint32_t index) { return entry.first < index; };
  auto it = std::lower_bound(unstarted.begin(), unstarted.end(), creator, by_creator);
  for (; it != unstarted.end() && it->first == creator; ++it) {
    context_.note(Repair::task_never_ran);
    tasks_.discard(it->second, never, t);
  }
}

// A worker whose end of the join barrier never came left it with its master.
void TeamEvents::leave_join_barrier(const Part& part, Nanoseconds end) {
  const RegionStack& open = part.task.open;
  if (nest_.current != &part.task || open.size() <= 1 || !is_join(open.inner_construct())) return;
  if (open.inner().wait)
    regions_.leave(std::min(end, context_.clock(part.parallel->join_wait_end)), open.inner_construct(), true);
  if (open.size() > 1 && is_join(open.inner_construct()))
    regions_.leave(std::min(end, context_.clock(part.parallel->join_end)), open.inner_construct(), false);
}

void TeamEvents::end_to(std::size_t depth, Nanoseconds t) {
  while (nest_.parts.size() > depth) {
    const Part& i = nest_.parts.back();
    // A worker whose late end never came (_exit, or the runtime dropped it) left with its master.
    const bool is_late = i.parallel && i.instance->rank != 0 && i.parallel->limit != never;
    const Nanoseconds end = is_late ? std::min(t, context_.clock(i.parallel->limit)) : t;
    join_to(i.forks, end, Repair::parallel_closed_by_outer_end);
    if (is_late) leave_join_barrier(i, end);
    close_part(end, i.parallel != nullptr && !is_late);
  }
}

void TeamEvents::end_all(Nanoseconds t) {
  end_to(0, t);
  join_to(0, t, Repair::parallel_closed_at_end_of_trace);
}

void TeamEvents::end_part(const Record& r, Nanoseconds t) {
  for (std::size_t n = nest_.parts.size(); n-- > 0;) {
    if (nest_.parts[n].task.id != r.c && r.c != no_id) continue;
    if (n + 1 < nest_.parts.size()) end_to(n + 1, t);
    join_to(nest_.parts[n].forks, t, Repair::parallel_closed_by_outer_end);
    return close_part(t, false);
  }
  // The initial thread of libomp's hidden helpers (13 to 16) says only that it ends.
  if (r.kind == RecordKind::initial_task && nest_.parts.empty()) return;
  context_.note(Repair::end_without_begin);
}

}  // namespace tracer::translate
