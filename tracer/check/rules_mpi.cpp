// SPDX-License-Identifier: BSD-3-Clause
// E26-E28: requests, collective operations and messages of MPI.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <tuple>

#include "tracer/base/text.hpp"
#include "tracer/check/rules_mpi.hpp"
#include "tracer/mpi_functions.hpp"
#include "tracer/mpi_unrecorded.hpp"
#include "tracer/number_map.hpp"
#include "tracer/property_names.hpp"

namespace tracer::check {

namespace v = otf2::values;

bool is_whole(const CheckContext& c) {
  const auto* ending = c.trace().info().property(properties::ending);
  if (c.is_part() || c.part() != nullptr) return false;  // messages lie across its ends
  // exit() in a construct, or in a call of MPI: so do its default handlers of errors.
  if (c.loss(std::string{properties::repaired} + "REGION_CLOSED_AT_THE_END_OF_THE_TRACE") != nullptr) return false;
  if (c.loss(std::string{properties::repaired} + "MPI_EVENTS_THAT_CONTRADICT_EACH_OTHER_LEFT_OUT") != nullptr)
    return false;
  const otf2::TraceDefinitions& d = c.definitions();
  for (const auto& process : d.location_groups)
    for (const auto& property : process.properties)
      if (d.text(property.name) == properties::ending && d.text(property.value).starts_with("none")) return false;
  return c.loss(properties::events_lost) == nullptr && (ending == nullptr || !ending->starts_with("none"));
}

std::uint32_t process_of(const otf2::TraceDefinitions& d, std::uint64_t location) {
  const auto* found = d.locations.find(location);
  return found == nullptr ? undefined_ref : found->group;
}

bool is_window_of_mpi(const otf2::TraceDefinitions& d, std::uint64_t window) {
  const auto* found = d.windows.find(window);
  const auto* comm = found == nullptr ? nullptr : d.comms.find(found->comm);
  const auto* group = comm == nullptr ? nullptr : d.groups.find(comm->group);
  return group != nullptr && group->paradigm == v::paradigm_mpi;
}

std::uint64_t unrecorded(const CheckContext& c, const std::string& what) {
  const auto* found = c.trace().info().property(std::string{properties::counter} + "MPI_NOT_TOLD_" + what);
  return found == nullptr ? 0 : parse_number(*found).value_or(0);
}

namespace {

/// A request's numbers are unique among those of its process that are not over. It may end on another thread.
class Requests final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind k) const override { return begins(k) || ends(k) || k == EventKind::mpi_request_test; }
  void event(const EventView& e) override {
    applies();
    const std::uint64_t request = e.field[field_of(e.kind)];
    auto& open = open_[process_of(d(), e.location)];
    const auto found = open.find(request);
    if (begins(e.kind)) {
      if (found != open.end()) violated(e, request, "the request " + std::to_string(request) + " begins again");
      open[request] = {e.kind, e.location, e.time};
    } else if (found == open.end()) {
      if (c_.is_opened() && !is_kept_open(e.kind)) return;
      violated(e, request, "the request " + std::to_string(request) + " did not begin");
    } else if (ends(e.kind)) {
      if (!fits(found->second.kind, e.kind))
        violated(e, request, "the request " + std::to_string(request) + " began as another kind");
      open.erase(found);
    }
  }
  void finish() override {
    if (!is_whole(c_)) return;
    for (const auto& [process, requests] : open_)
      for (const auto& [request, begun] : requests) {
        blame({Subject::Kind::request, {}, request, 0});
        add_violation(begun.location, begun.time, "the request " + std::to_string(request) + " never ends");
      }
  }

 private:
  struct Begun {
    EventKind kind = EventKind::none;
    std::uint64_t location = 0, time = 0;
  };
  void violated(const EventView& e, std::uint64_t request, std::string what) {
    blame({Subject::Kind::request, {}, request, 0});
    add_violation(e, std::move(what));
  }
  static bool begins(EventKind k) {
    return k == EventKind::mpi_isend || k == EventKind::mpi_irecv_request ||
           k == EventKind::non_blocking_collective_request;
  }
  /// Of sends before a part it is not kept whether they are open.
  static bool is_kept_open(EventKind end) {
    return end == EventKind::mpi_irecv || end == EventKind::non_blocking_collective_complete;
  }
  static bool ends(EventKind k) {
    return k == EventKind::mpi_isend_complete || k == EventKind::mpi_irecv || k == EventKind::mpi_request_cancelled ||
           k == EventKind::non_blocking_collective_complete;
  }
  static bool fits(EventKind begin, EventKind end) {
    switch (end) {
      case EventKind::mpi_isend_complete:
        return begin == EventKind::mpi_isend;
      case EventKind::mpi_irecv:
        return begin == EventKind::mpi_irecv_request;
      case EventKind::non_blocking_collective_complete:
        return begin == EventKind::non_blocking_collective_request;
      default:
        return true;
    }
  }
  static std::size_t field_of(EventKind k) {
    if (k == EventKind::mpi_isend || k == EventKind::mpi_irecv) return 4;
    return k == EventKind::non_blocking_collective_complete ? 5 : 0;
  }
  std::map<std::uint32_t, std::map<std::uint64_t, Begun>> open_;
};

class Collectives final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind k) const override {
    return k == EventKind::mpi_collective_begin || k == EventKind::mpi_collective_end ||
           k == EventKind::non_blocking_collective_complete || k == EventKind::comm_create ||
           k == EventKind::comm_destroy;
  }
  void event(const EventView& e) override {
    applies();
    switch (e.kind) {
      case EventKind::mpi_collective_begin: {
        // One inside another is of a function of the program that the outer call has called: of a region inside it.
        auto& open = open_[e.location];
        const std::size_t depth = c_.open_regions(e).size();
        if (!open.empty() && depth <= open.back()) add_violation(e, "a collective operation begins inside another");
        open.push_back(depth);
        return;
      }
      case EventKind::non_blocking_collective_complete:
        return root(e);
      case EventKind::mpi_collective_end:
        root(e);
        if (auto& open = open_[e.location]; !open.empty()) {
          open.pop_back();
        } else {
          add_violation(e, "a collective operation ends that did not begin");
        }
        return;
      case EventKind::comm_create:
        if (++alive_[{process_of(d(), e.location), e.field[0]}] > 1)
          add_violation(e, "the communicator " + std::to_string(e.field[0]) + " is made again");
        return;
      default:
        if (--alive_[{process_of(d(), e.location), e.field[0]}] < 0)
          add_violation(e, "the communicator " + std::to_string(e.field[0]) + " ends that was not made");
    }
  }
  void finish() override {
    if (!is_whole(c_)) return;
    for (const auto& [location, open] : open_)
      if (!open.empty())
        add_violation(location, c_.states()[c_.index_of(location)].last_time, "a collective operation never ends");
  }

 private:
  /// Between two groups the others see it as a rank of its own group.
  void root(const EventView& e) {
    const std::uint64_t rank = e.field[2];
    const auto* comm = d().comms.find(e.field[1]);
    if (comm == nullptr || rank >= lowest_special_root) return;
    std::uint64_t ranks = 0;
    for (const std::uint32_t ref : {comm->group, comm->second_group}) {
      const auto* group = d().groups.find(ref);
      if (group == nullptr) continue;
      ranks = std::max<std::uint64_t>(ranks, group->type == v::group_comm_self ? 1 : group->members.size());
    }
    if (rank >= ranks) add_violation(e, "the root " + std::to_string(rank) + " is not in the communicator");
  }

  static constexpr std::uint64_t lowest_special_root = mpi_root_this_group;  ///< OTF2_CollectiveRoot
  std::map<std::uint64_t, std::vector<std::size_t>> open_;                   // by location: how deep each is in regions
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> alive_;             // by process and communicator
};

/// Same communicator, sender, receiver and tag; regardless of the clocks, so what comes first waits for the other. In
/// their order, but that a program may wait for the second of two receives first, or receive the second of two messages
/// that it has found (MPI_Mprobe) first: of as many bytes, then. In an archive of one part of a job nobody is the
/// other: not applicable. Receives that the archive only counts (they failed, or their request was
/// freed) leave as many messages that nobody receives.
class Messages final : public Rule {
 public:
  using Rule::Rule;
  void begin() override {
    if (needs_whole()) return;
    for (const auto& group : d().groups)
      if (group.type == v::group_comm_locations && group.paradigm == v::paradigm_mpi) world_ = &group;
    if (world_ == nullptr) return;
    for (const std::uint64_t location : world_->members) {
      if (location == otf2::undefined_location) return does_not_apply("a part of a job: the other ranks are not in it");
      rank_of_.emplace(process_of(d(), location), static_cast<std::uint32_t>(ranks_.size()));
      ranks_.push_back(process_of(d(), location));
    }
    is_complete_ = true;
  }
  bool wants(EventKind k) const override {
    return k == EventKind::mpi_send || k == EventKind::mpi_isend || k == EventKind::mpi_recv ||
           k == EventKind::mpi_irecv || k == EventKind::mpi_request_cancelled;
  }
  void event(const EventView& e) override {
    const auto me = rank_of_.find(process_of(d(), e.location));
    if (!is_complete_ || me == rank_of_.end()) return;
    if (e.kind == EventKind::mpi_request_cancelled) return take_back(me->second, e.field[0]);
    applies();
    const bool is_send = e.kind == EventKind::mpi_send || e.kind == EventKind::mpi_isend;
    const std::uint64_t comm = e.field[1];
    const std::int64_t peer = world_rank(comm, me->second, e.field[0]);
    if (peer < 0) return add_violation(e, "the partner " + std::to_string(e.field[0]) + " is not in the communicator");
    const auto other = static_cast<std::uint32_t>(peer);
    const Key key{comm, is_send ? me->second : other, is_send ? other : me->second,
                  static_cast<std::uint32_t>(e.field[2])};
    Queue& queue = queues_[key];
    auto& waiting = is_send ? queue.receives : queue.sends;
    const auto last = waiting.begin() + static_cast<std::ptrdiff_t>(std::min(waiting.size(), most_out_of_order));
    const auto found =
        std::find_if(waiting.begin(), last, [&e](const Message& message) { return message.bytes == e.field[3]; });
    if (found == last) {
      const std::uint64_t request = e.kind == EventKind::mpi_isend ? e.field[4] : no_request;
      (is_send ? queue.sends : queue.receives).push_back({e.field[3], e.location, e.time, e.position, request});
      return;
    }
    waiting.erase(found);
    if (queue.sends.empty() && queue.receives.empty()) queues_.erase(key);
  }
  void finish() override {
    if (!is_whole(c_)) return;
    std::vector<Message> unheard;
    for (auto& [key, queue] : queues_) {
      if (!left_a_trace(std::get<1>(key)) || !left_a_trace(std::get<2>(key))) continue;
      for (; !queue.sends.empty() && !queue.receives.empty(); queue.sends.pop_front(), queue.receives.pop_front()) {
        const Message &sent = queue.sends.front(), &m = queue.receives.front();
        add_violation(m.location, m.time,
                      std::to_string(sent.bytes) + " bytes are sent and " + std::to_string(m.bytes) + " received",
                      m.position);
      }
      for (const Message& m : queue.receives)
        add_violation(m.location, m.time, "no process sent the message received here", m.position);
      unheard.insert(unheard.end(), queue.sends.begin(), queue.sends.end());
    }
    std::uint64_t missing = 0;
    for (const char* what : unrecorded_ends_of_messages) missing += unrecorded(c_, what);
    if (unheard.size() <= missing) return;
    for (const Message& m : unheard)
      add_violation(m.location, m.time, "no process receives the message sent here", m.position);
  }

 private:
  static constexpr std::uint64_t no_request = ~std::uint64_t{0};
  static constexpr std::size_t most_out_of_order = 10'000;  ///< messages of one sender, receiver and tag
  using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t>;  // comm, sender, receiver, tag
  struct Message {
    std::uint64_t bytes = 0, location = 0, time = 0, position = 0, request = no_request;
  };
  struct Queue {
    std::deque<Message> sends, receives;
  };

  /// A send that was cancelled was not sent. There are few of them.
  void take_back(std::uint32_t sender, std::uint64_t request) {
    for (auto& [key, queue] : queues_) {
      if (std::get<1>(key) != sender) continue;
      const auto found = std::find_if(queue.sends.begin(), queue.sends.end(),
                                      [request](const Message& message) { return message.request == request; });
      if (found == queue.sends.end()) continue;
      queue.sends.erase(found);
      return;
    }
  }

  /// Of a rank in the communicator, as seen by a process: of the remote group, between two groups. -1: none.
  std::int64_t world_rank(std::uint64_t comm_ref, std::uint32_t me, std::uint64_t rank) const {
    const auto* comm = d().comms.find(comm_ref);
    const auto* group = comm == nullptr ? nullptr : d().groups.find(comm->group);
    if (group == nullptr) return -1;
    if (group->type == v::group_comm_self) return rank == 0 ? std::int64_t{me} : -1;
    if (comm->second_group != undefined_ref) {
      const bool is_first = std::find(group->members.begin(), group->members.end(), me) != group->members.end();
      if (is_first) group = d().groups.find(comm->second_group);
      if (group == nullptr) return -1;
    }
    if (rank >= group->members.size() || group->members[rank] >= ranks_.size()) return -1;
    return static_cast<std::int64_t>(group->members[rank]);
  }

  /// A rank whose part has not come has a place in the archive, and no events.
  bool left_a_trace(std::uint32_t rank) const {
    return std::any_of(d().locations.begin(), d().locations.end(), [&](const otf2::LocationDef& location) {
      return location.group == ranks_[rank] && location.events != 0;
    });
  }

  const otf2::GroupDef* world_ = nullptr;
  bool is_complete_ = false;
  std::vector<std::uint32_t> ranks_;  ///< processes in the order of the world
  NumberMap<std::uint32_t> rank_of_;
  std::map<Key, Queue> queues_;
};

}  // namespace

std::span<const RuleEntry> mpi_rules() {
  static constexpr std::array table{
      RuleEntry{{"E26", "requests of MPI begin once and end once"}, make_rule<Requests>},
      RuleEntry{{"E27", "collective operations of MPI and communicators begin and end in pairs"},
                make_rule<Collectives>},
      RuleEntry{{"E28", "every MPI message is received, with as many bytes"}, make_rule<Messages>},
  };
  return table;
}

}  // namespace tracer::check
