// SPDX-License-Identifier: BSD-3-Clause
// See team_course.hpp.
#include "tracer/translate/resolve/course/team_course.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tracer::translate {
namespace {

/// libomp's hidden helper threads: their team stands nowhere in the program and is still at work at its end.
bool is_runtimes_own(const ParallelInstance* p) noexcept {
  return p && p->codeptr == 0;
}

/// The part of a master without records.
const ImplicitInstance nobody{};
/// Of what a limit has ended: its records are still to come, and add nothing.
const ParallelInstance over = [] {
  ParallelInstance p;
  p.limit = never;
  return p;
}();
/// A region that the tables do not have.
const ParallelInstance unknown{};

}  // namespace

/// When parts and regions end that no record ends: all at once, or from within.
class TeamCourse::EndTimes {
 public:
  explicit EndTimes(Nanoseconds t, unsigned levels = 0) : t_(t), levels_(levels) {}
  Nanoseconds of_part(const ParallelInstance* p) const { return t_ + 2 * around(p); }
  Nanoseconds of_join(const ParallelInstance* p) const { return t_ + 2 * around(p) + (levels_ != 0 ? 1 : 0); }
  Nanoseconds last() const { return t_ + 2 * Nanoseconds{levels_}; }

 private:
  Nanoseconds around(const ParallelInstance* p) const {
    return p ? levels_ - std::min<unsigned>(levels_, p->depth) : levels_;
  }

  Nanoseconds t_;
  unsigned levels_;
};

void TeamCourse::parallel(const Record& r, Nanoseconds t) {
  now_ = t;
  if (r.kind == RecordKind::parallel_begin)
    nesting_.parallel_begin(r);  // what is none was counted by the scan
  else
    nesting_.parallel_end(r);
}

void TeamCourse::part(const Record& r, Nanoseconds t) {
  now_ = t;
  r.endpoint == Endpoint::begin ? nesting_.part_begin(r) : nesting_.part_end(r);
}

void TeamCourse::forked(const Record& r) {
  const ParallelInstance* p = view_.tables.parallel(r.b);
  if (!p) {
    p = &unknown;
  } else if (p->size == 0) {  // the trace ends right after its begin
    if (!p->in_pause) view_.note(Repair::parallel_without_team);
  } else {
    listener_.forked(std::max(p->requested, p->size), now_);
    if (nest_.kind == Nest::ThreadKind::unknown) nest_.kind = Nest::ThreadKind::root;
  }
  nest_.forks.push_back({r.b, p});
}

void TeamCourse::begun(const PartBegin& part, const Record&) {
  const ImplicitInstance& instance = view_.scan().implicits[next_implicit_++];
  if (!part.own) return enter(&instance, view_.tables.parallel(instance.parallel), false, now_);
  if (nest_.forks.back().entered) {  // by complete_boundary()
    nest_.parts.back().task.id = instance.task;
    return;
  }
  if (part.synthesized) view_.note(Repair::team_begin_of_master_supplied);
  enter_own(&instance, now_);
}

// A part that is in no team, as was decided, leaves the region the team of its fork all the same.
void TeamCourse::enter_own(const ImplicitInstance* instance, Nanoseconds t) {
  const ParallelInstance* const team = nest_.forks.back().parallel;
  const bool is_member = view_.tables.parallel(instance->parallel) == team;
  enter(is_member ? instance : &nobody, team, true, t);
  if (!is_member) nest_.parts.back().task.id = instance->task;
}

void TeamCourse::complete_boundary(Nanoseconds t) {
  if (!nest_.is_at_team_boundary()) return;
  const OpenFork fork = nest_.forks.back();
  if (!fork.entered) {
    // What the channel begins next is this fork's part: whatever else came would have completed it before.
    const auto& all = view_.scan().implicits;
    const bool is_next = next_implicit_ < all.size() && all[next_implicit_].parallel == fork.id;
    view_.note(Repair::team_begin_of_master_supplied);
    return enter_own(is_next ? &all[next_implicit_] : &nobody, t);
  }
  view_.note(Repair::joined_where_thread_goes_on);
  join(t);
  nest_.forks.push_back({fork.id, &over, true, true, true});  // until that is recorded
}

void TeamCourse::ended(EndCause cause, const Record&) {
  if (cause == EndCause::recorded) return close_part(now_, false);
  end_unreported_part(now_);
}

void TeamCourse::joined(EndCause cause, const Record&) {
  while (!nest_.parts.empty() && nest_.parts.back().forks >= nest_.forks.size())
    end_unreported_part(now_);  // complete_boundary()
  const OpenFork& fork = nest_.forks.back();
  if (fork.joined) return nest_.forks.pop_back();
  Nanoseconds t = now_;
  if (cause == EndCause::around_ends_unreported && !nest_.parts.empty()) t = left_by(nest_.parts.back(), t);
  if (cause == EndCause::thread_goes_on) {
    view_.note(Repair::joined_where_thread_goes_on);
  } else if (cause != EndCause::recorded && !is_runtimes_own(fork.parallel)) {
    view_.note(nest_.parts.empty() ? Repair::parallel_closed_at_end_of_trace : Repair::parallel_closed_by_outer_end);
  }
  join(t);
}

void TeamCourse::ignored(const Record& r) {
  if (r.kind == RecordKind::parallel_end) return view_.note(Repair::second_end_of_parallel);
  // The initial thread of libomp's hidden helpers (13 to 16) records only its end.
  if (r.kind == RecordKind::initial_task && nest_.parts.empty()) return;
  view_.note(Repair::end_without_begin);
}

void TeamCourse::join(Nanoseconds t, Nanoseconds of_part) {
  const OpenFork fork = nest_.forks.back();
  if (const ParallelInstance* p = fork.parallel; !fork.entered && p->comm != undefined_ref) {
    // The trace ends before the master came to its part of the team.
    view_.note(Repair::team_begin_of_master_supplied);
    listener_.team_passed(*p, of_part);
  }
  nest_.forks.pop_back();
  listener_.joined(*fork.parallel, t);
}

void TeamCourse::join_to(std::size_t forks, const EndTimes& times, Nanoseconds latest, Repair why) {
  while (nest_.forks.size() > forks) {
    const ParallelInstance* const p = nest_.forks.back().parallel;
    if (!is_runtimes_own(p)) view_.note(why);
    join(std::min(times.of_join(p), latest), std::min(times.of_part(p), latest));
  }
}

void TeamCourse::enter(const ImplicitInstance* instance, const ParallelInstance* p, bool own, Nanoseconds t) {
  if (own) nest_.forks.back().entered = true;
  nest_.push(instance, p, nest_.forks.size());
  nest_.parts.back().own = own;
  const bool has_team = p && p->comm != undefined_ref;
  if (has_team && nest_.kind == Nest::ThreadKind::unknown) nest_.kind = Nest::ThreadKind::worker;
  listener_.part_begun(has_team ? p : nullptr, t);
}

void TeamCourse::close_part(Nanoseconds t, bool repaired) {
  Part& i = nest_.parts.back();
  tasks_.close(t, nest_.parts.size(), i.parallel ? i.parallel->comm : undefined_ref);
  nest_.current = &i.task;
  if (i.instance != &nobody && i.parallel != &over)
    end_unstarted(static_cast<std::uint32_t>(i.instance - view_.scan().implicits.data()), t);
  RegionStack& open = i.task.open;
  if (i.parallel && i.parallel->comm != undefined_ref) {
    const auto why = is_runtimes_own(i.parallel) ? std::optional<Repair>() : Repair::region_closed_by_team_end;
    listener_.left(open, open.closed(view_.repairs, 1, why), t);
    listener_.team_ended(i, t);
    if (repaired && !is_runtimes_own(i.parallel)) view_.note(Repair::team_without_end);
  } else if (!open.hand_ranges_to(i.outer->open)) {  // a range may end behind its thread's initial task
    listener_.left(open, open.closed(view_.repairs, 0, Repair::region_closed_by_task_end), t);
  }
  nest_.pop();
}

// The scan has no limits: what ended here stays in the nest until a record ends it, and is what is around it.
void TeamCourse::end_by_limit(Ticks limit) {
  auto& parts = nest_.parts;
  const Nanoseconds t = view_.clock(limit);
  const auto first = std::find_if(parts.begin(), parts.end(),
                                  [limit](const Part& i) { return i.limit <= limit || i.outer->limit <= limit; });
  const auto keep = static_cast<std::size_t>(first - parts.begin());
  const std::vector<OpenFork> forks = nest_.forks;
  struct Ended {
    const ImplicitInstance* instance;
    std::size_t forks;
    bool own;
  };
  std::vector<Ended> ended;
  for (auto i = first; i != parts.end(); ++i) ended.push_back({i->instance, i->forks, i->own});
  end_to(keep, EndTimes(t));
  while (!nest_.forks.empty() && nest_.forks.back().left) join(t);
  tasks_.expire(limit + 1);
  for (std::size_t n = nest_.forks.size(); n < forks.size(); ++n)
    nest_.forks.push_back({forks[n].id, &over, forks[n].entered, forks[n].left, forks[n].joined});
  for (const Ended& part : ended) {
    nest_.push(part.instance, &over, part.forks);
    parts.back().own = part.own;
  }
}

void TeamCourse::end_unstarted(std::uint32_t creator, Nanoseconds t) {
  const auto& unstarted = view_.plan().unstarted;
  const auto by_creator = [](const auto& entry, std::uint32_t index) { return entry.first < index; };
  auto it = std::lower_bound(unstarted.begin(), unstarted.end(), creator, by_creator);
  for (; it != unstarted.end() && it->first == creator; ++it) {
    view_.note(Repair::task_never_ran);
    tasks_.discard(it->second, never, t);
  }
}

// A worker whose end of the join barrier never came left it with its master.
void TeamCourse::leave_join_barrier(const Part& part, Nanoseconds end) {
  RegionStack& open = nest_.current->open;
  if (nest_.current != &part.task || open.size() <= 1 || !is_join(open.inner_construct())) return;
  if (open.inner().wait) listener_.left(open, 1, std::min(end, view_.clock(part.parallel->join_wait_end)));
  if (open.size() > 1 && is_join(open.inner_construct()))
    listener_.left(open, 1, std::min(end, view_.clock(part.parallel->join_end)));
}

Nanoseconds TeamCourse::left_by(const Part& part, Nanoseconds t) const {
  const Ticks left = left_with_master(part);
  return left != never ? std::min(t, view_.clock(left)) : t;
}

/// The innermost part, by no record of its own; what was forked in it is joined.
void TeamCourse::end_unreported_part(Nanoseconds t) {
  const Part& i = nest_.parts.back();
  const Nanoseconds end = left_by(i, t);
  const bool is_late = left_with_master(i) != never;
  if (is_late) leave_join_barrier(i, end);
  close_part(end, i.parallel != nullptr && !is_late);
}

void TeamCourse::end_to(std::size_t depth, const EndTimes& times) {
  while (nest_.parts.size() > depth) {
    const Part& part = nest_.parts.back();
    const Nanoseconds t = times.of_part(part.parallel);
    join_to(part.forks, times, left_by(part, t), Repair::parallel_closed_by_outer_end);
    end_unreported_part(t);
  }
}

Nanoseconds TeamCourse::end_all(Nanoseconds t) {
  const EndTimes times(t, view_.tables.open_levels);
  end_to(0, times);
  join_to(0, times, times.last(), Repair::parallel_closed_at_end_of_trace);
  return times.last();
}

}  // namespace tracer::translate
