// SPDX-License-Identifier: BSD-3-Clause
// Helpers of a loop.
#include <atomic>
#include <cstddef>
#include <new>

#include "catch.hpp"
#include "tests/support/few_addresses.hpp"
#include "tracer/translate/parallel_for.hpp"

using namespace tracer;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need addresses themselves
TEST_CASE("a loop that there is no memory for leaves no helper behind") {
  std::atomic<std::size_t> calls{0};
  const auto loop = [&calls] { translate::parallel_for(1000, 4, [&calls](std::size_t) { ++calls; }); };
  loop();  // the stacks of its helpers stay with the C library
  REQUIRE(calls == 1000);
  bool has_thrown = false;
  test::work_with_few_addresses(0, [&] {
    try {
      loop();
    } catch (const std::bad_alloc&) {
      has_thrown = true;
    }
  });
  CHECK(has_thrown);
  CHECK(calls == 1000);
}
#endif
