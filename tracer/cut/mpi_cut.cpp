// SPDX-License-Identifier: BSD-3-Clause
// See mpi_cut.hpp.
#include "tracer/cut/mpi_cut.hpp"

#include <algorithm>

#include "tracer/replay/mpi/payload.hpp"

namespace tracer::report {
namespace {

bool is_send(EventType type) {
  return type == EventType::mpi_send || type == EventType::mpi_isend;
}
bool is_receive(EventType type) {
  return type == EventType::mpi_recv || type == EventType::mpi_irecv;
}
bool is_collective(EventType type) {
  return type == EventType::mpi_collective_end || type == EventType::mpi_collective_complete ||
         type == EventType::mpi_rma_collective_end;
}

}  // namespace

MpiCut::MpiCut(const Definitions& definitions) : world_{definitions} {
  for (const RmaWindow& window : definitions.windows) comm_of_window_.push_back(window.comm);
}

MpiCut::Collectives MpiCut::collectives_of(const Event& event) {
  if (event.type == EventType::mpi_rma_collective_end) return {event.sub, Kind::on_window};
  return {event.ref, event.type == EventType::mpi_collective_complete ? Kind::non_blocking : Kind::blocking};
}

std::vector<std::uint32_t> MpiCut::all_members(const Collectives& which) const {
  if (which.second != Kind::on_window) return world_.all_members(which.first);
  return which.first < comm_of_window_.size() ? world_.all_members(comm_of_window_[which.first])
                                              : std::vector<std::uint32_t>{};
}

std::optional<MpiCut::Channel> MpiCut::channel_of(LocationRef location, const Event& event, bool sends) const {
  const std::uint32_t me = world_.rank_of(location);
  if (me == undefined_ref) return std::nullopt;
  const std::uint32_t other = world_.world_rank(event.ref, me, static_cast<std::uint32_t>(event.b));
  return Channel{event.ref, sends ? me : other, sends ? other : me, static_cast<std::uint32_t>(event.b >> 32)};
}

bool MpiCut::follow_request(LocationRef location, const Event& event, std::span<const EventAttribute> attributes,
                            bool is_before) {
  const std::uint64_t payload = payload_value(attributes);
  const std::uint32_t process = world_.rank_of(location);
  switch (event.type) {
    case EventType::mpi_isend:  // one that was sent before is left out
      if (!is_before) requests_.emplace(process, payload);
      return true;
    case EventType::mpi_irecv_request:
    case EventType::mpi_collective_request:
      requests_.emplace(process, event.a);
      return true;
    case EventType::mpi_request_test:
      return requests_.contains({process, event.a});
    case EventType::mpi_isend_complete:
    case EventType::mpi_request_cancelled:
      return requests_.erase({process, event.a}) != 0;
    case EventType::mpi_irecv:
    case EventType::mpi_collective_complete:
      return requests_.erase({process, payload}) != 0;
    default:
      return true;
  }
}

std::uint64_t MpiCut::follow_receive(Receiver& receiver, const Event& event,
                                     std::span<const EventAttribute> attributes) {
  switch (event.type) {
    case EventType::mpi_irecv_request:
      receiver.open[event.a] = ++receiver.posted;
      return 0;
    case EventType::mpi_request_cancelled:
      receiver.open.erase(event.a);
      return 0;
    case EventType::mpi_recv:
      return ++receiver.posted;
    case EventType::mpi_irecv: {
      const auto found = receiver.open.find(payload_value(attributes));
      if (found == receiver.open.end()) return ++receiver.posted;
      const std::uint64_t number = found->second;
      receiver.open.erase(found);
      return number;
    }
    default:
      return 0;
  }
}

void MpiCut::look_ahead(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  Receiver& receiver = receivers_[world_.rank_of(location)];
  const std::uint64_t number = follow_receive(receiver, event, attributes);
  if (number != 0) {
    const std::uint64_t index = receiver.seen++;
    const auto channel = channel_of(location, event, false);
    if (const auto ends = channel ? ends_.find(*channel) : ends_.end(); ends != ends_.end())
      ends->second.push_back({number, index});
  } else if (event.type != EventType::mpi_request_cancelled) {
    return;
  }
  const auto mine = unsettled_.find(world_.rank_of(location));
  if (mine == unsettled_.end()) return;
  std::erase_if(mine->second, [this](const Channel& channel) { return is_settled(channel, ahead_.at(channel)); });
  if (mine->second.empty()) unsettled_.erase(mine);
  if (unsettled_.empty()) decide();
}

/// The first receives of the channel have ended, and none that was posted before these is open.
bool MpiCut::is_settled(const Channel& channel, std::int64_t ahead) const {
  std::vector<End> ends = ends_.at(channel);
  if (static_cast<std::int64_t>(ends.size()) < ahead) return false;
  std::nth_element(ends.begin(), ends.begin() + ahead - 1, ends.end());
  const std::uint64_t last = ends[static_cast<std::size_t>(ahead) - 1].number;
  const auto receiver = receivers_.find(channel[2]);
  return receiver == receivers_.end() || std::none_of(receiver->second.open.begin(), receiver->second.open.end(),
                                                      [last](const auto& open) { return open.second < last; });
}

/// By what has been seen.
void MpiCut::decide() {
  is_undecided_ = false;
  for (auto& [channel, ends] : ends_) {
    const auto ahead = ahead_.find(channel);
    std::sort(ends.begin(), ends.end());
    for (const End& end : ends) {
      if (ahead == ahead_.end() || ahead->second == 0) break;
      receivers_[channel[2]].dropped.insert(end.index);
      --ahead->second;
    }
    if (ahead != ahead_.end() && ahead->second == 0) ahead_.erase(ahead);
  }
  ends_.clear();
  unsettled_.clear();
}

void MpiCut::before(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  const bool is_of_two_sides = event.type >= EventType::mpi_send && event.type <= EventType::mpi_collective_complete;
  if (!is_of_two_sides && event.type != EventType::mpi_rma_collective_end) return;
  follow_request(location, event, attributes, true);
  if (const std::uint32_t rank = world_.rank_of(location); rank != undefined_ref)
    follow_receive(receivers_[rank], event, attributes);
  if (is_send(event.type) || is_receive(event.type)) {
    const auto channel = channel_of(location, event, is_send(event.type));
    if (!channel) return;
    std::int64_t& ahead = ahead_[*channel];
    ahead += is_send(event.type) ? 1 : -1;
    if (ahead == 0) ahead_.erase(*channel);
  } else if (is_collective(event.type)) {
    Members& members = collectives_[collectives_of(event)];
    members.most = std::max(members.most, ++members.done[world_.rank_of(location)]);
  }
}

/// On MPI_COMM_SELF each has its own.
void MpiCut::begin() {
  for (const auto& [channel, ahead] : ahead_)
    if (ahead > 0) ends_[channel], unsettled_[channel[2]].insert(channel);
  is_undecided_ = !ends_.empty();
  for (auto& [which, members] : collectives_) {
    const std::vector<std::uint32_t> ranks = all_members(which);
    if (ranks.empty()) members.most = 0;
    for (const std::uint32_t rank : ranks) {
      const std::uint64_t missing = members.most - members.done[rank];
      if (missing != 0 && which.second != Kind::non_blocking) behind_[{rank, which.second}] += missing;
    }
  }
}

bool MpiCut::is_behind(LocationRef location, const Event& event) const {
  const bool is_on_window = event.type == EventType::mpi_rma_collective_begin;
  if (behind_.empty() || (!is_on_window && event.type != EventType::mpi_collective_begin)) return false;
  return behind_.contains({world_.rank_of(location), is_on_window ? Kind::on_window : Kind::blocking});
}

std::optional<Event> MpiCut::after(LocationRef location, const Event& event,
                                   std::span<const EventAttribute> attributes) {
  if (!follow_request(location, event, attributes, false)) return std::nullopt;
  if (!one_sided_.has_beginning(world_.rank_of(location), event)) return std::nullopt;
  if (is_receive(event.type)) {
    Receiver& receiver = receivers_[world_.rank_of(location)];
    if (const auto found = receiver.dropped.find(receiver.seen_after++); found != receiver.dropped.end()) {
      receiver.dropped.erase(found);
      return std::nullopt;
    }
  }
  if (is_send(event.type) || is_receive(event.type)) {
    if (ahead_.empty()) return event;
    const auto channel = channel_of(location, event, is_send(event.type));
    const auto found = channel ? ahead_.find(*channel) : ahead_.end();
    if (found == ahead_.end() || (found->second < 0) != is_send(event.type)) return event;
    found->second += is_send(event.type) ? 1 : -1;
    if (found->second == 0) ahead_.erase(found);
    return std::nullopt;
  }
  if (!is_collective(event.type)) return event;
  const Collectives which = collectives_of(event);
  Members& members = collectives_[which];
  std::uint64_t& done = members.done[world_.rank_of(location)];
  if (done >= members.most) return event;
  ++done;
  if (which.second != Kind::non_blocking) {
    const auto behind = behind_.find({world_.rank_of(location), which.second});
    if (behind != behind_.end() && --behind->second == 0) behind_.erase(behind);
    return std::nullopt;
  }
  Event given_up = event;  // its request is open
  given_up.type = EventType::mpi_request_cancelled;
  given_up.attributes = 0;
  given_up.a = payload_value(attributes);
  return given_up;
}

}  // namespace tracer::report
