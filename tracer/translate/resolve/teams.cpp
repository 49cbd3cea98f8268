// SPDX-License-Identifier: BSD-3-Clause
// Which threads make up which team, and the communicator for it.
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "tracer/translate/resolve/resolve.hpp"

namespace tracer::translate {
namespace {

class TeamLinker {
 public:
  TeamLinker(Tables& tables, Definitions& definitions) : tables_(tables), definitions_(definitions) {}
  void run();

 private:
  ImplicitInstance& part(const Member& member) const {
    return tables_.channels[member.channel].implicits[member.implicit];
  }
  void count_parts();
  void collect_parts();
  std::uint32_t leave_out_repeated(std::span<Member> parts, ParallelId team);
  void leave_out_repeated();
  Ticks limit(ParallelInstance& p, ChannelId channel, unsigned depth);
  void assign(ParallelInstance& p, std::span<Member> parts);
  void make_comms();
  ParallelInstance* region_around(const ParallelInstance& p, ChannelId channel);
  CommRef comm_of(ParallelInstance& p, ChannelId channel, unsigned depth);
  CommRef intern(CommRef parent, const std::vector<std::uint32_t>& members);
  CommRef root(ChannelId channel);
  bool is_outside(ChannelId channel, std::uint32_t implicit) const;
  bool can_close_from_within() const;
  /// The parent of no team: what is outside all teams shares its communicator with no team of one thread.
  static constexpr CommRef around_root = undefined_ref - 1;

  Tables& tables_;
  Definitions& definitions_;
  std::vector<ParallelId> last_team_;  ///< by channel: of which it became a member last
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
  std::map<std::pair<CommRef, std::uint32_t>, CommRef> comms_;
};

/// Makes room for the parts of each team in Tables::members, and for a master that has none.
void TeamLinker::count_parts() {
  for (const ChannelScan& scan : tables_.channels) {
    scan.implicits.for_each([this](const ImplicitInstance& i) {
      if (ParallelInstance* const p = tables_.parallel(i.parallel)) ++p->size;
    });
  }
  std::uint32_t members = 0;
  for (ChannelScan& scan : tables_.channels) {
    scan.parallels.for_each([&members](ParallelInstance& p) {
      if (p.size == 0) return;
      p.members = members;
      members += p.size + 1;
      p.size = 0;
    });
  }
  tables_.members.resize(members);
}

void TeamLinker::collect_parts() {
  for (ChannelId c = 0; c < tables_.channels.size(); ++c) {
    std::uint32_t number = 0;
    tables_.channels[c].implicits.for_each([&](const ImplicitInstance& i) {
      if (ParallelInstance* const p = tables_.parallel(i.parallel))
        tables_.members[p->members + p->size++] = {c, number};
      ++number;
    });
  }
}

// A rank or a thread that is there twice (a damaged or fuzzed trace) does not count; gaps stay out of the team.
std::uint32_t TeamLinker::leave_out_repeated(std::span<Member> parts, ParallelId team) {
  std::optional<std::uint32_t> rank_before;
  const auto left = std::remove_if(parts.begin(), parts.end(), [&](const Member& member) {
    const bool same_rank = std::exchange(rank_before, part(member).rank) == part(member).rank;
    const bool repeated = same_rank || std::exchange(last_team_[member.channel], team) == team;
    if (repeated) part(member).parallel = no_id;
    return repeated;
  });
  return static_cast<std::uint32_t>(left - parts.begin());
}

void TeamLinker::leave_out_repeated() {
  last_team_.assign(tables_.channels.size(), no_id);
  for (ChannelScan& scan : tables_.channels) {
    scan.parallels.for_each([this](ParallelInstance& p) {
      if (p.size == 0) return;
      const std::span<Member> parts{&tables_.members[p.members], p.size};
      const ChannelId master = tracer::channel_of(p.id);
      const auto is_before = [&](const Member& a, const Member& b) {
        return std::tuple(a.channel != master, part(a).rank, a.channel, a.implicit) <
               std::tuple(b.channel != master, part(b).rank, b.channel, b.implicit);
      };
      // They are collected by channel, which is their order in most teams.
      if (!std::is_sorted(parts.begin(), parts.end(), is_before)) std::sort(parts.begin(), parts.end(), is_before);
      p.size = leave_out_repeated(parts, p.id);
    });
  }
}

// A region that began after the end of the one around it (a damaged trace) is inside the next.
Ticks TeamLinker::limit(ParallelInstance& p, ChannelId channel, unsigned depth) {
  if (p.limit != 0) return p.limit;
  const auto seen = [](Ticks t) { return t != 0 ? t : never; };
  p.limit = std::min(seen(p.implicit_end), seen(p.end));
  const auto is_in = [&p](const ParallelInstance& around, Ticks last) {
    if (p.begin > last) return false;
    p.limit = std::min(p.limit, last);
    p.depth = std::max<std::uint8_t>(p.depth, around.depth < 255 ? around.depth + 1 : 255);
    return true;
  };
  while (p.enclosing != none && depth < 256) {
    const ImplicitInstance& around = tables_.channels[channel].implicits[p.enclosing];
    ParallelInstance* outer = tables_.parallel(around.parallel);
    if (outer != nullptr && outer != &p && is_in(*outer, limit(*outer, tracer::channel_of(around.parallel), depth + 1)))
      break;
    p.enclosing = around.outer;
  }
  const std::optional<Entity> task = p.task != no_id && depth < 256 ? tables_.entity(p.task) : std::nullopt;
  const ImplicitInstance* const part = task ? tables_.part_of(tracer::channel_of(p.task), task->index) : nullptr;
  ParallelInstance* const team = part ? tables_.parallel(part->parallel) : nullptr;
  if (team && team != &p) is_in(*team, limit(*team, tracer::channel_of(part->parallel), depth + 1));
  if (p.limit == never) tables_.open_levels = std::max(tables_.open_levels, p.depth);
  return p.limit;
}

/// `parts`: those whose records name team `p`, and room for one more.
void TeamLinker::assign(ParallelInstance& p, std::span<Member> parts) {
  p.size = 0;
  p.in_pause = p.left_out || tables_.paused(p.begin, p.end != 0 ? p.end : tables_.end);
  if (p.in_pause) return;
  const ChannelId master = tracer::channel_of(p.id);
  const auto outside = [&](const Member& m) { return part(m).begin < p.begin || part(m).begin > p.limit; };
  const auto inside = std::remove_if(parts.begin(), parts.end() - 1, [&](const Member& m) {
    if (outside(m)) part(m).parallel = no_id;
    return outside(m);
  });
  // Where the trace ends before the master's part began, it is a member all the same.
  const bool led = std::any_of(parts.begin(), inside, [&](const Member& m) { return m.channel == master; });
  if (!led) {
    std::move_backward(parts.begin(), inside, inside + 1);
    parts.front() = {master, none};
  }
  p.size = static_cast<std::uint32_t>(inside - parts.begin()) + (led ? 0 : 1);
  for (std::uint32_t rank = led ? 0 : 1; rank < p.size; ++rank) part(parts[rank]).rank = rank;
}

CommRef TeamLinker::intern(CommRef parent, const std::vector<std::uint32_t>& members) {
  const auto [group, fresh_group] = groups_.emplace(members, static_cast<std::uint32_t>(definitions_.groups.size()));
  if (fresh_group)
    definitions_.groups.push_back(
        {"OpenMP team " + std::to_string(groups_.size() - 1), GroupKind::comm_group, Paradigm::openmp, members});
  const auto [comm, fresh_comm] =
      comms_.emplace(std::make_pair(parent, group->second), static_cast<CommRef>(definitions_.comms.size()));
  if (fresh_comm)
    definitions_.comms.push_back({"Thread team " + std::to_string(comms_.size() - 1), group->second,
                                  parent != around_root ? parent : undefined_ref});
  return comm->second;
}

CommRef TeamLinker::root(ChannelId channel) {
  CommRef& comm = tables_.root_comm[channel];
  if (comm == undefined_ref) comm = intern(around_root, {tables_.location_of[channel]});
  return comm;
}

/// The region around a region: one of the thread's own regions, which it leaves in turn, whatever the records of its
/// parts in them; else that of the team that it is a member of.
ParallelInstance* TeamLinker::region_around(const ParallelInstance& p, ChannelId channel) {
  auto& own = tables_.channels[channel].parallels;
  for (std::uint32_t fork = p.fork_around; fork != none; fork = own[fork].fork_around)
    if (own[fork].size != 0) return &own[fork];
  const ImplicitInstance* const part = tables_.part_of(channel, p.enclosing);
  ParallelInstance* const around = part ? tables_.parallel(part->parallel) : nullptr;
  return around != &p ? around : nullptr;
}

CommRef TeamLinker::comm_of(ParallelInstance& p, ChannelId channel, unsigned depth) {
  if (p.comm != undefined_ref || p.size == 0) return p.comm;
  CommRef parent = undefined_ref;
  if (ParallelInstance* const around = depth < 256 ? region_around(p, channel) : nullptr) {
    parent = comm_of(*around, tracer::channel_of(around->id), depth + 1);
    if (p.codeptr == 0) p.codeptr = around->codeptr;  // from inside the runtime: where the one around it stands
  }
  std::vector<std::uint32_t> members;
  for (std::uint32_t m = 0; m < p.size; ++m)
    members.push_back(tables_.location_of[tables_.members[p.members + m].channel]);
  return p.comm = intern(parent, members);
}

/// It is in no team of the archive, or runs tasks when that has ended.
bool TeamLinker::is_outside(ChannelId channel, std::uint32_t implicit) const {
  const ImplicitInstance* const part = tables_.part_of(channel, implicit);
  const ParallelInstance* const team = part ? tables_.parallel(part->parallel) : nullptr;
  return !team || team->comm == undefined_ref || tables_.channels[channel].implicits[implicit].last_task > team->limit;
}

void TeamLinker::make_comms() {
  for (ChannelId c = 0; c < tables_.channels.size(); ++c) {
    tables_.channels[c].parallels.for_each([this, c](ParallelInstance& p) { comm_of(p, c, 0); });
  }
  for (ChannelId c = 0; c < tables_.channels.size(); ++c) {
    // Tasks outside any region need a team to be named by: the initial thread alone.
    const auto& scan = tables_.channels[c];
    std::uint32_t number = 0;
    scan.implicits.for_each([&](const ImplicitInstance& i) {
      if ((i.creates_tasks || i.last_task != 0) && is_outside(c, number)) root(c);
      ++number;
    });
    bool outside = scan.runs_tasks_outside;
    scan.entities.for_each([&](std::uint64_t, const Entity& e) {
      outside = outside ||
                (e.index == none && e.site < scan.sites.size() && scan.sites[e.site].construct != Construct::taskwait);
    });
    if (outside) root(c);
  }
}

// Where threads contradict each other, or records are missing, no order of ends is right for all: what is open is
// closed at one time then.
bool TeamLinker::can_close_from_within() const {
  const auto open = [&](std::uint32_t index, const auto& implicits) {
    const ParallelInstance* const team =
        index < implicits.size() ? tables_.parallel(implicits[index].parallel) : nullptr;
    return team && team->limit == never ? team : nullptr;
  };
  return std::none_of(tables_.channels.begin(), tables_.channels.end(), [&](const ChannelScan& scan) {
    if (scan.is_out_of_order()) return true;
    bool is_deeper = false;
    scan.implicits.for_each([&](const ImplicitInstance& i) {
      const ParallelInstance* const team = i.end == 0 ? tables_.parallel(i.parallel) : nullptr;
      const ParallelInstance* const around = team && team->limit == never ? open(i.outer, scan.implicits) : nullptr;
      is_deeper = is_deeper || (around && around->depth >= team->depth);
    });
    return is_deeper;
  });
}

void TeamLinker::run() {
  tables_.root_comm.assign(tables_.channels.size(), undefined_ref);
  count_parts();
  collect_parts();
  leave_out_repeated();  // before anything is decided from where parts are
  for (ChannelId c = 0; c < tables_.channels.size(); ++c)
    tables_.channels[c].parallels.for_each([this, c](ParallelInstance& p) { limit(p, c, 0); });
  for (ChannelScan& scan : tables_.channels)
    scan.parallels.for_each([this](ParallelInstance& p) {
      if (p.size != 0) assign(p, {&tables_.members[p.members], p.size + 1});
    });
  make_comms();
  if (!can_close_from_within()) tables_.open_levels = 0;
}

}  // namespace

void form_teams(Tables& tables, Definitions& definitions) {
  TeamLinker(tables, definitions).run();
}

}  // namespace tracer::translate
