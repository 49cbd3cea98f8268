// SPDX-License-Identifier: BSD-3-Clause
// See thread_watch.hpp. The numbers of kinds are ompt_sync_region_t's, ompt_work_t's and ompt_mutex_t's.
#include "tracer/cli/live/thread_watch.hpp"

#include <algorithm>
#include <iterator>

#include "tracer/mpi_functions.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/value_table.hpp"

namespace tracer::cli {
namespace {

constexpr const char* sync_names[] = {
    "",          "barrier",   "implicit barrier", "barrier",          "barrier",      "taskwait",
    "taskgroup", "reduction", "implicit barrier", "implicit barrier", "teams barrier"};
constexpr const char* work_names[] = {"",          "for",        "sections", "single", "single",
                                      "workshare", "distribute", "taskloop", "scope",  "workdistribute",
                                      "for",       "for",        "for",      "for"};
constexpr const char* mutex_names[] = {"",         "lock",   "lock",   "nested lock", "nested lock",
                                       "critical", "atomic", "ordered"};

template <std::size_t size>
std::string name_in(const char* const (&names)[size], std::uint16_t number, const char* otherwise) {
  return number < size && *names[number] != '\0' ? names[number] : otherwise;
}

}  // namespace

void Rates::add(const Rates& other) {
  parallels += other.parallels;
  tasks_created += other.tasks_created;
  tasks_run += other.tasks_run;
  barriers += other.barriers;
  loops += other.loops;
  locks += other.locks;
  mpi_calls += other.mpi_calls;
}

bool is_wait(const Inside& inside) {
  return inside.kind == RecordKind::sync_region_wait || inside.kind == RecordKind::mutex_acquire ||
         (inside.kind == RecordKind::sync_region && inside.sub != sync_kind::reduction);
}

std::string construct_name(const Inside& inside) {
  using enum RecordKind;
  static constexpr ValueTable<RecordKind, const char*, 64> names{"",
                                                                 {{parallel_begin, "parallel"},
                                                                  {implicit_task, "parallel"},
                                                                  {masked, "masked"},
                                                                  {reduction, "reduction"},
                                                                  {target, "target"},
                                                                  {target_data_op, "target data"},
                                                                  {target_submit, "target submit"},
                                                                  {task_schedule, "task"}}};
  switch (inside.kind) {
    case sync_region:
    case sync_region_wait:
      return name_in(sync_names, inside.sub, "barrier");
    case work:
      return name_in(work_names, inside.sub, "for");
    case mutex_acquire:
      return name_in(mutex_names, inside.sub, "lock");
    case mpi_call:
      return inside.sub < mpi_functions ? mpi_function_table[inside.sub].name : "MPI";
    default:
      return names[inside.kind];
  }
}

void ThreadWatch::add(Ticks& sum, Ticks from, Ticks to) const {
  from = std::max(from, from_);
  if (to > from) sum += to - from;
}

void ThreadWatch::push(RecordKind kind, const Record& record, std::uint64_t address) {
  stack_.push_back({kind, record.sub, address, record.time});
}

/// What was begun inside and did not end ends with it; an end whose begin was not seen means that all was inside of it.
void ThreadWatch::pop(RecordKind kind, Ticks time) {
  const auto found = std::find_if(stack_.rbegin(), stack_.rend(), [&](const Inside& in) { return in.kind == kind; });
  if (found == stack_.rend()) {
    stack_.clear();
    return;
  }
  const bool outermost_wait = std::none_of(found + 1, stack_.rend(), [](const Inside& in) { return is_wait(in); });
  if (is_wait(*found) && outermost_wait) add(waited_, found->since, time);
  if (kind == RecordKind::mpi_call) add(in_mpi_, found->since, time);
  stack_.erase(std::next(found).base(), stack_.end());
}

bool ThreadWatch::is_at_mutex() const {
  return !stack_.empty() && stack_.back().kind == RecordKind::mutex_acquire;
}

/// A test waits for nothing.
void ThreadWatch::mutex_acquire(const Record& record) {
  ++rates_.locks;
  if (record.sub != mutex_kind::test_lock && record.sub != mutex_kind::test_nest_lock)
    push(record.kind, record, record.c);
}

/// Of a test there is nothing to end.
void ThreadWatch::mutex_acquired(Ticks time) {
  if (is_at_mutex()) pop(RecordKind::mutex_acquire, time);
}

/// A thread that waits for a lock records nothing else before it has it: without an acquisition it was a test that
/// failed, also where libomp 13-16 report `lock`.
void ThreadWatch::leave_failed_test(const Record& next) {
  const bool is_acquired = next.kind == RecordKind::mutex_acquired ||
                           (next.kind == RecordKind::nest_lock && next.endpoint == Endpoint::begin);
  const bool is_unknown = next.kind == RecordKind::ring_wait || next.kind == RecordKind::lost;
  if (is_at_mutex() && !is_acquired && !is_unknown) stack_.pop_back();
}

void ThreadWatch::record(const Record& record) {
  leave_failed_test(record);
  const bool begin = record.endpoint == Endpoint::begin, end = record.endpoint == Endpoint::end;
  switch (record.kind) {
    case RecordKind::parallel_begin:
      ++rates_.parallels;
      push(record.kind, record, record.c);
      break;
    case RecordKind::parallel_end:
      pop(RecordKind::parallel_begin, record.time);
      break;
    case RecordKind::implicit_task:
      idle_ = end && record.sub != 0;
      if (begin) push(record.kind, record, 0);
      if (end) pop(record.kind, record.time);
      break;
    case RecordKind::work:
      if (begin) {
        if (record.sub != work_type::single_executor) ++rates_.loops;
        push(record.kind, record, record.c);
      } else if (end) {
        pop(record.kind, record.time);
      }
      break;
    case RecordKind::sync_region:
    case RecordKind::sync_region_wait:
    case RecordKind::reduction:
    case RecordKind::masked:
    case RecordKind::target:
    case RecordKind::target_data_op:
    case RecordKind::target_submit:
      if (begin) {
        if (record.kind == RecordKind::sync_region) ++rates_.barriers;
        push(record.kind, record,
             record.kind == RecordKind::target_data_op || record.kind == RecordKind::target_submit ? 0 : record.c);
      } else if (end) {
        pop(record.kind, record.time);
      }
      break;
    case RecordKind::mutex_acquire:
      mutex_acquire(record);
      break;
    case RecordKind::mutex_acquired:
      mutex_acquired(record.time);
      break;
    case RecordKind::nest_lock:
      if (begin) mutex_acquired(record.time);
      break;
    case RecordKind::task_create:
      ++rates_.tasks_created;
      break;
    case RecordKind::task_schedule:
      ++rates_.tasks_run;
      break;
    case RecordKind::mpi_call:
    case RecordKind::mpi_send:
    case RecordKind::mpi_recv:
    case RecordKind::mpi_request:
    case RecordKind::mpi_collective:
    case RecordKind::mpi_rma:
    case RecordKind::mpi_io:
      if (begin) {
        ++rates_.mpi_calls;
        push(RecordKind::mpi_call, record, record.c);
      } else if (end) {
        pop(RecordKind::mpi_call, record.time);
      }
      break;
    default:
      break;
  }
}

void ThreadWatch::see(const raw::RingView& view, Ticks now) {
  const bool gap = !started_ || view.first != next_;
  recorded_ = started_ ? view.head - std::min(view.head, next_) : 0;
  rates_ = {};
  waited_ = in_mpi_ = 0;
  os_thread_id_ = view.os_thread_id;
  // What is seen reaches from the last look, or from the first record behind a gap, to now.
  if (!gap && from_ == 0) from_ = view.begin;
  if (gap) {
    stack_.clear();
    last_ = 0;
    const auto whole = std::find_if(view.records.begin(), view.records.end(),
                                    [](const Record& one) { return one.kind != RecordKind::more; });
    from_ = whole == view.records.end() ? now : whole->time;
  }
  bool more = false;
  for (const Record& one : view.records) {
    const bool is_half = more || one.kind == RecordKind::more;  // its time is something else
    if (!is_half) {
      record(one);
      last_ = one.time;
    }
    more = one.kind == RecordKind::target_data_op || one.kind == RecordKind::target_map;
  }
  seen_ = view.records.size();
  const auto wait = std::find_if(stack_.begin(), stack_.end(), [](const Inside& in) { return is_wait(in); });
  if (wait != stack_.end()) add(waited_, wait->since, now);
  if (!stack_.empty() && stack_.back().kind == RecordKind::mpi_call) add(in_mpi_, stack_.back().since, now);
  seen_for_ = now > from_ ? now - from_ : 0;
  inside_ = stack_.empty() ? Inside{.since = last_} : stack_.back();
  from_ = now;
  next_ = view.head;
  started_ = true;
}

}  // namespace tracer::cli
