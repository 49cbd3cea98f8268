// SPDX-License-Identifier: BSD-3-Clause
// See holds.hpp.
#include "tracer/report/measures/holds.hpp"

#include <algorithm>

namespace tracer::report {

void Holds::forget() {
  const auto open = std::find_if(holds_.begin(), holds_.end(), [](const Hold& hold) { return hold.to == 0; });
  const bool is_held = open != holds_.end();
  const Hold last = is_held ? *open : Hold{};
  holds_.clear();
  next_ = 0;
  if (is_held) holds_.push_back(last);
}

void Holds::acquired(RegionRef by, std::uint64_t time) {
  released(time);  // by whoever has it; of a nested lock, that is the same
  if (holds_.size() < most) {
    holds_.push_back({by, time, 0});
    return;
  }
  holds_[next_] = {by, time, 0};
  next_ = (next_ + 1) % most;
}

void Holds::released(std::uint64_t time) {
  for (Hold& hold : holds_)
    if (hold.to == 0) hold.to = std::max(time, hold.from + 1);
}

std::vector<std::pair<RegionRef, std::uint64_t>> Holds::during(std::uint64_t from, std::uint64_t to,
                                                               std::uint64_t ns) const {
  std::vector<std::pair<RegionRef, std::uint64_t>> parts;
  std::uint64_t held = 0;
  for (const Hold& hold : holds_) {
    const std::uint64_t begin = std::max(from, hold.from), end = hold.to == 0 ? to : std::min(to, hold.to);
    if (end <= begin) continue;
    held += end - begin;
    const auto known =
        std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.first == hold.by; });
    if (known != parts.end())
      known->second += end - begin;
    else
      parts.emplace_back(hold.by, end - begin);
  }
  if (parts.empty()) return {{undefined_ref, ns}};
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  const double scale = static_cast<double>(ns) / static_cast<double>(held);
  std::uint64_t rest = ns;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part + 1 == parts.rend()) {
      part->second = rest;
      break;
    }
    part->second = std::min(rest, static_cast<std::uint64_t>(static_cast<double>(part->second) * scale));
    rest -= part->second;
  }
  return parts;
}

}  // namespace tracer::report
