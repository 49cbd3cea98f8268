// SPDX-License-Identifier: BSD-3-Clause
// The table of what ids name: compact, and the same as a plain one.
#include <map>
#include <random>

#include "catch.hpp"
#include "tracer/translate/scan/entities.hpp"

using namespace tracer::translate;

TEST_CASE("what ids name is found again, however many and in whatever order they came") {
  std::mt19937 random(11);
  for (unsigned different = 1; different < 70; different = different * 2 + different % 3) {
    Entities entities;
    std::map<std::uint64_t, Entity> expected;
    std::uint64_t counter = 0;
    for (int i = 0; i < 5000; ++i) {
      counter += random() % 40 == 0 ? random() % 2000 : 1;
      // Now and then one that is long past, as no right trace has it.
      const std::uint64_t where = random() % 100 == 0 ? random() % (counter + 1) : counter;
      const Entity entity{static_cast<std::uint32_t>(random()) % different,
                          random() % 3 == 0 ? none : static_cast<std::uint32_t>(random()) % 2};
      entities.set(where, entity);
      expected[where] = entity;
    }
    REQUIRE(entities.size() == expected.rbegin()->first + 1);
    bool same = true;
    entities.for_each([&](std::uint64_t c, const Entity& entity) {
      const auto found = expected.find(c);
      same = same && entity == (found == expected.end() ? Entity{} : found->second) && entity == entities.get(c);
    });
    CHECK(same);
    CHECK(entities.get(entities.size()) == Entity{});
  }
}
