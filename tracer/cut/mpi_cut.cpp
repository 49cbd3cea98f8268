// SPDX-License-Identifier: BSD-3-Clause
// See mpi_cut.hpp.
#include "tracer/cut/mpi_cut.hpp"

#include <algorithm>

#include "tracer/replay/payload.hpp"

namespace tracer::report {
namespace {

bool is_send(EventType type) {
  return type == EventType::mpi_send || type == EventType::mpi_isend;
}
bool is_receive(EventType type) {
  return type == EventType::mpi_recv || type == EventType::mpi_irecv;
}
bool is_collective(EventType type) {
  return type == EventType::mpi_collective_end || type == EventType::mpi_collective_complete;
}

}  // namespace

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
    case EventType::mpi_isend:  // one that was sent before is not told
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

void MpiCut::before(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  follow_request(location, event, attributes, true);
  if (is_send(event.type) || is_receive(event.type)) {
    const auto channel = channel_of(location, event, is_send(event.type));
    if (!channel) return;
    std::int64_t& ahead = ahead_[*channel];
    ahead += is_send(event.type) ? 1 : -1;
    if (ahead == 0) ahead_.erase(*channel);
  } else if (is_collective(event.type)) {
    Members& members = members_of(event);
    members.most = std::max(members.most, ++members.done[world_.rank_of(location)]);
  }
}

/// On MPI_COMM_SELF each has its own.
void MpiCut::begin() {
  for (auto& [which, members] : collectives_) {
    const std::vector<std::uint32_t> ranks = world_.all_members(which.first);
    if (ranks.empty()) members.most = 0;
    for (const std::uint32_t rank : ranks) {
      const std::uint64_t missing = members.most - members.done[rank];
      if (missing != 0 && !which.second) behind_[rank] += missing;
    }
  }
}

bool MpiCut::is_behind(LocationRef location) const {
  return !behind_.empty() && behind_.contains(world_.rank_of(location));
}

std::optional<Event> MpiCut::after(LocationRef location, const Event& event,
                                   std::span<const EventAttribute> attributes) {
  if (!follow_request(location, event, attributes, false)) return std::nullopt;
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
  Members& members = members_of(event);
  std::uint64_t& done = members.done[world_.rank_of(location)];
  if (done >= members.most) return event;
  ++done;
  if (event.type == EventType::mpi_collective_end) {
    const auto behind = behind_.find(world_.rank_of(location));
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
