// SPDX-License-Identifier: BSD-3-Clause
// Regions and teams in a channel's tables, and those of wrong or damaged sequences made whole: LocationTranslator must
// come to the same (location_teams.cpp).
#include <algorithm>
#include <utility>

#include "tracer/ompt_values.hpp"
#include "tracer/translate/scan/scanner.hpp"

namespace tracer::translate {

ParallelInstance* Scanner::own_parallel(ParallelId id) {
  if (tracer::channel_of(id) != channel_ || id == no_id) return nullptr;
  const std::uint64_t counter = counter_of(id);
  if (counter >= out_.entities.size()) return nullptr;
  const Entity e = out_.entities.get(counter);
  return e.site == none && e.index < out_.parallels.size() && out_.parallels[e.index].id == id
             ? &out_.parallels[e.index]
             : nullptr;
}

void Scanner::parallel_begin(const Record& r) {
  if (tracer::channel_of(r.b) != channel_ || counter_of(r.b) == 0)
    return out_.repairs.note(Repair::parallel_without_id);
  ParallelInstance p;
  p.id = r.b;
  p.task = running_;
  p.codeptr = r.c;
  p.begin = r.time;
  p.requested = r.a;
  p.league = (unpack_parallel_flags(r.sub) & parallel_flag::league) != 0;
  p.enclosing = nest_.empty() ? none : nest_.back();
  name(counter_of(r.b), {static_cast<std::uint32_t>(out_.parallels.size()), none});
  forks_.push_back({static_cast<std::uint32_t>(out_.parallels.size()), nest_.size()});
  out_.parallels.push_back(p);
  league_ = p.league ? r.b : no_id;
  site(region_key(r));
}

void Scanner::parallel_end(const Record& r) {
  if (const auto early = std::find(joined_.begin(), joined_.end(), r.b); early != joined_.end())
    return void(joined_.erase(early));
  out_.teams_out_of_order |= forks_.empty() || !forks_.back().left;
  if (forks_.empty()) return;
  const Fork fork = forks_.back();  // whatever id is given: see LocationTranslator::parallel_end()
  close_to(std::min(fork.depth, nest_.size()), r.time);
  if (!forks_.empty() && forks_.back().parallel == fork.parallel) forks_.pop_back();
  out_.parallels[fork.parallel].end = r.time;
}

/// Implicit tasks above `depth` and the regions begun inside them end, if they have not.
void Scanner::close_to(std::size_t depth, Ticks time) {
  while (nest_.size() > depth) {
    out_.tasks_out_of_order |= running_ != no_id;
    running_ = around_.back();
    around_.pop_back();
    out_.teams_out_of_order |= !forks_.empty() && forks_.back().depth >= nest_.size();
    for (; !forks_.empty() && forks_.back().depth >= nest_.size(); forks_.pop_back())
      out_.parallels[forks_.back().parallel].end = time;
    ParallelInstance* const p = own_parallel(out_.implicits[nest_.back()].parallel);
    if (p && p->implicit_end == 0) p->implicit_end = time;
    if (p && !forks_.empty() && p == &out_.parallels[forks_.back().parallel]) forks_.back().left = true;
    nest_.pop_back();
  }
}

std::uint32_t Scanner::begin_implicit(const ImplicitInstance& begun) {
  const auto index = static_cast<std::uint32_t>(out_.implicits.size());
  out_.implicits.push_back(begun);
  out_.implicits.back().outer = nest_.empty() ? none : nest_.back();
  nest_.push_back(index);
  around_.push_back(std::exchange(running_, no_id));
  return index;
}

// What a thread does between a fork and its part of the team, or between that and the join (a wrong or damaged
// sequence) says that it is past them. LocationTranslator::complete_team_boundary() comes to the same.
void Scanner::complete_team_boundary(const Record& r) {
  while (is_at_team_boundary()) {
    Fork& fork = forks_.back();
    ParallelInstance& p = out_.parallels[fork.parallel];
    if (!fork.left) {
      if (r.endpoint == Endpoint::begin && team_of(r) == p.id) return;
      fork.entered = true;
      ImplicitInstance i;
      i.parallel = p.id;
      i.begin = r.time;
      i.synthesized = true;
      begin_implicit(i);
    } else {
      p.end = r.time;
      joined_.push_back(p.id);
      forks_.pop_back();
    }
    out_.teams_out_of_order = true;
  }
}

/// Which team an implicit task's begin is of.
ParallelId Scanner::team_of(const Record& r) const {
  // A league of one team: libomp (to 22) names no parallel region in its initial task, or the region of one before.
  if (r.kind == RecordKind::initial_task && league_ != no_id) return league_;
  return r.kind == RecordKind::implicit_task || r.kind == RecordKind::initial_task ? r.b : no_id;
}

void Scanner::implicit_begin(const Record& r) {
  ImplicitInstance i;
  i.parallel = team_of(r);
  if (i.parallel == league_) league_ = no_id;
  i.task = r.c;
  i.begin = r.time;
  i.rank = r.sub;
  i.size = r.a;
  i.initial = r.kind == RecordKind::initial_task;
  const bool has_id = tracer::channel_of(r.c) == channel_ && counter_of(r.c) != 0;
  if (i.parallel != no_id && tracer::channel_of(i.parallel) != channel_) {
    i.joins = true;  // only when it has none of its own: an end that never came is past
    out_.teams_out_of_order |= !nest_.empty() || !forks_.empty();
    close_to(0, r.time);
    for (; !forks_.empty(); forks_.pop_back()) out_.parallels[forks_.back().parallel].end = r.time;
  } else if (const ParallelInstance* p = own_parallel(i.parallel)) {
    for (const std::uint32_t open : nest_) {
      ImplicitInstance& synthesized = out_.implicits[open];
      if (!synthesized.synthesized || synthesized.parallel != p->id || synthesized.task != no_id || !has_id) continue;
      synthesized.task = r.c;
      return name(counter_of(r.c), {open, none});
    }
    const bool fits = !forks_.empty() && p == &out_.parallels[forks_.back().parallel] && !forks_.back().entered;
    if (fits) forks_.back().entered = true;
    if (!fits) i.parallel = no_id;
    out_.teams_out_of_order |= !fits;
  }
  const std::uint32_t index = begin_implicit(i);
  if (has_id) name(counter_of(r.c), {index, none});
}

void Scanner::implicit_end(const Record& r) {
  // The runtime may leave ends out (a second region begins): close inner ones with it.
  for (std::size_t n = nest_.size(); n-- > 0;) {
    ImplicitInstance& i = out_.implicits[nest_[n]];
    if (i.task != r.c && r.c != no_id) continue;
    out_.teams_out_of_order |= n + 1 < nest_.size();
    i.end = r.time;
    return close_to(n, r.time);
  }
  out_.teams_out_of_order |= !nest_.empty();
}

void Scanner::join_end(const Record& r) {
  if (nest_.empty()) return;
  const ImplicitInstance& i = out_.implicits[nest_.back()];
  if (auto* p = own_parallel(i.parallel)) (r.kind == RecordKind::sync_region ? p->join_end : p->join_wait_end) = r.time;
}

}  // namespace tracer::translate
