// SPDX-License-Identifier: BSD-3-Clause
// The first tasks of a trace with what they depend on: what the page draws as a graph.
#pragma once

#include <unordered_map>
#include <vector>

#include "tracer/replay/replay.hpp"

namespace tracer::report {

struct TaskNode {
  std::uint64_t number = 0, parent = 0;  ///< from 1 in the order of creation; parent 0: an implicit task
  RegionRef region = undefined_ref;
  std::uint64_t begin = 0, end = 0;
  std::vector<std::uint64_t> after;
  bool critical = false;  ///< on the longest chain of those collected
};

class TaskGraph final : public Observer {
 public:
  explicit TaskGraph(std::uint64_t limit) : limit_{limit} {}
  void task_created(LocationRef location, Task& creator, Task& task) override;
  void task_dependence(Task& source, Task& sink) override;
  void task_started(LocationRef location, Task& task) override;
  void task_completed(LocationRef location, Task& task, std::uint64_t time) override;
  void finished(std::uint64_t time) override;
  const std::vector<TaskNode>& nodes() const { return nodes_; }
  std::uint64_t left_out() const { return created_ - nodes_.size(); }

 private:
  TaskNode* node(const Task& task);
  std::uint64_t limit_, created_ = 0;
  std::vector<TaskNode> nodes_;
  std::unordered_map<const Task*, std::size_t> open_;
};

}  // namespace tracer::report
