// SPDX-License-Identifier: BSD-3-Clause
// Memory that lives as long as the process.
#include <malloc.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "catch.hpp"

#include "tracer/session/lasting_allocator.hpp"

using namespace tracer;

TEST_CASE("lasting memory: threads get pieces that do not overlap, of whole cache lines, zero at first",
          "[session][lasting]") {
  struct Piece {
    std::uintptr_t begin, end;
  };
  constexpr std::size_t threads = 4, each = 500;
  std::vector<std::vector<Piece>> pieces(threads);
  std::vector<std::thread> running;
  std::vector<int> dirty(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (std::size_t i = 0; i < each; ++i) {
        const std::size_t bytes = i % 100 == 99 ? 200'000 : 1 + 37 * i % 3000;  // also more than pages of usual size
        auto* const memory = static_cast<unsigned char*>(lasting_memory(bytes));
        dirty[t] += std::any_of(memory, memory + bytes, [](unsigned char byte) { return byte != 0; });
        std::memset(memory, 0xa5, bytes);
        const auto begin = reinterpret_cast<std::uintptr_t>(memory);
        pieces[t].push_back({begin, begin + bytes});
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  std::vector<Piece> all;
  for (const auto& own : pieces) all.insert(all.end(), own.begin(), own.end());
  std::sort(all.begin(), all.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  REQUIRE(all.size() == threads * each);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].begin % 64 == 0);
    if (i != 0) CHECK(all[i - 1].end <= all[i].begin);
  }
  CHECK(dirty == std::vector<int>(threads));
}

TEST_CASE("lasting memory: none of it is the heap's", "[session][lasting]") {
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < 1000; ++i) lasting_memory(2000);
  CHECK(::mallinfo2().uordblks == before);
}

TEST_CASE("lasting memory: more than there is throws bad_alloc", "[session][lasting]") {
  CHECK_THROWS_AS(lasting_memory(SIZE_MAX - 10), std::bad_alloc);
  CHECK_THROWS_AS(lasting_memory(SIZE_MAX / 4), std::bad_alloc);
  CHECK(lasting_memory(1) != nullptr);
}
