// SPDX-License-Identifier: BSD-3-Clause
// Chunks that loops hand out to a thread are counted by loop, also where loops are inside of each other.
#include <array>
#include <atomic>
#include <cstdint>

#include "catch.hpp"
#include "tracer/ids.hpp"
#include "tracer/record.hpp"
#include "tracer/session/channel.hpp"

using namespace tracer;

namespace {

/// The thread's own, without a session.
class ThreadAlone {
 public:
  Channel& channel() { return channel_; }

 private:
  std::array<Record, 8> slots_{};
  std::atomic<std::uint64_t> head_{0}, tail_{0};
  Channel channel_{slots_, head_, tail_, 1};
};

void chunks(Channel& channel, unsigned count) {
  for (unsigned i = 0; i < count; ++i) channel.count_chunk();
}

}  // namespace

TEST_CASE(
    "a loop in a nested region, with an end or cancelled and without one, takes no chunks of the loop around it") {
  const bool is_cancelled = GENERATE(false, true);
  ThreadAlone thread;
  Channel& channel = thread.channel();
  channel.begin_region(1);
  channel.begin_chunks();
  for (ParallelId region = 2; region < 22; ++region) {
    chunks(channel, 1);
    channel.begin_region(region);
    channel.begin_chunks();
    chunks(channel, 3);
    if (!is_cancelled) CHECK(channel.end_chunks() == 3);
    channel.end_region(region);
  }
  CHECK(channel.end_chunks() == 20);
  channel.end_region(1);
}

TEST_CASE("a region that ends twice, or whose end never comes, leaves the loops around it as they are") {
  ThreadAlone thread;
  Channel& channel = thread.channel();
  channel.begin_region(1);
  channel.begin_chunks();
  chunks(channel, 5);
  channel.begin_region(2);  // without an end
  channel.begin_region(3);
  channel.begin_chunks();
  channel.end_region(3);
  channel.end_region(3);
  channel.end_region(0);  // whose runtime has freed its word
  channel.begin_region(4);
  channel.begin_chunks();
  channel.end_region(4);
  chunks(channel, 2);
  CHECK(channel.end_chunks() == 7);
  channel.end_region(1);
  channel.begin_region(5);
  channel.begin_chunks();
  chunks(channel, 1);
  CHECK(channel.end_chunks() == 1);
}
