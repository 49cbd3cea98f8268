// SPDX-License-Identifier: BSD-3-Clause
// What another process sees in the rings of a run that goes on.
#include <algorithm>
#include <cstdint>

#include "catch.hpp"
#include "formats/raw/live_rings.hpp"
#include "tests/unit/session_run.hpp"

using namespace tracer;
using namespace tracer::test;

TEST_CASE("a look at a ring whose number of slots has changed finds each record at its position, or not at all") {
  constexpr std::uint64_t step = 1000, steps = 100, most = 4096, usual = 4000;
  Run run;
  run.start();
  const raw::LiveRings rings(run.session->spool().directory());
  unsigned shorter = 0;
  for (std::uint64_t i = 1; i <= steps; ++i) {
    record_numbers_between((i - 1) * step, i * step);
    const auto views = rings.look(most, [](ChannelId) { return std::uint64_t{0}; });
    REQUIRE(views.size() == 1);
    const auto& records = views.front().records;
    REQUIRE(std::none_of(records.begin(), records.end(),
                         [](const Record& record) { return record.kind == RecordKind::invalid; }));
    const auto seen = numbers(records);
    REQUIRE(!seen.empty());
    CHECK(counts_up(seen, seen.front()));
    CHECK(seen.back() == i * step - 1);
    if (views.front().head > most && records.size() < usual) ++shorter;
  }
  CHECK(shorter > 0);
  run.finish();
}
