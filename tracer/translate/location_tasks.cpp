// SPDX-License-Identifier: BSD-3-Clause
// Explicit tasks: creation with its dependences, switches, completion, and untied tasks that move.
#include "tracer/translate/location_translator.hpp"

namespace tracer::translate {

namespace status {  // ompt_task_status_t
constexpr std::uint16_t complete = 1, cancel = 3, detach = 4, early_fulfill = 5, late_fulfill = 6, taskwait_complete = 8;
}

void LocationTranslator::task_create(const Record& r) {
  pending_create_ = r;
  pending_dependences_.clear();
  has_pending_create_ = true;  // its dependences are the next records
}

TaskId LocationTranslator::created_id(const Record& r) {
  const std::uint64_t counter = task_counter_.extend(r.a);
  return make_id(channel_, counter) | ((unpack_task_flags(r.sub) & 0x10000000u) ? untied_bit : 0);
}

void LocationTranslator::describe_created(TaskId id) {
  out_.attribute(names_[Attribute::task_id], id);
  out_.attribute(names_[Attribute::parent_task_id], pending_create_.b);
  out_.attribute(names_[Attribute::task_flags], unpack_task_flags(pending_create_.sub));
  add_dependences();
}

void LocationTranslator::write_pending_create() {
  has_pending_create_ = false;
  const Record& r = pending_create_;
  const Nanoseconds t = clock_(r.time);
  const TaskId id = created_id(r);
  if (const RegionKey key = region_key(r); key.construct == Construct::taskwait) {
    // `taskwait depend`: a task to the runtime, a wait to the program; never switched to.
    waiting_ = id;
    describe_created(id);
    return enter(t, key);
  }
  const TaskName task = name_of(id);
  const RegionRef create = region_of({r.c, Construct::create_task, false, 0});
  out_.add(t, EventType::enter, create);
  if (task.comm != undefined_ref) {
    describe_created(id);
    out_.add(t, EventType::task_create, task.comm, task.rank, task.generation);
  }
  out_.add(t, EventType::leave, create);
}

/// As attributes of the next event.
void LocationTranslator::add_dependences() {
  if (pending_dependences_.empty()) return;
  std::array<std::uint32_t, 256> seen{};
  for (const Record& d : pending_dependences_) {
    const auto& refs = names_.dependences[d.sub & 0xff];
    if (const std::uint32_t n = seen[d.sub & 0xff]++; n < refs.size()) out_.attribute(refs[n], d.c);
  }
  pending_dependences_.clear();
}

// A loop iteration's dependences (doacross) come alone, a record per dimension.
void LocationTranslator::dependence(const Record& r, Nanoseconds t) {
  if (has_pending_create_) return pending_dependences_.push_back(r);
  if (!is_doacross(r)) return note("dependences of no task ignored");
  pending_dependences_.push_back(r);
  if ((r.a & 0xffff) + 1 < r.a >> 16) return;
  add_dependences();
  pass(t, {loop_codeptr_, doacross_construct(r.sub), false, 0});
}

// The task itself ended when it was detached.
void LocationTranslator::fulfill(TaskId task, Nanoseconds t) {
  out_.attribute(names_[Attribute::task_id], task);
  pass(t, {0, Construct::fulfill_event, false, 0});
}

// A task that cancellation keeps from running is switched to, for no time, so that every task created completes.
void LocationTranslator::discard(TaskId id, Nanoseconds t) {
  if (id == no_id || id == current_->id || explicit_.find(id)) return;
  const TaskName task = name_of(id);
  if (task.comm == undefined_ref || current_->comm == undefined_ref) return;
  out_.add(t, EventType::task_switch, task.comm, task.rank, task.generation);
  out_.add(t, EventType::task_complete, task.comm, task.rank, task.generation);
  out_.add(t, EventType::task_switch, current_->comm, current_->rank, current_->generation);
}

LocationTranslator::TaskName LocationTranslator::name_of(TaskId id) const {
  TaskName name;
  name.generation = counter_of(id);
  const ChannelId creator = tracer::channel_of(id);
  const auto entity = tables_.entity(id);
  if (!entity) return name;
  name.comm = tables_.root_comm[creator];
  if (entity->index == none || entity->index >= tables_.channels[creator].implicits.size()) return name;
  const Creator& known = creator_of(creator, entity->index);
  name.comm = known.comm;
  name.rank = known.rank;
  if (known.before < name.generation) name.generation -= known.before;
  return name;
}

// Tasks come by the thousand from the same part in the same team.
const LocationTranslator::Creator& LocationTranslator::creator_of(ChannelId channel, std::uint32_t index) const {
  Creator& known = creators_[channel % creators_.size()];
  if (known.channel == channel && known.index == index) [[likely]]
    return known;
  const ImplicitInstance& implicit = tables_.channels[channel].implicits[index];
  known = {channel, index, tables_.root_comm[channel], 0, 0};
  if (const ParallelInstance* p = tables_.parallel(implicit.parallel)) {
    known.comm = p->comm;
    known.rank = implicit.rank;
  }
  if (tracer::channel_of(implicit.task) == channel) known.before = counter_of(implicit.task);
  return known;
}

/// Equal teams share a communicator: that of one thread outside any region may be that of a region, too.
bool LocationTranslator::is_created_in(TaskId id, ParallelId parallel) const {
  const auto entity = tables_.entity(id);
  if (!entity || entity->index == none) return false;
  const auto& implicits = tables_.channels[tracer::channel_of(id)].implicits;
  return entity->index < implicits.size() && implicits[entity->index].parallel == parallel;
}

void LocationTranslator::begin_task(TaskState& task, TaskId id) const {
  static_cast<TaskName&>(task) = name_of(id);
  task.id = id;
  task.open.clear();
}

RegionKey LocationTranslator::task_key(TaskId id) const {
  const auto entity = tables_.entity(id);
  if (!entity) return {};
  const auto& sites = tables_.channels[tracer::channel_of(id)].sites;
  return entity->site < sites.size() ? sites[entity->site] : RegionKey{};
}

void LocationTranslator::complete_current(Nanoseconds t) {
  TaskState& task = *current_;
  close_open(task, t, 1, "region closed by the end of its task");
  close_open(task, t, 0, nullptr);
  if (task.comm != undefined_ref) out_.add(t, EventType::task_complete, task.comm, task.rank, task.generation);
}

bool LocationTranslator::migrates(Ticks time, TaskId task, bool in) {
  if (!(task & untied_bit)) return false;
  const auto& all = scan_.migrations;
  while (next_migration_ < all.size() && all[next_migration_].time < time) ++next_migration_;
  for (std::size_t m = next_migration_; m < all.size() && all[m].time == time; ++m)
    if (all[m].task == task && all[m].in == in) return true;
  return false;
}

void LocationTranslator::switch_to(TaskId next, Nanoseconds t, bool migrated_in) {
  TaskState* target = nullptr;
  bool fresh = false;
  for (auto i = nest_.rbegin(); i != nest_.rend() && !target; ++i)
    if (i->task.id == next) target = &i->task;
  if (!target) {
    target = explicit_.find(next);
    fresh = !target || migrated_in;
    if (!target) target = &explicit_.add(next);
    if (fresh) begin_task(*target, next);
  }
  if (target == current_) return;
  current_ = target;
  if (target->comm != undefined_ref) out_.add(t, EventType::task_switch, target->comm, target->rank, target->generation);
  if (!fresh) return;
  const RegionKey key = task_key(next);
  const RegionRef region = key.construct == Construct::count_ ? undefined_ref : region_of(key);
  if (region == undefined_ref) return note("switch to a task nobody created");
  out_.add(t, EventType::enter, region);
  target->open.push_back({region, Construct::task, false, key.codeptr});
}

// `taskwait depend`. libomp 13 and 14 create it as an explicit task that is never switched to.
void LocationTranslator::finish_taskwait(TaskId task, Nanoseconds t) {
  if (task == no_id || task_key(task).construct == Construct::taskwait) return leave(t, Construct::taskwait);
  const TaskId before = current_->id;
  switch_to(task, t, false);
  complete_current(t);
  switch_to(before, t, false);
  forget(task);
}

// Wrong sequences may leave a task that is current, or around a region that goes on.
void LocationTranslator::forget(TaskId id) {
  const TaskState* const gone = explicit_.find(id);
  if (!gone) return;
  TaskState* around = &base_;
  for (Implicit& implicit : nest_) {
    if (implicit.outer == gone) implicit.outer = around;
    around = &implicit.task;
  }
  if (current_ == gone) current_ = around;
  explicit_.erase(id);
}

// Outside a team of several threads the completion of a task runs those that waited for it, and libomp (to 22) calls
// the completed one their prior and their next task: what is meant is the task to which the completed one returned.
TaskId LocationTranslator::returned_to(TaskId next) {
  for (std::size_t n = completed_.size(); n-- > 0;) {
    if (completed_[n].first != next) continue;
    next = completed_[n].second;
    completed_.resize(n);
    break;
  }
  return next;
}

void LocationTranslator::task_schedule(const Record& r, Nanoseconds t) {
  const TaskId prior = r.b, next = returned_to(r.c);
  switch (r.sub) {
    case status::early_fulfill:
    case status::late_fulfill: return fulfill(prior, t);
    case status::taskwait_complete: return finish_taskwait(prior, t);
    default: break;
  }
  if (prior != current_->id) {
    if (explicit_.find(prior)) {
      // From a task to itself: an untied task of a team of one goes on (libomp).
      if (prior != next) note("switch from a task that was not current");
      switch_to(prior, t, false);
    } else if (task_key(prior).construct != Construct::count_) {
      completed_.emplace_back(prior, current_->id);
    }
  }
  const bool ends = r.sub == status::complete || r.sub == status::cancel || r.sub == status::detach;
  if (current_->generation != 0 && current_->id == prior) {
    if (ends) {
      complete_current(t);
    } else if (migrates(r.time, prior, false)) {
      // It goes on with another thread: here its regions end, there they do not begin again.
      close_open(*current_, t, 0, nullptr);
    }
  }
  const bool leaves_for_good = current_->generation != 0 && current_->id == prior && (ends || current_->open.empty());
  const bool migrated_in = migrates(r.time, next, true);
  // 0: the implicit task, which has no id while a worker is in its join barrier.
  const TaskId to = next != no_id || nest_.empty() ? next : nest_.back().task.id;
  if (to != no_id) {
    switch_to(to, t, migrated_in);
  } else if (leaves_for_good) {
    current_ = nest_.empty() ? &base_ : &nest_.back().task;
  }
  if (leaves_for_good && prior != to) forget(prior);
}

}  // namespace tracer::translate
