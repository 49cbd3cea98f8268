// SPDX-License-Identifier: BSD-3-Clause
// Collects task nodes and marks their longest chain.
#include "tracer/report/page/task_graph.hpp"

#include <algorithm>

namespace tracer::report {

TaskNode* TaskGraph::node(const Task& task) {
  const auto found = open_.find(&task);
  return found == open_.end() ? nullptr : &nodes_[found->second];
}

void TaskGraph::task_created(LocationRef, Task& creator, Task& task) {
  ++created_;
  if (nodes_.size() >= limit_) return;
  TaskNode fresh;
  fresh.number = nodes_.size() + 1;
  if (const TaskNode* parent = node(creator)) fresh.parent = parent->number;
  open_[&task] = nodes_.size();
  nodes_.push_back(std::move(fresh));
}

void TaskGraph::task_dependence(Task& source, Task& sink) {
  const TaskNode* from = node(source);
  TaskNode* to = node(sink);
  if (from != nullptr && to != nullptr) to->after.push_back(from->number);
}

void TaskGraph::task_started(LocationRef, Task& task) {
  if (TaskNode* started = node(task)) started->begin = task.first_start;
}

void TaskGraph::task_completed(LocationRef, Task& task, std::uint64_t time) {
  if (TaskNode* done = node(task)) {
    done->region = task.region;
    done->end = time;
    open_.erase(&task);
  }
}

void TaskGraph::finished(std::uint64_t) {
  if (nodes_.empty()) return;
  std::vector<std::uint64_t> length(nodes_.size()), from(nodes_.size());
  std::size_t last = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {  // predecessors were created earlier, so have smaller numbers
    for (const std::uint64_t before : nodes_[i].after) {
      if (before <= i && length[before - 1] > length[i]) {
        length[i] = length[before - 1];
        from[i] = before;
      }
    }
    length[i] += nodes_[i].end - std::min(nodes_[i].end, nodes_[i].begin);
    if (length[i] > length[last]) last = i;
  }
  if (from[last] == 0) return;  // no chain
  for (std::size_t at = last + 1; at != 0; at = from[at - 1]) nodes_[at - 1].critical = true;
}

}  // namespace tracer::report
