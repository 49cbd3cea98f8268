// SPDX-License-Identifier: BSD-3-Clause
// Reads a channel record by record and hands each to the part that knows it; keeps the region stacks.
#include "tracer/translate/write/location_translator.hpp"

#include <algorithm>

namespace tracer::translate {

LocationTranslator::LocationTranslator(const Tables& tables, const Journal& journal, const Vocabulary& vocabulary,
                                       const ClockFit& clock, ChannelId channel, LocationWriter& writer, Naming naming)
    : tables_(tables),
      scan_(tables.channels[channel]),
      plan_(tables.plans[channel]),
      journal_(journal),
      names_(vocabulary),
      clock_(clock),
      channel_(channel),
      location_(tables.location_of[channel]),
      out_(writer, *tables.regions, scan_.records, vocabulary[Attribute::message]),
      naming_(naming) {
  base_.comm = tables.root_comm[channel];
}

std::uint64_t LocationTranslator::surrounding_position() const {
  if (current_->generation != 0)
    if (const std::uint64_t position = task_key(current_->id).codeptr; position != 0) return position;
  for (auto i = nest_.rbegin(); i != nest_.rend(); ++i)
    if (i->parallel && i->parallel->codeptr != 0) return i->parallel->codeptr;
  return 0;
}

RegionRef LocationTranslator::region_of(RegionKey key) {
  if (key.codeptr == 0 && wants_position(key.construct)) [[unlikely]]
    key.codeptr = surrounding_position();
  if (out_.paused()) [[unlikely]]
    return tables_.regions->defer(key);
  CachedRegion& cached = cache_[key.hash() & (cache_.size() - 1)];
  if (cached.region == undefined_ref || !(cached.key == key)) cached = {key, tables_.regions->use(key)};
  return cached.region;
}

namespace {
/// Whose end never comes: `single` in GCC's code, and the `masked` in which libomp's hidden helper threads wait for
/// work, whose position is the runtime's own.
constexpr bool is_endless(Construct c, std::uint64_t codeptr) noexcept {
  return c == Construct::single || c == Construct::single_sblock || (c == Construct::masked && codeptr == 0);
}
}  // namespace

void LocationTranslator::close_open(TaskState& task, Nanoseconds t, std::size_t keep, std::optional<Repair> why) {
  while (task.open.size() > keep) {
    if (why && !is_endless(task.open.back().construct, task.open.back().codeptr)) note(*why);
    out_.add(t, EventType::leave, task.open.back().region);
    task.open.pop_back();
  }
}

namespace {
/// Ends with its task or team, never by an end of its own.
constexpr bool is_outermost(Construct c) noexcept {
  return c == Construct::parallel || c == Construct::teams || c == Construct::task;
}
}  // namespace

void LocationTranslator::leave(Nanoseconds t, Construct construct, bool wait) {
  auto& open = current_->open;
  if (!open.empty() && open.back().construct == construct && open.back().wait == wait && !is_outermost(construct))
      [[likely]] {
    out_.add(t, EventType::leave, open.back().region);
    return open.pop_back();
  }
  for (std::size_t n = open.size(); n-- > 0;) {
    const Construct c = open[n].construct;
    if (is_outermost(c)) break;
    if (open[n].construct != construct || open[n].wait != wait) continue;
    // What began inside and never ended (GCC's `single`) ends here.
    close_open(*current_, t, n + 1, Repair::region_closed_by_outer_end);
    out_.add(t, EventType::leave, open.back().region);
    open.pop_back();
    return;
  }
  out_.forget_attributes();
  note(Repair::end_without_begin);
}

std::size_t LocationTranslator::fast(std::span<const Record> batch) {
  const Ticks until = fast_until();
  // A worker's ends may come late: due_late().
  const bool worker = !nest_.empty() && nest_.back().instance->rank != 0 && nest_.back().parallel;
  const Ticks late = worker && nest_.back().parallel->implicit_end != 0 ? nest_.back().parallel->implicit_end : never;
  auto& open = current_->open;
  std::size_t done = 0;
  for (const Record& r : batch) {
    const FastAction& fast = fast_[Repeats::index(r)];
    if (fast.does == FastAction::nothing || fast.codeptr != r.c || fast.sub != r.sub || r.time >= until) break;
    const bool same = !open.empty() && open.back().construct == fast.construct;
    const Nanoseconds t = clock_(r.time);
    if (fast.does == FastAction::enters) {
      if (!open.empty() && open.back().construct == Construct::single_sblock) break;  // end_single()
      if (fast.wait && same && open.back().codeptr != fast.codeptr) break;            // better_position()
      out_.add_region(t, EventType::enter, fast.region);
      Open& inner = open.emplace_back();
      inner.region = fast.region;
      inner.construct = fast.construct;
      inner.wait = fast.wait;
      inner.codeptr = fast.codeptr;
    } else {
      if (!same || open.back().wait != fast.wait || r.time > late || RegionTable::is_deferred(open.back().region))
        break;
      out_.add_region(t, EventType::leave, open.back().region);
      open.pop_back();
    }
    ++done;
  }
  return done;
}

// A producer reads the clock, finds its ring full, waits, and leaves the wait before the record: the
// record is the older one. Nor may the wait come between a task's creation and its dependences, or
// between a fork and its team.
void LocationTranslator::record(const Record& r) {
  if (r.kind == RecordKind::ring_wait) return waits_.push_back(r);
  if (waits_.empty()) [[likely]]
    return translate(r);
  if (r.kind != RecordKind::dependences) {
    if (has_pending_create_) write_pending_create();
    if (has_pending_test_) resolve_lock_test(r);
    if (r.time >= waits_.front().time) write_waits();
  }
  translate(r);
  if (!has_pending_create_ && !has_pending_test_) write_waits();
}

void LocationTranslator::write_waits() {
  if (waits_.empty() || is_outside_forked_team() || awaiting_more_.kind != RecordKind::invalid) return;
  if (waits_.front().time > limit_) return;  // its team is over by then: the thread's late end of that comes first
  for (const Record& wait : waits_) {
    const Nanoseconds begin = std::max(clock_(wait.time), out_.last());
    out_.add(begin, EventType::buffer_flush, 0, std::max(clock_(wait.b), begin));
  }
  waits_.clear();
}

void LocationTranslator::translate(const Record& r) {
  if (r.kind == RecordKind::more) return more(r);
  if (has_pending_create_ && !(r.kind == RecordKind::dependences && r.time >= pending_create_.time))
    write_pending_create();
  if (has_pending_test_) resolve_lock_test(r);
  // A worker's late ends belong to the pause in which its region was, though they come after it.
  Ticks when = due(r);
  if (when > limit_) [[unlikely]]
    when = past_limit(r, when);
  if (next_implied_ < plan_.implied_releases.size() && plan_.implied_releases[next_implied_].time < when) [[unlikely]]
    release_implied(when, &r);
  if (next_toggle_ < tables_.toggles.size() && tables_.toggles[next_toggle_].time <= when) [[unlikely]]
    toggle(when);
  if (current_->ends_unreported && is_over(r)) [[unlikely]]
    end_unreported(clock_(when));
  // The master's time, unless this thread was still at the end of a task by then.
  const Nanoseconds t = when == r.time ? clock_(when) : std::max(clock_(when), out_.last());
  if (is_at_team_boundary()) complete_team_boundary(r, t);
  switch (r.kind) {
    case RecordKind::parallel_begin:
      return parallel_begin(r, t);
    case RecordKind::parallel_end:
      return parallel_end(r, t);
    case RecordKind::implicit_task:
    case RecordKind::initial_task:
      return r.endpoint == Endpoint::begin ? implicit_begin(r, t) : implicit_end(r, t);
    case RecordKind::task_create:
      return task_create(r);
    case RecordKind::dependences:
      return dependence(r, t);
    case RecordKind::task_schedule:
      return task_schedule(r, t);
    case RecordKind::sync_region:
    case RecordKind::sync_region_wait:
    case RecordKind::reduction:
      return sync(r, t);
    case RecordKind::work:
      return work(r, t);
    case RecordKind::dispatch:
      return dispatch(r, t);
    case RecordKind::masked:
      return sync(r, t);
    case RecordKind::mutex_acquire:
    case RecordKind::mutex_acquired:
    case RecordKind::mutex_released:
    case RecordKind::lock_init:
    case RecordKind::lock_destroy:
    case RecordKind::nest_lock:
      return mutex(r, t);
    case RecordKind::flush:
    case RecordKind::cancel:
    case RecordKind::error:
    case RecordKind::task_dependence:
    case RecordKind::lost:
      return marks(r, t);
    case RecordKind::control_tool:
      return control_tool(r, t);
    case RecordKind::target:
      return target(r, t);
    case RecordKind::target_submit:
      return target_submit(r, t);
    case RecordKind::target_data_op:
    case RecordKind::target_map:
      awaiting_more_ = r;
      return;
    default:
      return;  // thread and device records make definitions, not events
  }
}

void LocationTranslator::more(const Record& r) {
  const Record first = awaiting_more_;
  awaiting_more_ = {};
  if (first.kind == RecordKind::target_data_op || first.kind == RecordKind::target_map)
    data_op(first, r, clock_(due(first)));
}

void LocationTranslator::toggle(Ticks until) {
  for (; next_toggle_ < tables_.toggles.size() && tables_.toggles[next_toggle_].time <= until; ++next_toggle_) {
    const Toggle& next = tables_.toggles[next_toggle_];
    next.recording ? out_.resume(clock_(next.time)) : out_.pause(clock_(next.time));
  }
}

LocationResult LocationTranslator::run(RecordReader& records) {
  if (location_ == 0) {
    kind_ = ThreadKind::root;
    out_.attribute(names_[Attribute::process_id], journal_.run.process_id);
    out_.add(clock_(tables_.begin), EventType::program_begin, 0, names_.program);
    out_.usage().string(names_.program);
  }
  PositionMender positions(tables_.runtime);
  for (auto batch = records.next(); !batch.empty(); batch = records.next())
    for (std::size_t i = 0; i < batch.size();) {
      const std::size_t done = has_fast(batch[i]) ? fast(batch.subspan(i)) : 0;
      if (done == 0) positions.mend(batch[i], [this](const Record& mended) { record(mended); });
      i += std::max<std::size_t>(done, 1);
    }
  finish();
  result_.first = out_.first();
  result_.last = out_.last();
  result_.events = out_.count();
  result_.clamped = out_.clamped();
  result_.used = std::move(out_.usage());
  return std::move(result_);
}

void LocationTranslator::finish() {
  if (has_pending_create_) write_pending_create();
  if (has_pending_test_) resolve_lock_test(Record{});
  pass_limits(never);
  release_implied(never - 1, nullptr);
  toggle(tables_.end);
  const Nanoseconds end = std::max(clock_(tables_.end), out_.last());
  out_.resume(end);
  release_implied(never, nullptr);
  drop_all(end);
  end_unstarted(none, end);
  write_waits();
  close_tasks(end, 0, undefined_ref);
  close_open(base_, end, 0, Repair::region_closed_at_end_of_trace);
  if (location_ == 0) out_.add(end, EventType::program_end, 0);
  out_.flush();
}

}  // namespace tracer::translate
