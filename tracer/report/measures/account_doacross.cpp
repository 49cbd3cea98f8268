// SPDX-License-Identifier: BSD-3-Clause
// Iterations of a doacross loop that wait for others. Runtimes report the end of such a wait only: `sink` is passed
// when it is over, `source` when an iteration is done. A thread waited where the source came after it could have been
// at the sink: it is there as long after its last event as where nobody let it wait.
#include <algorithm>

#include "tracer/report/measures/account.hpp"

namespace tracer::report {
namespace {

std::uint64_t hash_of(std::span<const EventAttribute> attributes) {
  std::uint64_t hash = 14695981039346656037u;
  for (const EventAttribute& one : attributes) hash = (hash ^ one.value) * 1099511628211u;
  return hash;
}

}  // namespace

/// The shortest of those that waited for nobody. Where all waited: what an iteration without a sink took, as the first
/// does, less what is behind the sink.
std::uint64_t Doacross::before_sink() const {
  if (free_ != unknown) return free_;
  if (whole_ != unknown && behind_ != unknown) return std::min(shortest_, whole_ - std::min(whole_, behind_));
  return 0;
}

void Doacross::source(std::uint64_t iteration, std::uint64_t from, std::uint64_t time) {
  sources_[next_] = {iteration, time};
  next_ = (next_ + 1) % sources_.size();
  std::uint64_t& way = shortest_ == unknown ? whole_ : behind_;
  way = std::min(way, time - std::min(from, time));
}

std::uint64_t Doacross::sink(std::uint64_t iteration, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t passed = to - std::min(from, to);
  shortest_ = std::min(shortest_, passed);
  const auto found = std::find_if(sources_.begin(), sources_.end(), [&](const auto& one) {
    return one.first == iteration && one.second > from && one.second <= to;
  });
  if (found == sources_.end()) {
    free_ = std::min(free_, passed);
    return 0;
  }
  const std::uint64_t own = before_sink();
  return found->second > from + own ? passed - std::min(passed, own) : 0;
}

/// At the Enter of a mark, when what was before it has been charged as work.
void Accountant::doacross(State& state, const Task& task, const Event& event,
                          std::span<const EventAttribute> attributes) {
  if (state.members.empty() || attributes.empty()) return;
  Member& member = state.members.back();
  std::unique_ptr<Doacross>& loop = member.shared->doacross;
  if (!loop) loop = std::make_unique<Doacross>();
  const std::uint64_t from = state.worked_until == event.time ? state.worked_from : event.time;
  if (doacross_[event.ref] == DoacrossMark::source) return loop->source(hash_of(attributes), from, event.time);
  std::uint64_t ns = std::min(loop->sink(hash_of(attributes), from, event.time), event.time - from);
  if (ns == 0) return;
  const RegionRef region = task.stack.empty() ? member.team->region : task.stack.back().region;
  ns = move(state, Place::work, Place::exclusive, ns);
  take_from_work(member, region, ns);
  member.spent.add(event.ref, ns);
  add_detail(Place::exclusive, event.ref, undefined_ref, member.team->region, ns, event.time, member.team->size);
}

}  // namespace tracer::report
