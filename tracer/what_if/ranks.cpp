// SPDX-License-Identifier: BSD-3-Clause
// See ranks.hpp.
#include "tracer/what_if/ranks.hpp"

#include <algorithm>
#include <deque>

namespace tracer::report {

RankModel::RankModel(const Definitions& definitions, std::size_t scenarios)
    : scenarios_{scenarios}, world_{definitions}, ranks_(world_.ranks()) {
  for (Rank& rank : ranks_) rank.so_far.assign(scenarios, 0);
  for (LocationRef location = 0; location < definitions.locations.size(); ++location) {
    const std::uint32_t rank = world_.rank_of(location);
    if (rank == undefined_ref || definitions.locations[location].kind != LocationKind::cpu_thread) continue;
    if (ranks_[rank].thread == undefined_ref) ranks_[rank].thread = location;
  }
}

RankModel::Rank* RankModel::rank_of_first_thread(LocationRef location) {
  const std::uint32_t rank = world_.rank_of(location);
  return rank != undefined_ref && ranks_[rank].thread == location ? &ranks_[rank] : nullptr;
}

void RankModel::enter(LocationRef location, std::uint64_t time) {
  Rank* const rank = rank_of_first_thread(location);
  if (rank == nullptr || rank->depth++ != 0) return;
  rank->is_kept = count_ < most_calls;
  if (!rank->is_kept) return;
  ++count_;
  rank->calls.push_back({time, time});
  rank->longer.insert(rank->longer.end(), rank->so_far.begin(), rank->so_far.end());
}

void RankModel::leave(LocationRef location, std::uint64_t time) {
  Rank* const rank = rank_of_first_thread(location);
  if (rank == nullptr || rank->depth == 0 || --rank->depth != 0 || !rank->is_kept) return;
  rank->calls.back().leave = time;
}

/// Its end may arrive when the next call has begun.
void RankModel::region(std::uint32_t number, std::uint64_t begin, std::span<const std::int64_t> longer) {
  Rank& rank = ranks_[number];
  for (std::size_t s = 0; s < scenarios_; ++s) rank.so_far[s] += longer[s];
  for (std::size_t i = rank.calls.size(); i-- > 0 && rank.calls[i].enter > begin;)
    for (std::size_t s = 0; s < scenarios_; ++s) rank.longer[i * scenarios_ + s] += longer[s];
}

/// none: it is not one of those that are kept.
std::uint32_t RankModel::call_at(std::uint32_t number, std::uint64_t enter) const {
  const auto& calls = ranks_[number].calls;
  const auto found = std::lower_bound(calls.begin(), calls.end(), enter,
                                      [](const Call& call, std::uint64_t time) { return call.enter < time; });
  return found != calls.end() && found->enter == enter ? static_cast<std::uint32_t>(found - calls.begin()) : none;
}

void RankModel::waits_for(std::uint32_t rank, std::uint64_t wait_from, std::uint32_t other, std::uint64_t arrival) {
  if (rank == other || rank >= ranks_.size() || other >= ranks_.size()) return;
  const std::uint32_t mine = call_at(rank, wait_from), theirs = call_at(other, arrival);
  if (mine != none && theirs != none) ranks_[rank].waits.push_back({mine, {other, theirs}});
}

void RankModel::message(const MpiMessage& message) {
  const MpiEnd &send = message.send, &receive = message.receive;
  waits_for(receive.rank, receive.wait_from, send.rank, send.start);
  if (message.probe.region != undefined_ref) waits_for(receive.rank, message.probe.enter, send.rank, send.start);
  if (message.late_receiver != 0) waits_for(send.rank, send.wait_from, receive.rank, receive.start);
}

void RankModel::meeting(const MpiMeeting& meeting) {
  const auto& parts = meeting.parts;
  const auto all_wait = meeting.shape == MpiShape::barrier || meeting.shape == MpiShape::all_to_all;
  if (meeting.shape == MpiShape::one_to_all && meeting.root < parts.size()) {
    const MpiPart& root = parts[meeting.root];
    for (const MpiPart& part : parts) waits_for(part.rank, part.wait_from, root.rank, root.arrival);
  } else if (meeting.shape == MpiShape::scan) {
    const MpiPart* last = parts.data();  // of those before, by what was recorded
    for (const MpiPart& part : parts) {
      waits_for(part.rank, part.wait_from, last->rank, last->arrival);
      if (part.arrival > last->arrival) last = &part;
    }
  } else if (all_wait || (meeting.shape == MpiShape::all_to_one && meeting.root < parts.size())) {
    const auto number = static_cast<std::uint32_t>(gatherings_.size());
    gatherings_.push_back(0);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const MpiPart& part = parts[i];
      if (part.rank >= ranks_.size()) continue;
      const std::uint32_t comes = call_at(part.rank, part.arrival), over = call_at(part.rank, part.wait_from);
      auto& known = ranks_[part.rank].gatherings;
      const bool waits = over != none && (all_wait || i == meeting.root);
      if (comes != none) ++gatherings_.back();
      if (comes != none && comes == over) {
        known.push_back({comes, number, true, waits});
      } else {
        if (comes != none) known.push_back({comes, number, true, false});
        if (waits) known.push_back({over, number, false, true});
      }
    }
  }
}

/// One scenario. A rank goes on as far as it can; where it waits for one that is not so far, that one wakes it.
class RankModel::Simulation {
 public:
  Simulation(const std::vector<Rank>& ranks, const std::vector<std::uint32_t>& gatherings, std::size_t scenario,
             std::size_t scenarios)
      : ranks_{ranks}, scenario_{scenario}, scenarios_{scenarios}, states_(ranks.size()) {
    for (const std::uint32_t come : gatherings) open_.push_back({come});
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      states_[r].begun.reserve(ranks[r].calls.size());
      able_.push_back(static_cast<std::uint32_t>(r));
    }
  }

  std::vector<std::int64_t> run() {
    for (;;) {
      while (!able_.empty()) {
        const std::uint32_t rank = able_.front();
        able_.pop_front();
        while (step(rank, false)) continue;
      }
      // By clocks that contradict each other ranks may wait in a ring: whose call was over first goes on.
      std::uint32_t first = none;
      for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
        const State& state = states_[r];
        if (state.at == ranks_[r].calls.size()) continue;
        if (first == none || ranks_[r].calls[state.at].leave < ranks_[first].calls[states_[first].at].leave) first = r;
      }
      if (first == none) break;
      step(first, true);
      able_.push_back(first);
    }
    std::vector<std::int64_t> delays;
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      delays.push_back(states_[r].late + ranks_[r].so_far[scenario_] - states_[r].longer);
    return delays;
  }

 private:
  struct State {
    std::size_t at = 0;  ///< the call that it is in, or comes to
    std::size_t next_wait = 0, next_gathering = 0;
    std::int64_t late = 0;               ///< of what is done; ns behind what was recorded
    std::int64_t longer = 0;             ///< what regions before the last call were longer
    std::vector<std::uint64_t> begun;    ///< simulated, by call
    std::vector<std::uint32_t> waiting;  ///< ranks, for the next call of this one
  };
  struct Open {
    std::size_t missing = 0;
    std::uint64_t last = 0, recorded = 0;  ///< of those who have come
    std::vector<std::uint32_t> waiting{};
  };

  /// The rank's next call. False: there is none, or it waits.
  bool step(std::uint32_t number, bool is_forced) {
    const Rank& rank = ranks_[number];
    State& state = states_[number];
    if (state.at == rank.calls.size()) return false;
    const Call& call = rank.calls[state.at];
    if (state.begun.size() == state.at) begin(rank, state, call);
    std::uint64_t ready = state.begun[state.at], recorded = call.enter;
    const auto other_begins = [&](std::uint64_t simulated, std::uint64_t when) {
      if (when > call.leave) return;  // by clocks that differ
      ready = std::max(ready, simulated);
      recorded = std::max(recorded, when);
    };
    std::size_t w = state.next_wait, g = state.next_gathering;
    for (; w < rank.waits.size() && rank.waits[w].call == state.at; ++w) {
      const Place other = rank.waits[w].other;
      if (other.call < states_[other.rank].begun.size()) {
        other_begins(states_[other.rank].begun[other.call], ranks_[other.rank].calls[other.call].enter);
      } else if (!is_forced) {
        states_[other.rank].waiting.push_back(number);
        return false;
      }
    }
    for (; g < rank.gatherings.size() && rank.gatherings[g].call == state.at; ++g) {
      if (!rank.gatherings[g].waits) continue;
      Open& open = open_[rank.gatherings[g].gathering];
      if (open.missing == 0) {
        other_begins(open.last, open.recorded);
      } else if (!is_forced) {
        open.waiting.push_back(number);
        return false;
      }
    }
    state.next_wait = w;
    state.next_gathering = g;
    const std::uint64_t over = ready + (call.leave - std::max(recorded, call.enter));
    state.late = static_cast<std::int64_t>(over) - static_cast<std::int64_t>(call.leave);
    ++state.at;
    return true;
  }

  void begin(const Rank& rank, State& state, const Call& call) {
    const std::int64_t longer = rank.longer[state.at * scenarios_ + scenario_];
    state.late += longer - state.longer;
    state.longer = longer;
    const std::uint64_t now =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(call.enter) + state.late));
    state.begun.push_back(now);
    able_.insert(able_.end(), state.waiting.begin(), state.waiting.end());
    state.waiting.clear();
    for (std::size_t g = state.next_gathering; g < rank.gatherings.size() && rank.gatherings[g].call == state.at; ++g) {
      if (!rank.gatherings[g].comes) continue;
      Open& open = open_[rank.gatherings[g].gathering];
      open.last = std::max(open.last, now);
      open.recorded = std::max(open.recorded, call.enter);
      if (--open.missing != 0) continue;
      able_.insert(able_.end(), open.waiting.begin(), open.waiting.end());
      open.waiting = {};
    }
  }

  const std::vector<Rank>& ranks_;
  const std::size_t scenario_, scenarios_;
  std::vector<State> states_;
  std::vector<Open> open_;  ///< by gathering
  std::deque<std::uint32_t> able_;
};

std::vector<std::int64_t> RankModel::delays(std::size_t scenario) {
  for (Rank& rank : ranks_) {
    const auto by_call = [](const auto& a, const auto& b) { return a.call < b.call; };
    std::stable_sort(rank.waits.begin(), rank.waits.end(), by_call);
    std::stable_sort(rank.gatherings.begin(), rank.gatherings.end(), by_call);
  }
  return Simulation{ranks_, gatherings_, scenario, scenarios_}.run();
}

}  // namespace tracer::report
