// SPDX-License-Identifier: BSD-3-Clause
// Times by region, of a few and of very many.
#include "catch.hpp"

#include <cstdint>
#include <map>

#include "tracer/report/measures/spent.hpp"

using namespace tracer;
using report::Spent;

TEST_CASE("times by region add up and keep the order in which their regions came, however many there are") {
  const std::uint32_t regions = GENERATE(3u, 32u, 33u, 5000u);
  const auto number = [regions](std::uint32_t i) { return regions - 1 - i; };  // they come from the last to the first
  Spent spent;
  std::map<RegionRef, std::uint64_t> sums;
  for (const std::uint32_t turn : {1u, 2u, 3u})
    for (std::uint32_t i = 0; i < regions; ++i) {
      spent.add(number(i), turn * i);
      sums[number(i)] += turn * i;
    }
  std::uint32_t next = 0;
  bool is_equal = true;
  for (const auto& [region, ns] : spent) is_equal = is_equal && region == number(next++) && ns == sums[region];
  CHECK(is_equal);
  CHECK(next == regions);
  CHECK(spent.find(regions) == nullptr);
  REQUIRE(spent.find(0) != nullptr);
  CHECK(*spent.find(0) == 6 * (regions - 1));
  spent.clear();
  CHECK(spent.begin() == spent.end());
  CHECK(spent.find(0) == nullptr);
  spent.add(7, 5);
  REQUIRE(spent.find(7) != nullptr);
  CHECK(*spent.find(7) == 5);
}
