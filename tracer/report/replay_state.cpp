// SPDX-License-Identifier: BSD-3-Clause
// See replay_state.hpp.
#include "tracer/report/replay_state.hpp"

namespace tracer::report {

/// One by one, since tasks may be created in each other more often than a stack is deep.
Task::~Task() {
  while (parent != nullptr && parent.use_count() == 1) {
    std::shared_ptr<Task> next = std::move(parent->parent);
    parent = std::move(next);
  }
}

void Task::forget_complete_ancestors() {
  while (parent != nullptr && parent->completed) {
    std::shared_ptr<Task> next = parent->parent;
    parent = std::move(next);
  }
}

Task* Task::open_ancestor() {
  if (parent == nullptr || !parent->completed) return parent.get();
  parent->forget_complete_ancestors();
  return parent->parent.get();
}

Activity LocationState::activity() const {
  if (current == nullptr) return Activity::idle;
  if (!current->stack.empty()) return current->stack.back().activity;
  return initial || !contexts.empty() ? Activity::work : Activity::idle;
}

}  // namespace tracer::report
