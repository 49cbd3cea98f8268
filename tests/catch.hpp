// SPDX-License-Identifier: BSD-3-Clause
// Catch2, whichever of 2 and 3 is installed, by the names of 3.
#pragma once

#include <string>

#if __has_include(<catch2/catch.hpp>)
#include <catch2/catch.hpp>

namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& part) {
  return Contains(part);
}
}  // namespace Catch::Matchers
#else
#include <catch2/catch_all.hpp>
using Catch::Approx;
#endif
using Catch::Matchers::ContainsSubstring;

/// Leaves the test case, and says why in a line that support/not_tested.py finds. Catch2 2 has no skip.
#define SKIP_TEST(why)        \
  do {                        \
    WARN("not tested: " why); \
    return;                   \
  } while (false)
