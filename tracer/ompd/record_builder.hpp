// SPDX-License-Identifier: BSD-3-Clause
// Makes from OMPD's data the records that OMPT callbacks would have made: for the same translator.
#pragma once

#include <map>
#include <vector>

#include "tracer/ompd/snapshot.hpp"
#include "tracer/ompd/target/modules.hpp"
#include "tracer/trace_source.hpp"

namespace tracer::ompd {

/// OMPD has less than OMPT: neither a task's creation nor the implicit tasks of a team's workers.
/// A task is created where it is first executed; a team's members begin and end with their region.
/// Times are ns of CLOCK_MONOTONIC and must not decrease from call to call.
class RecordBuilder : public TraceSource {
 public:
  RecordBuilder(const Snapshot& about, std::vector<Module> modules, std::uint64_t time);

  /// A thread of the runtime; the first call counts. `initial`: it is no worker.
  void begin_thread(std::uint64_t thread, std::uint64_t time, bool initial);
  void end_thread(std::uint64_t thread, std::uint64_t time);
  void thread_gone(std::uint64_t thread, std::uint64_t time);
  /// `threads` by their number in the team; the first begins it. `codeptr`: an address in its body, 0 unknown.
  void begin_region(const std::vector<std::uint64_t>& threads, std::int64_t level, std::uint64_t codeptr,
                    std::uint64_t time);
  /// Nesting level of the innermost region that `thread` began and has not ended, 0 none.
  std::int64_t open_level(std::uint64_t thread) const;
  /// `threads`, of which the first began its innermost region, are all its members: those not known yet enter now.
  void complete_region(const std::vector<std::uint64_t>& threads, std::uint64_t time);
  /// The innermost that `thread` began; false when there is none.
  bool end_region(std::uint64_t thread, std::uint64_t time);
  void begin_task(std::uint64_t thread, std::uint64_t codeptr, std::uint64_t time);
  /// The one that `thread` executes; false when there is none.
  bool end_task(std::uint64_t thread, std::uint64_t time);
  /// Enters what `about` shows each thread to be in: regions; with `waits` also tasks and what they wait for.
  void enter_open(const Snapshot& about, bool waits, std::uint64_t time);
  void count(const std::string& name, std::uint64_t value) { journal_.counters[name] = value; }
  /// No further call after it.
  void finish(std::uint64_t time);
  std::uint64_t dropped() const noexcept { return dropped_; }  ///< records beyond the limit

  const Journal& journal() const override { return journal_; }
  std::unique_ptr<RecordReader> records(ChannelId channel) const override;
  std::unique_ptr<DeviceReader> device_records() const override;

 private:
  struct Region {
    ParallelId id = no_id;
    std::uint64_t codeptr = 0;
    std::int64_t level = 0;
    std::vector<std::pair<ChannelId, TaskId>> members{};
  };
  struct Channel {
    std::uint64_t counter = 0;
    bool known_to_openmp = false;
    std::vector<Record> records{};
    std::vector<Region> regions{};         ///< begun by this thread, innermost last
    std::vector<TaskId> implicit_tasks{};  ///< innermost last
    std::vector<TaskId> tasks{};           ///< explicit, innermost last
    TaskId current_task() const noexcept {
      return !tasks.empty() ? tasks.back() : implicit_tasks.empty() ? no_id : implicit_tasks.back();
    }
  };
  ChannelId id_of(std::uint64_t thread, std::uint64_t time);
  void enter_member(Region& region, std::uint64_t thread, std::uint32_t number, std::uint32_t size, std::uint64_t time);
  void emit(Channel& channel, const Record& record);
  void enter_regions(const Snapshot& about, std::int64_t level, std::uint64_t time);
  void enter_wait(const ThreadView& thread, std::uint64_t time);

  Journal journal_;
  std::vector<Channel> channels_;
  std::map<std::uint64_t, ChannelId> by_thread_;
  std::size_t total_ = 0;
  std::uint64_t dropped_ = 0;
};

/// The journal's form of the target's modules, by paths that can be opened here.
std::vector<Module> modules_of(const Modules& modules, const Target& target);

/// Where a region's or task's body begins, as a codeptr: positions are looked up one byte before it.
constexpr std::uint64_t codeptr_of_function(std::uint64_t function) noexcept {
  return function == 0 ? 0 : function + 1;
}

}  // namespace tracer::ompd
