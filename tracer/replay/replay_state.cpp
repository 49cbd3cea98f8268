// SPDX-License-Identifier: BSD-3-Clause
// See replay_state.hpp.
#include "tracer/replay/replay_state.hpp"

namespace tracer::report {

TaskRef TaskPool::make() {
  if (free_.empty()) {
    slabs_.push_back(std::make_unique<Task[]>(tasks_of_slab));
    for (std::vector<Task*>* const tasks : {&free_, &gone_})
      if (const std::size_t all = slabs_.size() * tasks_of_slab; tasks->capacity() < all) tasks->reserve(2 * all);
    for (std::size_t i = tasks_of_slab; i-- != 0;) {
      slabs_.back()[i].pool = this;
      free_.push_back(&slabs_.back()[i]);
    }
  }
  TaskRef task{free_.back()};
  free_.pop_back();
  return task;
}

/// Others may go with it, and so on: one by one, since tasks may be created in each other, or wait for each other, more
/// often than a stack is deep.
void TaskPool::take_back(Task* task) noexcept {
  gone_.push_back(task);
  if (gone_.size() > 1) return;
  for (std::size_t i = 0; i < gone_.size(); ++i) {
    Task& one = *gone_[i];
    one.parent.reset();
    one.after.clear();
    one.id = one.number = 0;
    one.is_explicit = one.started = one.completed = one.discarded = one.undeferred = one.is_final = false;
    one.location = 0;
    one.created_on = one.region = one.creation = undefined_ref;
    one.created = one.first_start = one.active = one.create_ns = one.waited = 0;
    one.team.reset();
    one.stack.clear();
    one.path = one.descendants = one.children = one.chain = {};
    one.barriers = 0;
    free_.push_back(&one);
  }
  gone_.clear();
}

/// What refers to each other in a circle, in archives that are wrong, is still there.
TaskPool::~TaskPool() {
  for (const auto& slab : slabs_) {
    for (std::size_t i = 0; i < tasks_of_slab; ++i) {
      slab[i].parent.task_ = nullptr;
      if (slab[i].team != nullptr) slab[i].team->encountering.task_ = nullptr;
      for (TaskRef& one : slab[i].after) one.task_ = nullptr;
    }
  }
}

void Task::forget_complete_ancestors() {
  while (parent != nullptr && parent->completed) parent = TaskRef{parent->parent};
}

Task* Task::open_ancestor() {
  if (parent == nullptr || !parent->completed) return parent.get();
  parent->forget_complete_ancestors();
  return parent->parent.get();
}

}  // namespace tracer::report
