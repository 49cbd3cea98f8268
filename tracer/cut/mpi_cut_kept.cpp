// SPDX-License-Identifier: BSD-3-Clause
// What MPI has under way at a moment, as bytes and back (docs/formats/index.md).
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracer/cut/mpi_cut.hpp"

namespace tracer::report {
bool MpiCut::is_by_process() const {
  const bool has_requests = std::any_of(requests_.begin(), requests_.end(),
                                        [](const auto& request) { return request.first == undefined_ref; });
  return !has_requests && std::none_of(collectives_.begin(), collectives_.end(),
                                       [](const auto& one) { return one.second.done.contains(undefined_ref); });
}

void MpiCut::keep(std::string& out) const {
  put_number(out, requests_.size());
  for (const auto& one : requests_) {
    put_number(out, one.first);
    put_number(out, one.second);
  }
  put_number(out, ahead_.size());
  for (const auto& one : ahead_) {
    for (const std::uint32_t number : one.first) put_number(out, number);
    put_number(out, folded(static_cast<std::uint64_t>(one.second)));
  }
  put_number(out, receivers_.size());
  for (const auto& one : receivers_) {
    put_number(out, one.first);
    put_number(out, one.second.posted);
    put_number(out, one.second.open.size());
    for (const auto& open : one.second.open) {
      put_number(out, open.first);
      put_number(out, open.second);
    }
  }
  put_number(out, collectives_.size());
  for (const auto& one : collectives_) {
    put_number(out, one.first.first);
    put_number(out, static_cast<std::uint64_t>(one.first.second));
    put_number(out, one.second.done.size());
    for (const auto& done : one.second.done) {
      put_number(out, done.first);
      put_number(out, done.second);
    }
  }
}

/// Of messages from or to processes that are not wanted none is looked for: their other ends are left out.
void MpiCut::take(BytesIn& in, const std::vector<bool>& wanted) {
  constexpr std::int64_t most_ahead = std::int64_t{1} << 48;
  std::vector<bool> is_wanted(world_.ranks());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::uint32_t rank = world_.rank_of(static_cast<LocationRef>(i));
    if (rank < is_wanted.size() && wanted[i]) is_wanted[rank] = true;
  }
  const auto has = [&](std::uint32_t rank) { return wanted.empty() || (rank < is_wanted.size() && is_wanted[rank]); };
  for (std::size_t left = in.count(); left != 0 && in.ok(); --left) {
    const std::uint32_t process = in.number32();
    const std::uint64_t request = in.number();
    if (has(process)) requests_.emplace(process, request);
  }
  for (std::size_t left = in.count(); left != 0 && in.ok(); --left) {
    Channel channel{};
    for (std::uint32_t& number : channel) number = in.number32();
    const auto ahead = static_cast<std::int64_t>(unfolded(in.number()));
    if (ahead < -most_ahead || ahead > most_ahead) in.refuse();
    if (ahead != 0 && has(channel[1]) && has(channel[2])) ahead_[channel] = ahead;
  }
  for (std::size_t left = in.count(); left != 0 && in.ok(); --left) {
    const std::uint32_t rank = in.number32();
    Receiver receiver;
    receiver.posted = in.number();
    for (std::size_t open = in.count(); open != 0 && in.ok(); --open) {
      const std::uint64_t request = in.number();
      receiver.open[request] = in.number();
    }
    if (has(rank)) receivers_[rank] = std::move(receiver);
  }
  for (std::size_t left = in.count(); left != 0 && in.ok(); --left) {
    const std::uint32_t ref = in.number32();
    const std::uint64_t kind = in.number();
    if (kind > static_cast<std::uint64_t>(Kind::on_window)) return in.refuse();
    Members& members = collectives_[{ref, static_cast<Kind>(kind)}];
    for (std::size_t ranks = in.count(); ranks != 0 && in.ok(); --ranks) {
      const std::uint32_t rank = in.number32();
      const std::uint64_t done = in.number();
      if (!has(rank)) continue;
      members.done[rank] = done;
      members.most = std::max(members.most, done);
    }
  }
}

}  // namespace tracer::report
