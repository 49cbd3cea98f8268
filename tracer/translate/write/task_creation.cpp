// SPDX-License-Identifier: BSD-3-Clause
// See task_creation.hpp.
#include "tracer/translate/write/task_creation.hpp"

#include <array>

#include "tracer/ompt_values.hpp"

namespace tracer::translate {

void TaskCreation::create(const Record& r) {
  record_ = r;
  dependences_.clear();
  pending_ = true;
}

void TaskCreation::describe(TaskId id) {
  context_.out.attribute(context_.names[Attribute::task_id], id);
  context_.out.attribute(context_.names[Attribute::parent_task_id], record_.b);
  context_.out.attribute(context_.names[Attribute::task_flags], unpack_task_flags(record_.sub));
  add_dependences();
}

void TaskCreation::write() {
  pending_ = false;
  const Nanoseconds t = context_.clock(record_.time);
  const bool untied = (unpack_task_flags(record_.sub) & task_flag::untied) != 0;
  const TaskId id = make_id(context_.channel, counter_.extend(record_.a)) | (untied ? untied_bit : 0);
  if (const RegionKey key = region_key(record_); key.construct == Construct::taskwait) {
    // `taskwait depend`: a task to the runtime, a wait to the program; never switched to.
    waiting_ = id;
    describe(id);
    return regions_.enter(t, key);
  }
  const TaskName task = names_.of(id);
  const RegionRef create = regions_.region_of({record_.c, Construct::create_task, false, 0});
  context_.out.enter(t, create);
  if (task.comm != undefined_ref && !context_.tables.is_left_out(id)) {
    describe(id);
    ++context_.balance.tasks;
    context_.out.add(t, EventType::task_create, task.comm, task.rank, task.generation);
  }
  context_.out.leave(t, create);
}

/// As attributes of the next event.
void TaskCreation::add_dependences() {
  if (dependences_.empty()) return;
  std::array<std::uint32_t, 256> seen{};
  for (const Record& d : dependences_) {
    const auto& refs = context_.names.dependences[d.sub & 0xff];
    const std::uint32_t n = seen[d.sub & 0xff]++;
    if (n < refs.size() && context_.out.takes_attribute())
      context_.out.attribute(refs[n], d.c);
    else
      context_.note(Repair::dependences_left_out);
  }
  dependences_.clear();
}

// A loop iteration's dependences (doacross) come alone, a record per dimension.
void TaskCreation::dependence(const Record& r, Nanoseconds t, std::uint64_t loop) {
  if (pending_) return dependences_.push_back(r);
  if (!is_doacross(r)) return context_.note(Repair::dependences_of_no_task);
  dependences_.push_back(r);
  if ((r.a & 0xffff) + 1 < r.a >> 16) return;
  add_dependences();
  regions_.pass(t, {loop, doacross_construct(r.sub), false, 0});
}

}  // namespace tracer::translate
