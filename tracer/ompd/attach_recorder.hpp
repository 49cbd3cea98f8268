// SPDX-License-Identifier: BSD-3-Clause
// What happens at the breakpoints of a followed process, read by OMPD and kept as records.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "tracer/ompd/follower.hpp"
#include "tracer/ompd/handles.hpp"
#include "tracer/ompd/record_builder.hpp"

namespace tracer::ompd {

struct AttachCounts {
  std::array<std::uint64_t, point_count> seen{};  ///< by Point; of regions those that really forked
  std::uint64_t serialized_ends = 0;  ///< libomp 14-22 reports the end of a region of one thread, not its begin
  std::uint64_t unmatched_ends = 0;   ///< of regions and tasks that began before
};

class AttachRecorder {
 public:
  /// The address in the program's code at which a stopped thread entered the runtime, 0 unknown.
  using UserCode = std::function<std::uint64_t(std::uint64_t thread)>;
  /// All must outlive it; the target is stopped.
  AttachRecorder(RuntimeAccess& session, RecordBuilder& records, UserCode user_code);

  void hit(const Hit& hit);
  /// After `hit`: the thread began a region whose team is unknown; `look` at it, stopped, a moment later.
  bool wants_look() const noexcept { return wants_look_; }
  void look(std::uint64_t thread, std::uint64_t time);
  void thread_born(std::uint64_t thread);
  void thread_gone(std::uint64_t thread, std::uint64_t time);
  /// Puts the counts into the trace.
  void finish(std::uint64_t time);
  const AttachCounts& counts() const noexcept { return counts_; }

 private:
  enum class Caller : std::uint8_t { region, serialized, duplicate };

  void parallel_begin(const Hit& hit);
  void parallel_end(const Hit& hit);
  void task_begin(const Hit& hit);
  void learn_team(const ThreadHandle& thread);
  std::int64_t level_of(const ParallelHandle& region) const;
  std::vector<std::uint64_t> members(const ParallelHandle& region) const;
  std::uint64_t function_of(const TaskHandle& task) const;
  const ThreadHandle* handle_of(std::uint64_t thread);
  Caller caller_kind(std::uint64_t address);

  RuntimeAccess& session_;
  RecordBuilder& records_;
  std::map<std::uint64_t, ThreadHandle> handles_;
  std::map<std::uint64_t, Caller> callers_;
  AttachCounts counts_;
  UserCode user_code_;
  IcvDefinition team_size_, level_;
  std::map<std::pair<std::uint64_t, std::int64_t>, ParallelHandle> teams_;  ///< by first thread and level
  bool wants_look_ = false;
};

}  // namespace tracer::ompd
