// SPDX-License-Identifier: BSD-3-Clause
// Counters of a group that the kernel counts for a part of the time.
#include <array>
#include <cstdint>

#include "catch.hpp"
#include "formats/raw/samples.hpp"
#include "tracer/sample/counter_totals.hpp"

using tracer::sample::CounterTotals;

namespace {

using Values = std::array<std::uint64_t, 2>;

Values extrapolated(CounterTotals& totals, std::uint64_t enabled, std::uint64_t running, Values values) {
  totals.extrapolate(enabled, running, values);
  return values;
}

}  // namespace

TEST_CASE("an increase is scaled by the share of its own time in which the group counted") {
  CounterTotals totals;
  CHECK(extrapolated(totals, 1000, 500, {2000, 10}) == Values{4000, 20});
  CHECK(extrapolated(totals, 2000, 1500, {2500, 11}) == Values{4500, 21});  // all of the second thousand
  CHECK(extrapolated(totals, 3000, 1750, {2600, 12}) == Values{4900, 25});
}

TEST_CASE("a group that counted all the time has the kernel's numbers") {
  CounterTotals totals;
  const std::uint64_t many = (std::uint64_t{1} << 53) - 1;
  CHECK(extrapolated(totals, 1000, 1000, {7, 1}) == Values{7, 1});
  CHECK(extrapolated(totals, 2000, 2000, {many, 1}) == Values{many, 1});
}

TEST_CASE("time in which a group did not count at all belongs to the next increase") {
  CounterTotals totals;
  const std::uint64_t unknown = tracer::raw::not_counted;
  CHECK(extrapolated(totals, 1000, 0, {0, 0}) == Values{unknown, unknown});
  CHECK(extrapolated(totals, 2000, 1000, {50, 5}) == Values{100, 10});
  CHECK(extrapolated(totals, 3000, 1000, {50, 5}) == Values{100, 10});
  CHECK(extrapolated(totals, 4000, 2000, {60, 6}) == Values{120, 12});
}

TEST_CASE("small increases that are scaled lose nothing by rounding, and none makes a total fall") {
  CounterTotals totals;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const Values now = extrapolated(totals, 3 * i, 2 * i, {i, 100 - i});
    CHECK(now[0] == 3 * i / 2);
    CHECK(now[1] == 148);  // 99, and from then on the kernel's number falls
  }
}
