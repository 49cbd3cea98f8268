// SPDX-License-Identifier: BSD-3-Clause
// What `tracer top` says a thread is in and how long it waited, by its records about locks.
#include "catch.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "formats/raw/live_rings.hpp"
#include "tracer/cli/live/thread_watch.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/record.hpp"

using namespace tracer;
using namespace tracer::cli;

namespace {

constexpr std::uint64_t lock_id = 7;

Record about_lock(Ticks time, RecordKind kind, std::uint16_t sub) {
  return {time, kind, Endpoint::none, sub, 0, lock_id, 0x401000};
}
Record acquire(Ticks time, std::uint16_t sub) {
  return about_lock(time, RecordKind::mutex_acquire, sub);
}
Record acquired(Ticks time, std::uint16_t sub) {
  return about_lock(time, RecordKind::mutex_acquired, sub);
}
Record nested(Ticks time, Endpoint endpoint) {
  return {time, RecordKind::nest_lock, endpoint, 0, 0, lock_id, 0x401000};
}
Record loop(Ticks time) {
  return {time, RecordKind::work, Endpoint::begin, work_type::loop_static, 0, 3, 0x402000};
}

/// A thread that is in a loop since 1000, seen first at 1100.
class ThreadInLoop {
 public:
  ThreadInLoop() { look(1100, {loop(1000)}); }
  const ThreadWatch& look(Ticks now, std::vector<Record> records) {
    raw::RingView view;
    view.first = position_;
    view.head = position_ += records.size();
    view.records = std::move(records);
    watch_.see(view, now);
    return watch_;
  }

 private:
  ThreadWatch watch_;
  std::uint64_t position_ = 0;
};

}  // namespace

TEST_CASE("a thread that waits for a lock is in it until it has it") {
  ThreadInLoop thread;
  const ThreadWatch& watch = thread.look(2000, {acquire(1500, mutex_kind::lock)});
  CHECK(construct_name(watch.inside()) == "lock");
  CHECK(is_wait(watch.inside()));
  CHECK(watch.waited() == 500);
  thread.look(3000, {acquired(2200, mutex_kind::lock)});
  CHECK(construct_name(watch.inside()) == "for");
  CHECK(watch.waited() == 200);
}

TEST_CASE("a test of a lock is no wait, whether it fails or not") {
  const std::uint16_t kind = GENERATE(std::uint16_t{mutex_kind::test_lock}, std::uint16_t{mutex_kind::test_nest_lock});
  ThreadInLoop thread;
  const ThreadWatch& watch = thread.look(2000, {acquire(1300, kind), acquire(1500, kind)});
  CHECK(construct_name(watch.inside()) == "for");
  CHECK(watch.waited() == 0);
  CHECK(watch.rates().locks == 2);
  thread.look(3000, {acquire(2100, kind), acquired(2200, kind)});
  CHECK(construct_name(watch.inside()) == "for");
  CHECK(watch.waited() == 0);
}

TEST_CASE("a test that failed and is reported as a lock's setting ends with the next record") {
  ThreadInLoop thread;
  const ThreadWatch& watch =
      thread.look(2000, {acquire(1300, mutex_kind::lock), about_lock(1500, RecordKind::mutex_released, 1)});
  CHECK(construct_name(watch.inside()) == "for");
  CHECK(watch.waited() == 0);
}

TEST_CASE("a wait for a lock goes on while the thread waits for its ring") {
  ThreadInLoop thread;
  const ThreadWatch& watch =
      thread.look(2000, {acquire(1500, mutex_kind::lock), about_lock(1600, RecordKind::ring_wait, 0)});
  CHECK(construct_name(watch.inside()) == "lock");
  CHECK(watch.waited() == 500);
}

TEST_CASE("a nestable lock that its owner sets again is waited for until then") {
  ThreadInLoop thread;
  const ThreadWatch& watch = thread.look(2000, {acquire(1500, mutex_kind::nest_lock), nested(1600, Endpoint::begin)});
  CHECK(construct_name(watch.inside()) == "for");
  CHECK(watch.waited() == 100);
  thread.look(3000, {nested(2100, Endpoint::end)});
  CHECK(construct_name(watch.inside()) == "for");
  CHECK(watch.waited() == 0);
}
