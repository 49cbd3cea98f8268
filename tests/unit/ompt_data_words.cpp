// SPDX-License-Identifier: BSD-3-Clause
// Data words of several tools: blocks go from thread to thread, each in use by one at a time.
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "tracer/ompt/multiplex/data_words.hpp"

using namespace tracer::ompt::several;

namespace {

constexpr std::uint32_t threads = 8, names_of_thread = 100;

/// What threads have seen.
struct SeenBlocks {
  std::atomic<std::uint32_t> highest{0};  ///< number of a block
  std::atomic<std::uint32_t> foreign{0};  ///< words that another thread wrote
  void add(std::uint32_t number) {
    std::uint32_t known = highest.load();
    while (number > known && !highest.compare_exchange_weak(known, number)) continue;
  }
};

/// Makes words, ends them, and ends when all have come to that.
void use_words(std::uint32_t self, std::atomic<std::uint32_t>& still_at_work, SeenBlocks& seen) {
  std::vector<std::uint64_t> names(names_of_thread);
  for (std::uint64_t& name : names) {
    name = make_words();
    if (ompt_data_t* const words = words_of(name)) words->value = self;
  }
  for (const std::uint64_t name : names) {
    const ompt_data_t* const words = words_of(name);
    if (words == nullptr || words->value != self) ++seen.foreign;
    seen.add(static_cast<std::uint32_t>(name));
    end_words(name);
  }
  --still_at_work;
  while (still_at_work.load() != 0) std::this_thread::yield();
  forget_thread_words();
}

}  // namespace

TEST_CASE("blocks of threads that end at the same moment are used again") {
  constexpr std::uint32_t rounds = 200, blocks_of_chunk = 1024;
  SeenBlocks seen;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::atomic<std::uint32_t> still_at_work{threads};
    std::vector<std::thread> team;
    for (std::uint32_t i = 0; i < threads; ++i) team.emplace_back([&, i] { use_words(i, still_at_work, seen); });
    for (std::thread& one : team) one.join();
  }
  CHECK(seen.foreign.load() == 0);
  CHECK(seen.highest.load() <= threads * blocks_of_chunk);
}
