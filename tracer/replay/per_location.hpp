// SPDX-License-Identifier: BSD-3-Clause
// Something of each location that has it, found at once and read in the order of locations.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// A map from locations: 64 neighbours share a piece of memory, which is there when one of them is. One thread at a
/// time.
template <typename Value>
class PerLocation {
 public:
  /// That of `location`; a new one is zero.
  Value& operator[](LocationRef location) {
    const std::size_t at = location / each;
    if (at >= pieces_.size()) pieces_.resize(at + 1);
    std::unique_ptr<Piece>& piece = pieces_[at];
    if (piece == nullptr) piece = std::make_unique<Piece>();
    piece->present |= std::uint64_t{1} << (location % each);
    return piece->values[location % each];
  }
  /// How many were requested.
  std::size_t size() const {
    std::size_t present = 0;
    for (const auto& piece : pieces_)
      if (piece != nullptr) present += static_cast<std::size_t>(std::popcount(piece->present));
    return present;
  }
  /// `visit(LocationRef, const Value&)` for all that were requested, in the order of their numbers.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t at = 0; at < pieces_.size(); ++at) {
      if (pieces_[at] == nullptr) continue;
      for (std::uint64_t left = pieces_[at]->present; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        visit(static_cast<LocationRef>(at * each + i), pieces_[at]->values[i]);
      }
    }
  }

 private:
  static constexpr std::size_t each = 64;
  struct Piece {
    std::uint64_t present = 0;
    std::array<Value, each> values{};
  };
  std::vector<std::unique_ptr<Piece>> pieces_;
};

}  // namespace tracer::report
