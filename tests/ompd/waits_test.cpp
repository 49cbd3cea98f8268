// SPDX-License-Identifier: BSD-3-Clause
// Waits in words, from snapshots that a test makes up.
#include <cstddef>

#include "tracer/ompd/waits.hpp"

#include "catch.hpp"

using namespace tracer::ompd;

namespace {

ThreadView thread(std::int64_t number, Activity activity, std::size_t team = 1, std::int64_t team_size = 2) {
  ThreadView view{.os_thread = static_cast<std::uint64_t>(100 + number), .number = number, .activity = activity};
  RegionView region;
  region.team = team;
  region.team_size = team_size;
  region.thread_number = number;
  region.level = 1;
  region.member = true;
  view.regions.push_back(region);
  return view;
}

ThreadView locker(std::int64_t number, std::uint64_t lock, std::int64_t owner = -1, std::int64_t team_size = 2) {
  ThreadView view = thread(number, Activity::lock, 1, team_size);
  view.wait_id = lock;
  view.owner = owner;
  return view;
}

std::string all(const Snapshot& snapshot) {
  std::string text;
  for (const auto& finding : find_waits(snapshot)) text += finding + "\n";
  return text;
}

}  // namespace

TEST_CASE("a program whose threads work has no waits to tell") {
  Snapshot snapshot;
  snapshot.threads = {thread(0, Activity::working), thread(1, Activity::working)};
  CHECK(all(snapshot).empty());
}

TEST_CASE("a cycle of locks whose owners are known is a deadlock, told once") {
  Snapshot snapshot;
  snapshot.threads = {locker(0, 0xa0, 1, 3), locker(1, 0xb0, 2, 3), locker(2, 0xc0, 0, 3)};
  const auto findings = find_waits(snapshot);
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0],
             ContainsSubstring(
                 "Deadlock: thread 0 (LWP 100) waits for the lock 0xa0, held by thread 1 (LWP 101), which waits "
                 "for the lock 0xb0, held by thread 2 (LWP 102), which waits for the lock 0xc0, held by thread 0"));
}

TEST_CASE("a thread that waits for its own lock is told") {
  Snapshot snapshot;
  snapshot.threads = {locker(0, 0xa0, 0), thread(1, Activity::working)};
  CHECK_THAT(
      all(snapshot),
      ContainsSubstring("Deadlock: thread 0 (LWP 100) waits for the lock 0xa0, held by thread 0 (LWP 100): by itself"));
}

TEST_CASE("locks without known owners are a deadlock only when nobody else runs") {
  Snapshot snapshot;
  snapshot.threads = {locker(0, 0xa0), locker(1, 0xb0)};
  CHECK_THAT(all(snapshot), ContainsSubstring("Deadlock: ") &&
                                ContainsSubstring("most likely each of the two holds what the other waits for"));
  snapshot.threads.push_back(thread(2, Activity::working, 1, 3));
  CHECK_THAT(all(snapshot), !ContainsSubstring("Deadlock"));
}

TEST_CASE("one lock that is never released is told as that") {
  Snapshot snapshot;
  snapshot.threads = {locker(0, 0xa0), thread(1, Activity::barrier)};
  CHECK_THAT(all(snapshot), ContainsSubstring("who took it waits elsewhere or never released it") &&
                                ContainsSubstring("missing: thread 0"));
}

TEST_CASE("a barrier names who is missing and what it does") {
  Snapshot snapshot;
  snapshot.threads = {thread(0, Activity::barrier, 1, 3), thread(1, Activity::working, 1, 3),
                      thread(2, Activity::barrier, 1, 3)};
  CHECK_THAT(all(snapshot),
             ContainsSubstring("In the team of 3, thread 0 (LWP 100) and thread 2 (LWP 102) wait at the barrier; "
                               "missing: thread 1 (LWP 101), which works"));
}

TEST_CASE("a barrier at which all have arrived is no finding") {
  Snapshot snapshot;
  snapshot.threads = {thread(0, Activity::barrier), thread(1, Activity::barrier)};
  CHECK(all(snapshot).empty());
}

TEST_CASE("threads at different barriers that wait for each other are told") {
  Snapshot snapshot;
  snapshot.threads = {thread(0, Activity::barrier), thread(1, Activity::barrier)};
  snapshot.threads[0].position = Position{.address = 1, .file = "a.c", .line = 10};
  snapshot.threads[1].position = Position{.address = 2, .file = "a.c", .line = 20};
  CHECK_THAT(all(snapshot),
             ContainsSubstring("a.c:10") && ContainsSubstring("a.c:20") && ContainsSubstring("at different barriers"));
}

TEST_CASE("a team size that nobody can have does not fill the memory") {
  Snapshot snapshot;
  snapshot.threads = {thread(0, Activity::barrier, 1, std::int64_t{1} << 60)};
  CHECK(all(snapshot).size() < 100'000);
}
