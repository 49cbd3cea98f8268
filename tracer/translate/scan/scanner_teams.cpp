// SPDX-License-Identifier: BSD-3-Clause
// Regions and parts of teams in a channel's tables, by Nesting.
#include <utility>

#include "tracer/ompt_values.hpp"
#include "tracer/translate/scan/scanner.hpp"

namespace tracer::translate {

ParallelInstance* Scanner::own_parallel(ParallelId id) {
  if (tracer::channel_of(id) != channel_ || id == no_id) return nullptr;
  const Entity e = out_.entities.get(counter_of(id));
  return e.site == none && e.index < out_.parallels.size() && out_.parallels[e.index].id == id
             ? &out_.parallels[e.index]
             : nullptr;
}

void Scanner::forked(const Record& r) {
  ParallelInstance p;
  p.id = r.b;
  p.task = running_;
  p.codeptr = r.c;
  p.begin = r.time;
  p.requested = r.a;
  p.league = (unpack_parallel_flags(r.sub) & parallel_flag::league) != 0;
  p.enclosing = nest_.empty() ? none : nest_.back();
  p.fork_around = forks_.empty() ? none : forks_.back();
  const auto index = static_cast<std::uint32_t>(out_.parallels.size());
  name(counter_of(r.b), {index, none});
  forks_.push_back(index);
  out_.parallels.push_back(p);
  site(region_key(r));
}

void Scanner::begun(const PartBegin& part, const Record& r) {
  ImplicitInstance i;
  i.parallel = part.team;
  i.begin = r.time;
  i.own = part.own;
  i.joins = part.joins;
  i.synthesized = part.synthesized;
  const bool foreign = !part.own && !part.joins && own_parallel(part.team) != nullptr;  // not the one forked last
  if (foreign) i.parallel = no_id;
  out_.teams_out_of_order |= foreign;
  if (!part.synthesized) {
    i.task = r.c;
    i.rank = r.sub;
    i.size = r.a;
    i.initial = r.kind == RecordKind::initial_task;
  }
  i.outer = nest_.empty() ? none : nest_.back();
  const auto index = static_cast<std::uint32_t>(out_.implicits.size());
  out_.implicits.push_back(i);
  nest_.push_back(index);
  around_.push_back(std::exchange(running_, no_id));
  const bool has_id = tracer::channel_of(i.task) == channel_ && counter_of(i.task) != 0;
  if (has_id) name(counter_of(i.task), {index, none});
}

void Scanner::recorded(std::size_t part, const Record& r) {
  out_.implicits[nest_[part]].task = r.c;
  name(counter_of(r.c), {nest_[part], none});
}

void Scanner::ended(EndCause cause, const Record& r) {
  ImplicitInstance& i = out_.implicits[nest_.back()];
  if (cause == EndCause::recorded) i.end = r.time;
  out_.tasks_out_of_order |= running_ != no_id;
  running_ = around_.back();
  around_.pop_back();
  ParallelInstance* const p = own_parallel(i.parallel);
  if (p && p->implicit_end == 0) p->implicit_end = r.time;
  nest_.pop_back();
}

void Scanner::joined(EndCause, const Record& r) {
  out_.parallels[forks_.back()].end = r.time;
  forks_.pop_back();
}

void Scanner::join_end(const Record& r) {
  if (nest_.empty()) return;
  const ImplicitInstance& i = out_.implicits[nest_.back()];
  if (auto* p = own_parallel(i.parallel)) (r.kind == RecordKind::sync_region ? p->join_end : p->join_wait_end) = r.time;
}

}  // namespace tracer::translate
