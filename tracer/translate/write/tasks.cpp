// SPDX-License-Identifier: BSD-3-Clause
// Explicit tasks: creation with its dependences, switches and completion.
#include <algorithm>

#include "tracer/ompt_values.hpp"
#include "tracer/translate/write/location_translator.hpp"

namespace tracer::translate {

void LocationTranslator::task_create(const Record& r) {
  pending_create_ = r;
  pending_dependences_.clear();
  has_pending_create_ = true;  // its dependences are the next records
}

TaskId LocationTranslator::created_id(const Record& r) {
  const std::uint64_t counter = task_counter_.extend(r.a);
  return make_id(channel_, counter) | ((unpack_task_flags(r.sub) & task_flag::untied) ? untied_bit : 0);
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
  const bool late = !all_end() && begins_here(id, 0);
  if (late) note(Repair::task_created_after_team);
  if (task.comm != undefined_ref && !late) {
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
  if (!is_doacross(r)) return note(Repair::dependences_of_no_task);
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
void LocationTranslator::discard(TaskId id, Ticks time, Nanoseconds t) {
  const Construct construct = task_key(id).construct;
  if (construct == Construct::count_ || construct == Construct::taskwait) return;
  if (id == current_->id || explicit_.find(id) || all_end() || !begins_here(id, time)) return;
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
  const Creator& known = creator_of(creator, entity->index);
  name.comm = known.comm;
  name.rank = known.rank;
  // Created before what generations count from (a wrong sequence): no number that any other has.
  name.generation += known.before < name.generation ? -known.before : std::uint64_t{1} << 31;
  if (naming_ == Naming::ids) name.generation = id & ~untied_bit;
  return name;
}

// Tasks come by the thousand from the same part in the same team.
const LocationTranslator::Creator& LocationTranslator::creator_of(ChannelId channel, std::uint32_t index) const {
  Creator& known = creators_[channel % creators_.size()];
  if (known.channel == channel && known.index == index) [[likely]]
    return known;
  const auto& implicits = tables_.channels[channel].implicits;
  known = {channel, index, tables_.root_comm[channel], 0, 0};
  const ImplicitInstance* const part = tables_.part_of(channel, index);
  if (part) {
    known.comm = tables_.parallel(part->parallel)->comm;
    known.rank = part->rank;
  }
  const ImplicitInstance* const counts = part                                              ? part
                                         : !implicits.empty() && implicits.front().initial ? &implicits.front()
                                                                                           : nullptr;
  if (counts && tracer::channel_of(counts->task) == channel) known.before = counter_of(counts->task);
  return known;
}

void LocationTranslator::begin_task(TaskState& task, TaskId id) const {
  static_cast<TaskName&>(task) = name_of(id);
  task.id = id;
  task.depth = nest_.size();
  task.limit = never;
  task.ends_unreported = false;
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
  close_open(task, t, 1, Repair::region_closed_by_task_end);
  close_open(task, t, 0, {});
  if (task.comm != undefined_ref) out_.add(t, EventType::task_complete, task.comm, task.rank, task.generation);
}

// Where the records contradict each other, the first that says so and is in time.
bool LocationTranslator::begins_here(TaskId id, Ticks time) const {
  if (all_end()) return true;
  const ChannelId channel = tracer::channel_of(id);
  if (channel >= tables_.task_begins.size() || counter_of(id) >= tables_.task_begins[channel].size()) return false;
  const Ticks begin = tables_.task_begins[channel][counter_of(id)];
  return begin == time;
}

/// It waits for a team that it made, and can neither end nor go on before that.
bool LocationTranslator::encounters_team(const TaskState& task) const {
  return std::any_of(nest_.begin(), nest_.end(), [&](const Implicit& i) { return i.outer == &task; });
}

void LocationTranslator::switch_to(TaskId next, Nanoseconds t) {
  TaskState* target = next == implicit().id ? &implicit() : explicit_.find(next);
  const bool fresh = !target;
  if (fresh) {
    target = &explicit_.add(next);
    begin_task(*target, next);
  }
  if (target == current_) return;
  current_ = target;
  if (target->comm != undefined_ref)
    out_.add(t, EventType::task_switch, target->comm, target->rank, target->generation);
  if (!fresh) return;
  if (!all_end()) limit_task(*target);
  const RegionKey key = task_key(next);
  const RegionRef region = key.construct == Construct::count_ ? undefined_ref : region_of(key);
  if (region == undefined_ref) return note(Repair::task_without_creation);
  out_.add(t, EventType::enter, region);
  target->open.push_back({region, Construct::task, false, key.codeptr});
}

/// A task that runs outside its team must end with that.
void LocationTranslator::limit_task(TaskState& task) {
  const std::optional<Entity> entity = tables_.entity(task.id);
  const ImplicitInstance* const part = entity ? tables_.part_of(tracer::channel_of(task.id), entity->index) : nullptr;
  const ParallelInstance* const p = part ? tables_.parallel(part->parallel) : nullptr;
  if (!p || std::any_of(nest_.begin(), nest_.end(), [p](const Implicit& i) { return i.parallel == p; })) return;
  task.limit = p->limit;
  expiry_ = std::min(expiry_, task.limit);
  limit_ = std::min(limit_, expiry_);
}

void LocationTranslator::close_task(TaskId id, Nanoseconds t) {
  const TaskState* const task = explicit_.find(id);
  if (task && task->ends_unreported && task == current_) return end_unreported(t);
  if (!task || !task->ends_unreported) note(Repair::task_closed_by_team_end);
  switch_to(id, t);
  complete_current(t);
  switch_to(implicit().id, t);
  current_ = &implicit();
  forget(id);
}

// Explicit tasks that were never said to be complete end with their team, or with the thread's part of that in which
// they began.
void LocationTranslator::close_tasks(Nanoseconds t, std::size_t depth, CommRef team) {
  if (explicit_.empty()) return;
  std::vector<TaskId> left;
  explicit_.for_each([&](TaskId id, const TaskState& task) {
    if (&task != current_ && !encounters_team(task) &&
        (task.depth >= depth || (team != undefined_ref && task.comm == team)))
      left.push_back(id);
  });
  std::sort(left.begin(), left.end());
  if (in_task() && !encounters_team(*current_)) left.insert(left.begin(), current_->id);
  for (const TaskId id : left) close_task(id, t);
}

// Tasks that run outside their team, which ends.
void LocationTranslator::expire(Ticks when) {
  if (expiry_ >= when) return;
  std::vector<std::pair<Ticks, TaskId>> late;
  expiry_ = never;
  explicit_.for_each([&](TaskId id, const TaskState& task) {
    if (task.limit < when && !encounters_team(task)) {
      late.emplace_back(task.limit, id);
    } else if (task.limit >= when) {
      expiry_ = std::min(expiry_, task.limit);
    }
  });
  std::sort(late.begin(), late.end());
  const TaskId running = current_->id;
  for (const auto& [limit, id] : late) close_task(id, clock_(limit));
  if (explicit_.find(running)) switch_to(running, out_.last());
  limit_ = std::min(expiry_, nest_.empty() ? never : nest_.back().limit);
}

// `taskwait depend`. libomp 13 and 14 create it as an explicit task that is never switched to.
void LocationTranslator::finish_taskwait(TaskId task, Ticks time, Nanoseconds t) {
  if (task == no_id || task_key(task).construct == Construct::taskwait) return leave(t, Construct::taskwait);
  if (all_end() || !begins_here(task, time) || explicit_.find(task)) return note(Repair::end_of_wait_that_was_no_task);
  const TaskId before = current_->id;
  switch_to(task, t);
  complete_current(t);
  switch_to(before, t);
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
TaskId LocationTranslator::returned_to(TaskId next, Ticks time) {
  if (!all_end() && begins_here(next, time)) return next;
  for (std::size_t n = completed_.size(); n-- > 0;) {
    if (completed_[n].first != next) continue;
    next = completed_[n].second;
    completed_.resize(n);
    break;
  }
  return next;
}

void LocationTranslator::task_schedule(const Record& r, Nanoseconds t) {
  const TaskId prior = r.b, wanted = returned_to(r.c, r.time);
  switch (r.sub) {
    case task_status::early_fulfill:
    case task_status::late_fulfill:
      return fulfill(prior, t);
    case task_status::taskwait_complete:
      return finish_taskwait(prior, r.time, t);
    default:
      break;
  }
  const TaskState* before = explicit_.find(prior);
  if (before && encounters_team(*before)) {
    note(Repair::switch_from_task_with_open_team);
    before = nullptr;
  } else if (before && before != current_) {
    // From a task to itself: an untied task of a team of one goes on (libomp).
    if (prior != wanted) note(Repair::switch_from_other_task);
    switch_to(prior, t);
  } else if (!before && prior != current_->id && task_key(prior).construct != Construct::count_) {
    completed_.emplace_back(prior, current_->id);
  }
  const bool ends = task_status::ends_task(r.sub);
  if (before && ends) {
    complete_current(t);
  } else if (before && migrates(r.time, prior, false)) {
    // It goes on with another thread: here its regions end, there they do not begin again.
    close_open(*current_, t, 0, {});
  }
  const bool leaves_for_good = before && (ends || before->open.empty());
  const bool migrated_in = migrates(r.time, wanted, true);
  const TaskId next = ends && wanted == prior ? implicit().id : next_task(wanted, r, migrated_in);
  if (next != no_id) {
    switch_to(next, t);
    if (migrated_in) expect_unreported_end(next, r.time, prior);
  } else if (leaves_for_good) {
    switch_to(implicit().id, t);
    current_ = &implicit();
  }
  if (leaves_for_good && prior != next) forget(prior);
}

/// What runs next; no_id: what runs now.
TaskId LocationTranslator::next_task(TaskId next, const Record& r, bool migrated_in) {
  // 0: the implicit task, which has no id while a worker is in its join barrier.
  if (next == no_id || next == implicit().id) return implicit().id;
  if (const TaskState* const known = explicit_.find(next)) {
    if (!encounters_team(*known)) return next;
    note(Repair::switch_to_task_with_open_team);
    return no_id;
  }
  if (std::any_of(nest_.begin(), nest_.end(), [&](const Implicit& i) { return i.task.id == next; }))
    return implicit().id;
  const TaskName name = name_of(next);
  const bool paused_team = name.comm == undefined_ref;
  if (paused_team || task_key(next).construct == Construct::count_ || (!migrated_in && !begins_here(next, r.time))) {
    if (!out_.paused()) note(Repair::switch_to_task_elsewhere);
    return no_id;
  }
  return next;
}

}  // namespace tracer::translate
