// SPDX-License-Identifier: BSD-3-Clause
// Maps and sets of numbers that a file chooses, such as an archive's references: whoever writes the file cannot make
// them slow, by numbers that collide. Their order differs from run to run: for what is only looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace tracer {

/// Where the loader has put it is what a file's writer does not know.
inline constexpr char place_of_number_seed = 0;

struct NumberHash {
  /// Every bit of the number, and of the seed, is in all bits of the result.
  std::size_t operator()(std::uint64_t number) const noexcept {
    std::uint64_t mixed = number ^ static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&place_of_number_seed));
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>(mixed ^ mixed >> 31);
  }
};

template <class Value>
using NumberMap = std::unordered_map<std::uint64_t, Value, NumberHash>;
using NumberSet = std::unordered_set<std::uint64_t, NumberHash>;

}  // namespace tracer
