// SPDX-License-Identifier: BSD-3-Clause
// See nesting.hpp.
#include "tracer/translate/scan/nesting.hpp"

#include <algorithm>
#include <utility>

#include "tracer/ompt_values.hpp"
#include "tracer/repeats.hpp"

namespace tracer::translate {
namespace {

constexpr bool is_part(const Record& r) noexcept {
  return r.kind == RecordKind::implicit_task || r.kind == RecordKind::initial_task;
}
/// Of a thread, not of a team of a league.
constexpr bool is_initial_of_thread(const Record& r, ParallelId team) noexcept {
  return r.kind == RecordKind::initial_task && team == no_id;
}

}  // namespace

void Nesting::begin(const PartBegin& part, TaskId task, const Record& r) {
  parts_.push_back({part.team, task, part.own, part.synthesized, std::exchange(running_, task), interposed_.size()});
  if (parts_.back().is_unrecorded()) ++unrecorded_;
  listener_.begun(part, r);
}

void Nesting::join(EndCause cause, const Record& r) {
  out_of_order_ |= cause != EndCause::recorded;
  forks_.pop_back();
  listener_.joined(cause, r);
}

void Nesting::end_innermost(EndCause cause, const Record& r) {
  const EndCause inside = cause == EndCause::recorded ? EndCause::around_ends : EndCause::around_ends_unreported;
  while (!forks_.empty() && forks_.back().depth >= parts_.size()) join(inside, r);
  out_of_order_ |= cause != EndCause::recorded;
  if (parts_.back().own && !forks_.empty()) forks_.back().left = true;
  if (parts_.back().is_unrecorded()) --unrecorded_;
  running_ = parts_.back().around;
  interposed_.resize(parts_.back().interposed);
  parts_.pop_back();
  listener_.ended(cause, r);
}

/// Parts above `depth` end, with the regions begun inside them, if they have not.
void Nesting::end_to(std::size_t depth, const Record& r) {
  while (parts_.size() > depth) end_innermost(EndCause::around_ends_unreported, r);
}

void Nesting::complete_boundary(const Record& r) {
  if (r.kind == RecordKind::parallel_end || is_neutral(r)) return;
  while (is_at_boundary()) {
    Fork& fork = forks_.back();
    if (fork.left) {
      joined_.push_back(fork.id);
      join(EndCause::thread_goes_on, r);
      continue;
    }
    if (is_part(r) && r.endpoint == Endpoint::begin && team_of(r) == fork.id) return;
    fork.entered = out_of_order_ = true;
    begin({fork.id, false, true, true}, no_id, r);
  }
}

bool Nesting::parallel_begin(const Record& r) {
  if (!is_mine(r.b) || r.b <= last_forked_) return false;
  last_forked_ = r.b;
  forks_.push_back({r.b, parts_.size()});
  league_ = (unpack_parallel_flags(r.sub) & parallel_flag::league) != 0 ? r.b : no_id;
  listener_.forked(r);
  return true;
}

// The innermost region that this thread began ends, whatever id is given: libomp's join frees the
// team before the callback, so that another thread's region may have overwritten it (seen with 19);
// and GCC's regions inside `teams` end the outer one twice.
void Nesting::parallel_end(const Record& r) {
  if (const auto early = std::find(joined_.begin(), joined_.end(), r.b); early != joined_.end())
    return void(joined_.erase(early));
  out_of_order_ |= forks_.empty() || !forks_.back().left;
  if (forks_.empty()) return listener_.ignored(r);
  end_to(std::min(forks_.back().depth, parts_.size()), r);
  join(EndCause::recorded, r);
}

/// Which team an implicit task's begin is of.
ParallelId Nesting::team_of(const Record& r) const noexcept {
  // A league of one team: libomp (to 22) names no parallel region in its initial task, or the region of one before.
  return r.kind == RecordKind::initial_task && league_ != no_id ? league_ : r.b;
}

/// The record is of a part that was begun without it.
bool Nesting::record_synthesized(const Record& r, ParallelId team) {
  if (unrecorded_ == 0 || !is_mine(r.c)) return false;
  const auto part =
      std::find_if(parts_.begin(), parts_.end(), [team](const Part& p) { return p.is_unrecorded() && p.team == team; });
  if (part == parts_.end()) return false;
  part->task = r.c;
  if (running_ == no_id && part + 1 == parts_.end()) running_ = r.c;
  if (!part->is_unrecorded()) --unrecorded_;
  listener_.recorded(static_cast<std::size_t>(part - parts_.begin()), r);
  return true;
}

void Nesting::part_begin(const Record& r) {
  PartBegin part;
  part.team = team_of(r);
  if (part.team == league_) league_ = no_id;
  // The initial task of a second runtime: what the thread is in began before it, and may end before it.
  if (is_initial_of_thread(r, part.team) && !parts_.empty()) return void(within_.push_back(r.c));
  part.joins = part.team != no_id && tracer::channel_of(part.team) != channel_;
  if (part.joins) {  // only when it has none of its own: an end that never came is past
    out_of_order_ |= !parts_.empty() || !forks_.empty();
    end_to(0, r);
    while (!forks_.empty()) join(EndCause::around_ends_unreported, r);
  } else if (part.team != no_id) {
    if (record_synthesized(r, part.team)) return;
    part.own = !forks_.empty() && forks_.back().id == part.team && !forks_.back().entered;
    if (part.own) forks_.back().entered = true;
  }
  begin(part, r.c, r);
}

void Nesting::part_end(const Record& r) {
  if (r.kind == RecordKind::initial_task && std::erase(within_, r.c) != 0) return;
  // The runtime may leave ends out (a second region begins): close inner ones with it.
  for (std::size_t n = parts_.size(); n-- > 0;) {
    if (parts_[n].task != r.c && r.c != no_id) continue;
    end_to(n + 1, r);
    return end_innermost(EndCause::recorded, r);
  }
  out_of_order_ |= !parts_.empty();
  listener_.ignored(r);
}

/// The thread has come from it to what it runs, without leaving it.
bool Nesting::is_beneath(TaskId task) const {
  const auto is_it = [task](const auto& p) { return p.around == task; };
  return task == implicit() || std::find(within_.begin(), within_.end(), task) != within_.end() ||
         std::any_of(interposed_.rbegin(), interposed_.rend(), is_it) ||
         std::any_of(parts_.rbegin(), parts_.rend(), is_it);
}

// An untied task may have left the thread without a record.
Record Nesting::task_switch(Record r) {
  if (!task_status::is_switch(r.sub)) return r;
  const TaskId prior = r.b != no_id ? r.b : implicit(), next = r.c != no_id ? r.c : implicit();
  const TaskId around = std::exchange(running_, next);
  const bool is_inside = !interposed_.empty() && (parts_.empty() || interposed_.size() > parts_.back().interposed);
  if (prior == around) {
    if (!is_inside || interposed_.back().task != prior || interposed_.back().prior != next) return r;
    r.c = running_ = interposed_.back().around;
    interposed_.pop_back();
  } else if (next != implicit() && next != prior && !task_status::ends_task(r.sub) && (around & untied_bit) == 0 &&
             is_beneath(prior)) {
    interposed_.push_back({next, prior, around});
    r.b = around;
  }
  return r;
}

std::size_t Nesting::part_of_creator(TaskId creator) const {
  const std::size_t innermost = parts_.size() - 1;
  if (creator == no_id || creator == running_ || creator == implicit()) return innermost;
  std::size_t last = interposed_.size();
  for (std::size_t n = parts_.size(); n-- > 0; last = parts_[n].interposed) {
    if (parts_[n].task == creator) return n;
    for (std::size_t i = parts_[n].interposed; i < last; ++i)
      if (interposed_[i].around == creator) return n;
    if (parts_[n].around == creator && n > 0) return n - 1;
  }
  return innermost;
}

}  // namespace tracer::translate
