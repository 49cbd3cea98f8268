// SPDX-License-Identifier: BSD-3-Clause
// What each kind of record adds to a channel's tables.
#include "tracer/translate/scan/scan.hpp"

#include <algorithm>
#include <utility>

#include "tracer/ompt_values.hpp"
#include "tracer/translate/scan/scanner.hpp"

namespace tracer::translate {
namespace {

/// A second one of these, alike, adds nothing to the tables.
bool adds_only_its_site(const Record& r) {
  if (r.kind == RecordKind::mutex_acquire) return true;
  return r.endpoint == Endpoint::begin &&
         (r.kind == RecordKind::sync_region || r.kind == RecordKind::sync_region_wait || r.kind == RecordKind::masked ||
          r.kind == RecordKind::reduction);
}

/// Whether another record of this kind, endpoint, sub and codeptr would add nothing to the tables, whatever its time, a
/// and b.
bool adds_once(const Record& r, const RuntimeCode& runtime) {
  switch (r.kind) {
    case RecordKind::sync_region:
    case RecordKind::sync_region_wait:
      return r.sub != sync_kind::taskgroup &&  // PositionMender looks at each
             (r.endpoint == Endpoint::begin || !is_join(sync_construct(r.sub)));
    case RecordKind::work:
      if (r.endpoint == Endpoint::end) return schedule_name(r.sub) == nullptr || r.sub == work_type::loop_static;
      return !runtime.contains(r.c) && !is_loop_without_codeptr(r);
    case RecordKind::masked:
    case RecordKind::reduction:
    case RecordKind::mutex_acquire:
    case RecordKind::flush:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::uint32_t Scanner::site(const RegionKey& key) {
  const std::size_t mask = sites_.size() - 1;
  for (std::size_t i = key.hash() & mask;; i = (i + 1) & mask) {
    if (sites_[i] == none) {
      sites_[i] = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back(key);
      if (keys_.size() * 2 > sites_.size()) grow_sites();
      return static_cast<std::uint32_t>(keys_.size() - 1);
    }
    if (keys_[sites_[i]] == key) return sites_[i];
  }
}

void Scanner::grow_sites() {
  std::vector<std::uint32_t> bigger(sites_.size() * 2, none);
  const std::size_t mask = bigger.size() - 1;
  for (std::uint32_t s = 0; s < keys_.size(); ++s) {
    std::size_t i = keys_[s].hash() & mask;
    while (bigger[i] != none) i = (i + 1) & mask;
    bigger[i] = s;
  }
  sites_ = std::move(bigger);
}

void Scanner::name(std::uint64_t counter, Entity entity) {
  // A damaged trace must not make us allocate without bound: ids are at most one per record. What was never set costs a
  // tenth of a byte. Behind lost records ids may be as far as they like.
  const std::uint64_t limit = (out_.records + 1024) * 4 + (std::uint64_t{1} << 26);
  if (out_.entities.size() != 0 && counter > out_.entities.base() + limit) {
    if (!has_lost_) out_.repairs.note(Repair::id_out_of_range);
    return out_.entities.set_sparse(counter, entity);
  }
  out_.entities.set(counter, entity);
}

void Scanner::task_create(const Record& r) {
  const std::uint64_t counter = task_counter_.extend(r.a);
  auto& known = known_.at(r);
  if (!known.holds(r)) {
    const RegionKey key = region_key(r);
    known.set(r, site(key));
    if (key.construct != Construct::taskwait) site({r.c, Construct::create_task, false, 0});
  }
  const bool is_taskwait = keys_[known.value].construct == Construct::taskwait;
  const std::uint32_t creator = nest_.empty() ? none : nest_[nesting_.part_of_creator(r.b)];
  name(counter, {creator, known.value});
  if (is_taskwait) return;
  balance(creator, make_id(channel_, counter));
  if (creator != none) out_.implicits[creator].creates_tasks = true;
}

void Scanner::task_schedule(const Record& r) {
  // Only untied tasks may go on with another thread.
  // What runs, and what a record ends: an implicit task is as good as none.
  if (task_status::is_switch(r.sub)) {
    const TaskId implicit = nest_.empty() ? no_id : out_.implicits[nest_.back()].task;
    const TaskId prior = r.b == implicit ? no_id : r.b, next = r.c == implicit ? no_id : r.c;
    out_.tasks_out_of_order |= prior != running_;
    out_.tasks_left_over += next - prior;
    if (next != no_id && !nest_.empty()) out_.implicits[nest_.back()].last_task = r.time;
    if (next != no_id && nest_.empty()) out_.tasks_out_of_order = out_.runs_tasks_outside = true;
    running_ = next;
    if (task_status::ends_task(r.sub) && prior != no_id) {
      ++out_.tasks_ended;
      balance(nest_.empty() ? none : nest_.back(), -(prior & ~untied_bit));
    }
  }
  const auto note = [&](TaskId id, UntiedLog::Does does) {
    if (id & untied_bit) out_.untied.add(id, r.time, does);
  };
  if (r.sub == task_status::complete || r.sub == task_status::cancel) note(r.b, UntiedLog::completes);
  if (r.sub == task_status::yield || r.sub == task_status::switched) note(r.b, UntiedLog::suspends);
  if (task_status::is_switch(r.sub)) note(r.c, UntiedLog::resumes);
  if (task_status::is_fulfill(r.sub)) site({0, Construct::fulfill_event, false, 0});
}

void Scanner::dependence(const Record& r) {
  if (r.b != depending_ || (r.a & 0xffff) == 0) type_counts_.fill(0);
  depending_ = r.b;
  out_.dependence_types.resize(256);
  auto& most = out_.dependence_types[r.sub & 0xff];
  most = std::max(most, ++type_counts_[r.sub & 0xff]);
  if (is_doacross(r)) site_in_loop(doacross_construct(r.sub));
}

void Scanner::lock(const Record& r, LockStep step) {
  const Ticks before = r.time > last_ ? r.time - last_ : 0;
  out_.lock_log.add(r.time, r.b, step, step == LockStep::released && r.a != 0 ? std::min<Ticks>(r.a, before) : before);
}

void Scanner::chunk(const Record& r) {
  if (r.sub == dispatch_kind::section) site({r.b, Construct::section, false, 0});
  out_.chunks |= r.sub >= dispatch_kind::loop_chunk && r.sub <= dispatch_kind::distribute_chunk;
  if (r.sub == dispatch_kind::loop_chunk || r.sub == dispatch_kind::distribute_chunk)
    site_in_loop(Construct::loop_chunk);
}

void Scanner::acquired_or_released(const Record& r) {
  const bool acquired = r.kind == RecordKind::mutex_acquired;
  lock(r, acquired ? LockStep::acquired : LockStep::released);
  if (known_.at(r).holds(r)) return;
  known_.at(r).set(r, none);
  const Construct c = mutex_construct(r.sub);
  if (acquired && (c == Construct::critical || c == Construct::ordered))
    site({r.c, c == Construct::critical ? Construct::critical_sblock : Construct::ordered_sblock, false, 0});
  if (!acquired && release_construct(r.sub) != c) site(region_key(r));
}

void Scanner::control_tool(const Record& r) {
  if (r.b == control_command::start || r.b == control_command::pause || r.b == control_command::end)
    out_.toggles.push_back({r.time, r.b == control_command::start, r.b == control_command::end});
  if (r.b == command_begin_phase) site({r.a, Construct::phase, false, 0});
  if (is_mark_command(r.b)) {
    out_.other_commands = true;
    site(region_key(r));
  }
}

void Scanner::work(const Record& r) {
  if (r.endpoint == Endpoint::end) {
    out_.counts_chunks |= r.a != 0;
    return place(r);
  }
  if (schedule_name(r.sub) || r.sub == work_type::distribute) loop_codeptr_ = r.c;
  if (schedule_name(r.sub)) out_.work_types |= std::uint64_t{1} << r.sub;
  if (is_loop_without_codeptr(r)) return begin_unplaced(r);
  if (known_.at(r).holds(r)) return;
  if (r.sub == work_type::single_executor) site({r.c, Construct::single_sblock, false, 0});
  region(r);
}

void Scanner::begin_unplaced(const Record& r) {
  while (!unplaced_.empty() && unplaced_.back().depth >= nest_.size()) place_innermost(0);
  unplaced_.push_back({r, out_.unplaced_loops.size(), nest_.size(), {}});
  out_.unplaced_loops.push_back({r.time, 0});
}

void Scanner::place(const Record& end) {
  while (!unplaced_.empty() && unplaced_.back().depth > nest_.size()) place_innermost(0);
  if (unplaced_.empty() || unplaced_.back().depth != nest_.size() || unplaced_.back().begin.sub != end.sub) return;
  loop_codeptr_ = end.c;
  place_innermost(end.c);
}

void Scanner::place_innermost(std::uint64_t codeptr) {
  OpenLoop loop = std::move(unplaced_.back());
  unplaced_.pop_back();
  out_.unplaced_loops[loop.row].codeptr = codeptr;
  loop.begin.c = codeptr;
  region(loop.begin);
  for (const Construct construct : loop.inside) site({codeptr, construct, false, 0});
}

void Scanner::site_in_loop(Construct construct) {
  if (loop_codeptr_ != 0 || unplaced_.empty() || unplaced_.back().depth != nest_.size()) {
    site({loop_codeptr_, construct, false, 0});
    return;
  }
  auto& inside = unplaced_.back().inside;
  if (std::find(inside.begin(), inside.end(), construct) == inside.end()) inside.push_back(construct);
}

/// The record's own region.
void Scanner::region(const Record& r) {
  if (r.endpoint == Endpoint::end) return;
  const RegionKey key = region_key(r);
  if (key.construct != Construct::count_) site(key);
  // libomp 13-16 call a test of a lock an acquisition: what it was shows in the next record.
  if (r.kind == RecordKind::mutex_acquire && is_lock_routine(r.sub)) site({r.c, test_construct(r.sub), false, 0});
  known_.at(r).set(r, none);
}

void Scanner::record(const Record& r) {
  ++out_.records;
  if (r.kind == RecordKind::more) {
    out_.has_content |= r.sub != 0 && data_op_.construct != Construct::count_;
    if (r.sub == 0 && data_op_.construct != Construct::count_) site({r.c, data_op_.construct, false, data_op_.extra});
    data_op_ = {};
    collectives_.more(r);
    if (awaits_payload_) word_payload_follows(r);
    return;
  }
  if (out_.first == 0) out_.first = r.time;
  if (r.time > out_.last) out_.last = r.time;
  if (r.kind < RecordKind::count_) ++out_.kinds[static_cast<std::size_t>(r.kind)];
  if (nesting_.is_at_boundary()) nesting_.complete_boundary(r);
  if (adds_only_its_site(r) && known_.at(r).holds(r)) return;
  switch (r.kind) {
    case RecordKind::parallel_begin:
      if (!nesting_.parallel_begin(r)) out_.repairs.note(Repair::parallel_without_id);
      return;
    case RecordKind::parallel_end:
      return nesting_.parallel_end(r);
    case RecordKind::implicit_task:
    case RecordKind::initial_task:
      return r.endpoint == Endpoint::begin ? nesting_.part_begin(r) : nesting_.part_end(r);
    case RecordKind::task_create:
      return task_create(r);
    case RecordKind::task_schedule:
      return task_schedule(nesting_.task_switch(r));
    case RecordKind::dependences:
      return dependence(r);
    case RecordKind::dispatch:
      return chunk(r);
    case RecordKind::mutex_acquired:
    case RecordKind::mutex_released:
      return acquired_or_released(r);
    case RecordKind::nest_lock:
      lock(r, r.endpoint == Endpoint::begin ? LockStep::nested : LockStep::nested_release);
      if (r.endpoint != Endpoint::begin) site(region_key(r));
      return;
    case RecordKind::control_tool:
      return control_tool(r);
    case RecordKind::sync_region:
    case RecordKind::sync_region_wait:
      if (r.endpoint != Endpoint::begin && is_join(sync_construct(r.sub))) join_end(r);
      return region(r);
    case RecordKind::work:
      return work(r);
    case RecordKind::range_push:
    case RecordKind::range_pop:
    case RecordKind::range_start:
    case RecordKind::range_end:
    case RecordKind::range_mark:
    case RecordKind::range_counter:
      return word(r);
    case RecordKind::target_data_op:
    case RecordKind::target_map:
    case RecordKind::target_submit:
    case RecordKind::target:
      return target(r);
    case RecordKind::mpi_call:
    case RecordKind::mpi_collective:
    case RecordKind::mpi_rma:
      collectives_.record(r);
      return region(r);
    case RecordKind::error:
      out_.messages.push_back(r.a);
      return region(r);
    case RecordKind::lost:
      out_.repairs.note(Repair::events_lost);
      out_.lost += r.b;
      has_lost_ = true;
      return region(r);
    default:
      return region(r);
  }
}

void Scanner::target(const Record& r) {
  switch (r.kind) {
    case RecordKind::target_data_op:  // its position is in the `more` record behind it
      data_op_ = region_key(r);
      return;
    case RecordKind::target_map:
      data_op_ = {0, Construct::target_map, false, 0};
      return;
    case RecordKind::target_submit:
      if (r.endpoint != Endpoint::end) site({target_codeptr_, Construct::target_submit, false, 0});
      return;
    default:
      target_codeptr_ = r.endpoint == Endpoint::begin ? r.c : 0;
      out_.target_types |= std::uint64_t{1} << (r.sub < 16 ? r.sub : 0);
      return region(r);
  }
}

void Scanner::count(const Repeats& repeats) {
  for (std::size_t tag = 0; tag < repeats.skipped.size(); ++tag) {
    out_.records += repeats.skipped[tag];
    if (const std::size_t kind = tag & 63; kind < out_.kinds.size()) out_.kinds[kind] += repeats.skipped[tag];
  }
  out_.last = std::max(out_.last, repeats.latest);
}

ChannelScan scan_channel(RecordReader& reader, ChannelId channel, const RuntimeCode& runtime, SpillFile* spill) {
  Scanner scanner(channel, spill);
  PositionMender positions(runtime);
  Repeats repeats;
  bool is_first = true;
  for (auto batch = reader.next_new(repeats); !batch.empty(); batch = reader.next_new(repeats)) {
    if (is_first && batch.back().kind != RecordKind::lost) {  // where the begin is lost, a batch has that alone
      is_first = false;
      scanner.count_from(counter_near(batch, channel));
    }
    for (const Record& r : batch) {
      positions.mend(r, [&](const Record& mended) { scanner.record(mended); });
      if (r.kind != RecordKind::more) scanner.passed(r.time);
      repeats.skip[Repeats::index(r)] = adds_once(r, runtime);
    }
  }
  scanner.count(repeats);
  return scanner.take();
}

}  // namespace tracer::translate
