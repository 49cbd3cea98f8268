// SPDX-License-Identifier: BSD-3-Clause
// See mpi_paths.hpp.
#include "tracer/report/measures/mpi_paths.hpp"

#include <algorithm>

#include "tracer/report/measures/graph.hpp"

namespace tracer::report {
namespace {

bool communicates(RegionRole role) {
  return role == RegionRole::point2point || role == RegionRole::rma || role == RegionRole::coll_one2all ||
         role == RegionRole::coll_all2one || role == RegionRole::coll_all2all || role == RegionRole::coll_other ||
         role == RegionRole::barrier;
}

}  // namespace

MpiPaths::MpiPaths(const Definitions& definitions, const Replay& replay, Graph& graph)
    : definitions_{definitions},
      replay_{replay},
      graph_{graph},
      world_{definitions},
      where_(definitions.locations.size()),
      locations_(world_.ranks()) {
  for (const Region& region : definitions.regions) blocking_probes_.push_back(is_blocking_probe(region));
  if (is_concerned()) graph.follow_mpi(*this);
}

bool MpiPaths::take(LocationRef location, std::uint64_t from, std::uint64_t to) {
  Call& call = where_[location].call;
  if (call.is_open && !call.only_waits) call.inside.emplace_back(from, to);
  return call.is_open;
}

bool MpiPaths::join_before_call(const Task& task, std::uint64_t begin, const Path& path) {
  if (task.location >= where_.size()) return false;
  Call& call = where_[task.location].call;
  if (call.is_settled || call.task.get() != &task || begin >= call.enter) return false;
  begin_behind(call, path);
  return true;
}

void MpiPaths::enter(LocationRef location, Task& task, const Frame& frame) {
  if (replay_.classes()[frame.region].construct != Directive::mpi) return;
  Where& where = where_[location];
  settle(location, frame.enter);
  const std::uint32_t rank = world_.rank_of(location);
  if (rank == undefined_ref) return;
  std::vector<LocationRef>& callers = locations_[rank];
  if (std::find(callers.begin(), callers.end(), location) == callers.end()) callers.push_back(location);
  Call& call = where.call;
  call.enter = frame.enter;
  call.is_open = true;
  call.is_settled = false;
  call.only_waits = blocking_probes_[frame.region];
  call.task = TaskRef{&task};
  call.base = task.path;
  call.cause = {};
  call.cause_time = 0;
  call.inside.clear();
  if (where.arrivals.size() == most_arrivals) where.arrivals.pop_front();
  where.arrivals.push_back({frame.enter, task.path});
}

void MpiPaths::leave(LocationRef location, Task&, const Frame& frame, std::uint64_t time) {
  Call& call = where_[location].call;
  if (replay_.classes()[frame.region].construct != Directive::mpi || !call.is_open) return;
  call.is_open = false;
  call.leave = time;
  if (call.cause_time != 0 || !communicates(definitions_.regions[frame.region].role)) settle(location, time);
}

/// The path continues behind the call: no later event changes what it waited for.
void MpiPaths::settle(LocationRef location, std::uint64_t now) {
  Call& call = where_[location].call;
  if (call.is_settled) return;
  call.is_settled = true;
  if (call.is_open) call.leave = now;
  call.is_open = false;
  std::vector<Stretch> own;
  std::uint64_t own_ns = 0;
  for (const auto& [from, to] : call.inside) {
    if (to <= call.cause_time) continue;
    own.push_back({location, std::max(from, call.cause_time), to});
    own_ns += to - own.back().from;
  }
  Path& path = call.task->path;
  const bool has_jumped = &longer(call.base, call.cause) == &call.cause;
  Path since;  // the call's begin
  since.ns = path.ns - std::min(path.ns, call.base.ns);
  since.tasks = path.tasks - std::min(path.tasks, call.base.tasks);
  if (graph_.keeps_trails() && (has_jumped || own_ns != 0))
    path.trail = has_jumped ? with_last_of(path.trail, since.ns, call.cause.trail, own)
                            : with_inside(path.trail, call.enter, own);
  if (has_jumped) {
    path.ns = call.cause.ns + since.ns;
    path.tasks = call.cause.tasks + since.tasks;
  }
  path.ns += own_ns;
  graph_.add_work(own_ns, path);
  call.task.reset();
  call.base = call.cause = {};
}

/// `before` goes on with `own`, and then with the last `ns` of `trail`.
Trail MpiPaths::with_last_of(const Trail& trail, std::uint64_t ns, Trail before,
                             const std::vector<Stretch>& own) const {
  std::vector<Stretch> last;
  for (const Step* step = trail.get(); step != nullptr && ns != 0; step = step->before.get()) {
    const std::uint64_t taken = std::min(ns, step->to - step->from);
    last.push_back({step->location, step->to - taken, step->to});
    ns -= taken;
  }
  for (const Stretch& one : own) graph_.go_on_in(before, one.location, one.from, one.to);
  for (auto one = last.rbegin(); one != last.rend(); ++one) graph_.go_on_in(before, one->location, one->from, one->to);
  return before;
}

/// `trail` with `own`, which begins at `enter`, in its place by time.
Trail MpiPaths::with_inside(const Trail& trail, std::uint64_t enter, std::vector<Stretch> own) const {
  Trail before = trail;
  for (; before != nullptr && before->to > enter; before = before->before) {
    own.push_back({before->location, std::max(before->from, enter), before->to});
    if (before->from >= enter) continue;
    before = std::make_shared<Step>(before->location, before->from, enter, before->before);
    break;
  }
  std::stable_sort(own.begin(), own.end(), [](const Stretch& a, const Stretch& b) { return a.from < b.from; });
  for (const Stretch& one : own) graph_.go_on_in(before, one.location, one.from, one.to);
  return before;
}

/// What an earlier call has waited for is known now: it is before the one that is not settled yet.
void MpiPaths::begin_behind(Call& call, const Path& cause) {
  if (&longer(call.base, cause) == &call.base) return;
  Path& path = call.task->path;
  const std::uint64_t since = path.ns - std::min(path.ns, call.base.ns);
  const std::uint64_t tasks = path.tasks - std::min(path.tasks, call.base.tasks);
  Path behind = cause;
  behind.ns += since;
  behind.tasks += tasks;
  if (graph_.keeps_trails()) behind.trail = with_last_of(path.trail, since, cause.trail, {});
  path = std::move(behind);
  call.base = cause;
}

/// The call that began at `enter` could not go on before another one was there, whose path leads on here.
void MpiPaths::came_after(LocationRef location, std::uint64_t enter, std::uint64_t cause_time, const Path& cause) {
  if (location >= where_.size()) return;
  Call& call = where_[location].call;
  if (call.is_settled || call.enter != enter) {
    Path& path = replay_.location(location).current->path;
    if (call.is_settled || &path != &call.task->path)
      path = longer(path, cause);
    else
      begin_behind(call, cause);
    return;
  }
  call.cause = longer(call.cause, cause);
  call.cause_time = std::max(call.cause_time, cause_time);
  if (!call.is_open) settle(location, replay_.location(location).last);
}

/// When the rank's call of that time began; nullptr: too long ago.
const Path* MpiPaths::arrival(std::uint32_t rank, std::uint64_t time) const {
  for (const LocationRef location : locations_[rank]) {
    const auto& arrivals = where_[location].arrivals;
    for (auto at = arrivals.rbegin(); at != arrivals.rend() && at->time >= time; ++at)
      if (at->time == time) return &at->path;
  }
  return nullptr;
}

/// Of a call that began then; undefined_ref: it is not the last of any.
LocationRef MpiPaths::caller(std::uint32_t rank, std::uint64_t enter) const {
  for (const LocationRef location : locations_[rank])
    if (where_[location].call.enter == enter) return location;
  return undefined_ref;
}

void MpiPaths::end(const MpiMessage& message, bool is_send) {
  if (is_send) {
    const Path& path = replay_.location(message.send.location).current->path;
    if (const auto early = too_early_.find(message.number); early != too_early_.end()) {
      came_after(early->second.location, early->second.enter, message.send.start, path);
      too_early_.erase(early);
    } else {
      sent_[message.number] = path;
    }
    return;
  }
  const LocationRef location = message.receive.location;
  const auto sent = sent_.find(message.number);
  if (sent == sent_.end()) {
    too_early_[message.number] = {location, where_[location].call.enter};
    return;
  }
  came_after(location, where_[location].call.enter, message.send.start, sent->second);
  sent_.erase(sent);
}

void MpiPaths::message(const MpiMessage& message) {
  if (message.late_receiver == 0) return;
  const Call& call = where_[message.send.location].call;
  const bool is_its_last = call.enter == message.send.wait_from;
  // A late sender has held it up as long.
  if (is_its_last && call.cause_time >= call.enter + certain_part(message.late_receiver)) return;
  const Path* const receiver = arrival(message.receive.rank, message.receive.start);
  if (receiver != nullptr) came_after(message.send.location, message.send.wait_from, message.receive.start, *receiver);
}

/// Who waits for whom is as in MpiCollectives::look_at(). Of operations without that (those that make and
/// end communicators) all wait for all if all were in it at a time.
void MpiPaths::meeting(const MpiMeeting& meeting) {
  const auto& parts = meeting.parts;
  Path longest;
  std::uint64_t latest = 0;
  const auto come = [&](const MpiPart& part) {
    if (const Path* path = arrival(part.rank, part.arrival)) longest = longer(longest, *path);
    latest = std::max(latest, part.arrival);
  };
  const auto go_on = [&](const MpiPart& part) {
    if (latest <= part.wait_from || latest == part.arrival) return;  // which is where it came itself
    if (const LocationRef location = caller(part.rank, part.wait_from); location != undefined_ref)
      came_after(location, part.wait_from, std::min(latest, part.wait_to), longest);
  };
  const bool has_root = meeting.root < parts.size();
  if (meeting.shape == MpiShape::scan) {
    for (const MpiPart& part : parts) {
      go_on(part);
      come(part);
    }
    return;
  }
  if (meeting.shape == MpiShape::one_to_all) {
    if (has_root) come(parts[meeting.root]);
  } else {
    for (const MpiPart& part : parts) come(part);
  }
  if (meeting.shape == MpiShape::none && !are_together(parts)) return;
  if (meeting.shape == MpiShape::all_to_one) {
    if (has_root) go_on(parts[meeting.root]);
    return;
  }
  for (const MpiPart& part : parts) go_on(part);
}

/// message() and meeting() handle the others.
void MpiPaths::waited(const MpiWaited& waited) {
  if (waited.kind < MpiWait::fence) return;
  const LocationRef location = caller(waited.rank, waited.from);
  const Path* const other = arrival(waited.cause_rank, waited.from + waited.ns);
  if (location != undefined_ref && other != nullptr) came_after(location, waited.from, waited.from + waited.ns, *other);
}

void MpiPaths::finished(std::uint64_t time) {
  for (LocationRef location = 0; location < where_.size(); ++location) settle(location, time);
}

}  // namespace tracer::report
