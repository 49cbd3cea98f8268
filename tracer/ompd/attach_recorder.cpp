// SPDX-License-Identifier: BSD-3-Clause
// From hits to records. The process's other threads run on while one is looked at.
#include "tracer/ompd/attach_recorder.hpp"

#include <algorithm>

#include "tracer/ompd/runtime.hpp"

namespace tracer::ompd {
namespace {

constexpr std::int64_t max_team = 65536;

}  // namespace

AttachRecorder::AttachRecorder(RuntimeAccess& session, RecordBuilder& records, UserCode user_code)
    : session_(session), records_(records), user_code_(std::move(user_code)) {
  for (const IcvDefinition& icv : session_.space().icvs()) {
    if (icv.scope != ompd_scope_parallel) continue;
    if (icv.name == "team-size-var") team_size_ = icv;
    if (icv.name == "levels-var") level_ = icv;
  }
  // A worker that is idle still names the team it was in last, which libomp uses again.
  for (const std::uint64_t thread : session_.target().threads()) {
    if (const ThreadHandle* handle = handle_of(thread)) learn_team(*handle);
  }
}

void AttachRecorder::thread_born(std::uint64_t thread) {
  session_.add_thread(thread);
}

void AttachRecorder::thread_gone(std::uint64_t thread, std::uint64_t time) {
  handles_.erase(thread);
  records_.thread_gone(thread, time);
}

void AttachRecorder::hit(const Hit& hit) {
  const auto kind =
      hit.point == Point::parallel_begin || hit.point == Point::parallel_end ? caller_kind(hit.caller) : Caller::region;
  if (kind == Caller::duplicate) return;
  if (kind == Caller::serialized) {
    ++counts_.serialized_ends;
    return;
  }
  ++counts_.seen[static_cast<std::size_t>(hit.point)];
  wants_look_ = false;
  switch (hit.point) {
    case Point::parallel_begin:
      return parallel_begin(hit);
    case Point::parallel_end:
      if (!records_.end_region(hit.thread, hit.time)) ++counts_.unmatched_ends;
      return;
    case Point::task_begin:
      return task_begin(hit);
    case Point::task_end:
      if (!records_.end_task(hit.thread, hit.time)) ++counts_.unmatched_ends;
      return;
    case Point::thread_begin:
      return records_.begin_thread(hit.thread, hit.time, hit.thread == session_.target().process_id());
    case Point::thread_end:
      return records_.end_thread(hit.thread, hit.time);
  }
}

// libomp calls the region's breakpoints from its fork and join; from its entry for GCC's code as well
// (a second time), and at the end, but not at the begin, of a region that was given one thread.
AttachRecorder::Caller AttachRecorder::caller_kind(std::uint64_t address) {
  const auto [known, is_new] = callers_.try_emplace(address, Caller::region);
  if (is_new) {
    const std::string name = session_.runtime().file->containing(address - 1 - session_.runtime().bias);
    if (name.find("serialized") != std::string::npos) known->second = Caller::serialized;
    if (name.find("GOMP_parallel") != std::string::npos) known->second = Caller::duplicate;
  }
  return known->second;
}

const ThreadHandle* AttachRecorder::handle_of(std::uint64_t thread) {
  const auto known = handles_.find(thread);
  if (known != handles_.end()) return &known->second;
  auto found = session_.space().thread(thread);
  return found ? &handles_.emplace(thread, std::move(found.value)).first->second : nullptr;
}

std::vector<std::uint64_t> AttachRecorder::members(const ParallelHandle& region) const {
  std::vector<std::uint64_t> threads;
  const auto size = session_.space().icv(region.get(), team_size_);
  for (int i = 0; size && i < std::min<std::int64_t>(*size, max_team); ++i) {
    const auto thread = session_.space().thread_in(region, i);
    const auto posix = thread ? session_.space().posix_thread(*thread) : Answer<std::uint64_t>{0, thread.code};
    const auto id = posix ? session_.space().context().thread_locals->os_thread(*posix) : std::nullopt;
    if (!id) break;
    threads.push_back(*id);
  }
  return threads;
}

std::uint64_t AttachRecorder::function_of(const TaskHandle& task) const {
  const auto function = session_.space().function(task);
  return function ? codeptr_of_function(*function) : 0;
}

std::int64_t AttachRecorder::level_of(const ParallelHandle& region) const {
  const auto level = session_.space().icv(region.get(), level_);
  return level ? *level : -1;
}

void AttachRecorder::learn_team(const ThreadHandle& thread) {
  auto region = session_.space().current_region(thread);
  while (region && level_of(*region) > 0) {
    auto next = session_.space().enclosing(*region);
    const auto threads = members(*region);
    if (threads.size() > 1) teams_[{threads.front(), level_of(*region)}] = std::move(region.value);
    region = std::move(next);
  }
}

// libomp (14-22) calls the breakpoint when the team is filled, but mostly before it is the thread's: OMPD
// then shows the region outside. It takes the same team for every region of a thread and level, though:
// one that was seen before is it. Only when the team grows it is the thread's already.
void AttachRecorder::parallel_begin(const Hit& hit) {
  std::vector<std::uint64_t> threads;
  std::int64_t level = records_.open_level(hit.thread) + 1;
  if (const ThreadHandle* handle = handle_of(hit.thread)) {
    const auto current = session_.space().current_region(*handle);
    const std::int64_t shown = current ? level_of(*current) : -1;
    if (shown > 0 && shown > records_.open_level(hit.thread)) {
      threads = members(*current);
      level = shown;
      if (!threads.empty() && threads.front() != hit.thread) {  // a worker's region, in which it begins one
        threads.clear();
        level = shown + 1;
      }
    }
    const auto team = teams_.find({hit.thread, level});
    if (threads.empty() && team != teams_.end() && level_of(team->second) == level) threads = members(team->second);
  }
  if (threads.empty() || threads.front() != hit.thread) {
    threads = {hit.thread};
    wants_look_ = true;
  }
  records_.begin_region(threads, level, user_code_(hit.thread), hit.time);
}

void AttachRecorder::look(std::uint64_t thread, std::uint64_t time) {
  const ThreadHandle* handle = handle_of(thread);
  if (handle == nullptr) return;
  learn_team(*handle);
  const auto region = session_.space().current_region(*handle);
  if (!region || level_of(*region) <= 0) return;
  const auto threads = members(*region);
  if (threads.size() > 1 && threads.front() == thread) records_.complete_region(threads, time);
}

void AttachRecorder::task_begin(const Hit& hit) {
  std::uint64_t codeptr = 0;
  if (const ThreadHandle* handle = handle_of(hit.thread)) {
    if (const auto current = session_.space().current_task(*handle)) codeptr = function_of(*current);
  }
  records_.begin_task(hit.thread, codeptr, hit.time);
}

void AttachRecorder::finish(std::uint64_t time) {
  records_.count("ATTACH_UNMATCHED_ENDS", counts_.unmatched_ends);
  records_.count("ATTACH_SERIALIZED_ENDS", counts_.serialized_ends);
  records_.finish(time);
}

}  // namespace tracer::ompd
