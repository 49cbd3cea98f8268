// SPDX-License-Identifier: BSD-3-Clause
// A trace as pictures need it: properly nested slices per location, arrows between them, counters.
// A suspended task's slices end, and go on as new ones where it is resumed.
#pragma once

#include <unordered_map>
#include <vector>

#include "tracer/report/replay.hpp"

namespace tracer::report {

struct Slice {
  LocationRef location = 0;
  std::uint32_t depth = 0;       ///< 0: outermost
  std::uint32_t name = 0;        ///< index into slice_names()
  std::uint64_t begin = 0, end = 0;  ///< end: 0 while open
  std::uint64_t task = 0;        ///< number of the explicit task, from 1; 0 none
  std::uint64_t bytes = 0;       ///< of a copy
  bool continues = false;        ///< an earlier slice of the same task and region was suspended
  bool suspended = false;        ///< ends because its task was suspended
};

enum class ArrowKind : std::uint8_t { submit, transfer, task };  ///< to a kernel, to a copy, from creation to start

struct Arrow {
  ArrowKind kind = ArrowKind::submit;
  LocationRef from = 0, to = 0;
  std::uint64_t from_time = 0, to_time = 0;
};

struct Counter {
  std::uint32_t metric = 0;
  LocationRef location = 0;
  std::uint64_t time = 0, value = 0;
};

class TimelineVisitor {
 public:
  virtual ~TimelineVisitor() = default;
  /// In order of time; slices of a location open and close like brackets.
  virtual void open(const Slice&) {}
  virtual void close(const Slice&) {}
  /// When its end is reached; its beginning is in the past.
  virtual void arrow(const Arrow&) {}
  virtual void counter(const Counter&) {}
};

/// Regions' names, then those of copies.
std::vector<std::string> slice_names(const Definitions& definitions);

class Timeline final : public Observer {
 public:
  Timeline(const Definitions& definitions, TimelineVisitor& visitor);
  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void enter(LocationRef location, Task& task, const Frame& frame) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void task_created(LocationRef location, Task& creator, Task& task) override;
  void task_started(LocationRef location, Task& task) override;
  void task_switched(LocationRef location, Task& from, Task& to, std::uint64_t time) override;
  void task_completed(LocationRef location, Task& task, std::uint64_t time) override;
  void finished(std::uint64_t time) override;

 private:
  struct Open {
    Slice slice;
    const Task* owner;
  };
  struct Origin {
    LocationRef location;
    std::uint64_t time;
  };
  void push(LocationRef location, const Task& task, std::uint32_t name, std::uint64_t time, bool continues);
  void pop(LocationRef location, std::uint64_t time, bool suspended);
  void device_operation(LocationRef location, std::uint64_t id, std::uint64_t time, ArrowKind kind);

  const Definitions& definitions_;
  TimelineVisitor& visitor_;
  std::vector<std::vector<Open>> open_;
  std::unordered_map<std::uint64_t, Origin> submits_;               ///< by host_op_id
  std::unordered_map<std::uint64_t, Slice> copies_;                 ///< by matching id
  std::unordered_map<const Task*, std::pair<std::uint64_t, Origin>> tasks_;  ///< number, and where created
  std::uint64_t next_task_ = 1;
  std::uint32_t host_op_id_ = undefined_ref, callsite_ = undefined_ref;
};

}  // namespace tracer::report
