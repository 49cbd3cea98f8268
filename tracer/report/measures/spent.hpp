// SPDX-License-Identifier: BSD-3-Clause
// Times by region, of which there are a few in most cases and hundreds of thousands in some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// ns by region, in the order in which the regions came. A few are looked for one after another, more in a table.
class Spent {
 public:
  using List = std::vector<std::pair<RegionRef, std::uint64_t>>;

  void add(RegionRef region, std::uint64_t ns) {
    if (std::uint64_t* const known = find(region)) {
      *known += ns;
      return;
    }
    if (list_.size() == few)
      for (std::size_t i = 0; i < list_.size(); ++i) places_.emplace(list_[i].first, i);
    if (list_.size() >= few) places_.emplace(region, list_.size());
    list_.emplace_back(region, ns);
  }
  /// nullptr: there is none.
  std::uint64_t* find(RegionRef region) {
    if (list_.size() > few) {
      const auto found = places_.find(region);
      return found != places_.end() ? &list_[found->second].second : nullptr;
    }
    for (auto& [known, ns] : list_)
      if (known == region) return &ns;
    return nullptr;
  }
  void clear() {
    if (list_.size() > few)
      places_ = Places{};  // not clear(), which takes as long as for the most that there ever were
    list_.clear();
  }
  List::const_iterator begin() const { return list_.begin(); }
  List::const_iterator end() const { return list_.end(); }

 private:
  using Places = std::unordered_map<RegionRef, std::size_t>;
  static constexpr std::size_t few = 32;
  List list_;
  Places places_;  ///< of more than a few
};

}  // namespace tracer::report
