// SPDX-License-Identifier: BSD-3-Clause
// See relations.hpp.
#include "tracer/translate/resolve/relations.hpp"

#include <algorithm>
#include <utility>

namespace tracer::translate {

/// Follows one location's forks and teams, which it ends in their order.
class Relations::Writer final : public LocationWriter {
 public:
  Writer(Relations& all, LocationRef location) : all_(all), location_(location) {}
  void write(std::span<const Event> events, std::span<const EventAttribute>) override;
  void close() override;

 private:
  struct Fork {
    ParallelId id;
    Nanoseconds time;
    bool bound;  ///< to its team, which is the one that begins next here
  };
  void fork(const Event& event);
  void team_begin(const Event& event);
  void team_end(const Event& event);
  void join(const Event& event);

  Relations& all_;
  LocationRef location_;
  std::vector<Fork> forks_;
  std::vector<std::pair<ParallelId, Nanoseconds>> open_;
};

void Relations::Writer::write(std::span<const Event> events, std::span<const EventAttribute>) {
  const std::lock_guard lock(all_.mutex_);
  for (const Event& event : events) {
    switch (event.type) {
      case EventType::thread_fork:
        fork(event);
        break;
      case EventType::team_begin:
        team_begin(event);
        break;
      case EventType::team_end:
        team_end(event);
        break;
      case EventType::thread_join:
        join(event);
        break;
      case EventType::task_create:
      case EventType::task_switch:
      case EventType::task_complete:
        all_.task_event(event, location_);
        break;
      default:
        break;
    }
  }
}

void Relations::Writer::close() {
  const std::lock_guard lock(all_.mutex_);
  for (const Fork& fork : forks_) all_.teams_[fork.id].broken = true;
  for (const auto& [id, begin] : open_) all_.teams_[id].broken = true;
}

void Relations::Writer::fork(const Event& event) {
  ++all_.teams_[event.b].forks;
  forks_.push_back({event.b, event.time, false});
}

void Relations::Writer::team_begin(const Event& event) {
  Team& team = all_.teams_[event.b];
  team.comm = event.ref;
  open_.emplace_back(event.b, event.time);
  if (forks_.empty() || std::exchange(forks_.back().bound, true) || forks_.back().id == event.b) return;
  all_.teams_[forks_.back().id].broken = team.broken = true;
}

void Relations::Writer::team_end(const Event& event) {
  if (open_.empty()) return;
  all_.teams_[open_.back().first].stays.push_back({location_, open_.back().second, event.time});
  open_.pop_back();
}

void Relations::Writer::join(const Event& event) {
  if (forks_.empty()) return;
  Team& team = all_.teams_[forks_.back().id];
  team.forked = forks_.back().time;
  team.joined = event.time;
  team.broken |= !forks_.back().bound;
  forks_.pop_back();
}

Relations::Relations(const Tables& tables) : tables_(tables) {
  if (tables.task_begins.empty()) return;
  for (const ChannelScan& scan : tables.channels) tasks_.emplace_back(scan.entities.size());
}
Relations::~Relations() = default;

std::unique_ptr<LocationWriter> Relations::open(LocationRef location) {
  return std::make_unique<Writer>(*this, location);
}

Relations::Task* Relations::task(std::uint64_t id) noexcept {
  const ChannelId channel = tracer::channel_of(id);
  if (id == no_id || channel >= tasks_.size() || counter_of(id) >= tasks_[channel].size()) return nullptr;
  return &tasks_[channel][counter_of(id)];
}

void Relations::task_event(const Event& event, LocationRef location) noexcept {
  Task* const known = task(event.b);
  if (!known) return;  // an implicit one
  Task& task = *known;
  task.comm = event.ref;
  const auto count = [](std::uint8_t& n) { n = static_cast<std::uint8_t>(std::min(n + 1, 2)); };
  if (event.type == EventType::task_create) {
    task.created = event.time;
    return count(task.creations);
  }
  if (event.type == EventType::task_switch) {
    task.broken |= task.completions != 0 && task.completed_at == location;
    task.began = std::min(task.began, event.time);
    if (event.time < task.went_on) return;
    task.at_others = event.time == task.went_on && (task.at_others || task.at != location);
    task.went_on = event.time;
    task.at = location;
  } else {
    task.completed = event.time;
    task.completed_at = location;
    count(task.completions);
  }
}

bool Relations::holds(ParallelId id, const Team& team) const {
  const ParallelInstance* const p = tables_.parallel(id);
  if (team.broken || team.forks != 1 || !p || team.stays.size() != p->size) return false;
  std::vector<LocationRef> members, seen;
  for (std::uint32_t m = 0; m < p->size; ++m)
    members.push_back(tables_.location_of[tables_.members[p->members + m].channel]);
  for (const Stay& stay : team.stays) {
    if (stay.begin < team.forked || stay.end > team.joined) return false;
    seen.push_back(stay.location);
  }
  std::sort(members.begin(), members.end());
  std::sort(seen.begin(), seen.end());
  return members == seen;
}

std::vector<ParallelId> Relations::broken_teams() const {
  std::map<CommRef, std::vector<std::pair<Span, ParallelId>>> of_comm;
  std::vector<ParallelId> broken;
  for (const auto& [id, team] : teams_) {
    if (holds(id, team))
      of_comm[team.comm].push_back({{team.forked, team.joined}, id});
    else
      broken.push_back(id);
  }
  // Two regions of the same threads come one after the other.
  for (auto& [comm, spans] : of_comm) {
    std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.first.forked < b.first.forked; });
    Nanoseconds joined = 0;
    for (const auto& [span, id] : spans) {
      if (span.forked < joined) broken.push_back(id);
      joined = std::max(joined, span.joined);
    }
  }
  return broken;
}

// At equal times another location's event may come to a reader first, or last.
bool Relations::holds(const Task& task, const std::vector<Span>& of_comm) {
  if (task.broken || task.creations != 1 || task.completions != 1 || task.created > task.began) return false;
  if (task.went_on > task.completed) return false;
  if (task.went_on == task.completed && (task.at_others || task.at != task.completed_at)) return false;
  const auto next = std::upper_bound(of_comm.begin(), of_comm.end(), task.created,
                                     [](Nanoseconds t, const Span& span) { return t < span.forked; });
  return next == of_comm.begin() || task.created >= (next - 1)->joined || task.completed <= (next - 1)->joined;
}

std::vector<TaskId> Relations::broken_tasks() const {
  std::map<CommRef, std::vector<Span>> of_comm;
  for (const auto& [id, team] : teams_) of_comm[team.comm].push_back({team.forked, team.joined});
  for (auto& [comm, spans] : of_comm)
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.forked < b.forked; });
  std::vector<TaskId> broken;
  for (ChannelId c = 0; c < tasks_.size(); ++c)
    for (std::size_t counter = 0; counter < tasks_[c].size(); ++counter)
      if (const Task& task = tasks_[c][counter]; task.is_there() && !holds(task, of_comm[task.comm]))
        broken.push_back(make_id(c, counter));
  return broken;
}

}  // namespace tracer::translate
