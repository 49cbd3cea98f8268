// SPDX-License-Identifier: BSD-3-Clause
// Of very many rows those that count, by two numbers.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tracer::report {

/// Half of those that are kept have most of `first`, the others most of `second` of the rest.
template <class Rows, class First, class Second>
void keep_most(Rows& rows, std::size_t most, const First& first, const Second& second) {
  if (rows.size() <= most) return;
  const auto half = rows.begin() + static_cast<std::ptrdiff_t>(most / 2);
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(most);
  const auto by = [](const auto& number) {
    return [&number](const auto& a, const auto& b) { return number(a) > number(b); };
  };
  std::nth_element(rows.begin(), half, rows.end(), by(first));
  std::nth_element(half, end, rows.end(), by(second));
  rows.erase(end, rows.end());
}

}  // namespace tracer::report
