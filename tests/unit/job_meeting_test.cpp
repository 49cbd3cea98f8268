// SPDX-License-Identifier: BSD-3-Clause
// Processes of a launch that meet over files: all agree, whoever comes late.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "support/no_file_room.hpp"
#include "tracer/job/meeting.hpp"

namespace tracer {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Place {
  fs::path path;
  Place() {
    char name[] = "/tmp/tracer-meeting-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Place() { fs::remove_all(path); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator{path}, fs::directory_iterator{}));
  }
};

/// Ranks [0, present) of `size` meet, each on a thread; rank r comes `late[r]` later.
std::vector<std::vector<std::uint64_t>> meeting(const Place& place, std::uint32_t size,
                                                const std::vector<std::uint32_t>& present,
                                                std::chrono::milliseconds patience,
                                                std::chrono::milliseconds late_rank_0 = 0ms) {
  std::vector<std::vector<std::uint64_t>> heard(present.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < present.size(); ++i)
    threads.emplace_back([&, i] {
      if (present[i] == 0) std::this_thread::sleep_for(late_rank_0);
      heard[i] = meet(place.path, "m", present[i], size, 100 + present[i], patience);
    });
  for (std::thread& thread : threads) thread.join();
  return heard;
}

TEST_CASE("all that meet hear the words of all") {
  const Place place;
  const auto heard = meeting(place, 4, {0, 1, 2, 3}, 20s);
  for (const auto& words : heard) CHECK(words == std::vector<std::uint64_t>{100, 101, 102, 103});
  end_meeting(place.path, "m");
  CHECK(place.files() == 0);
}

TEST_CASE("when one does not come nobody hears anything") {
  const Place place;
  for (const auto& words : meeting(place, 4, {0, 1, 3}, 200ms)) CHECK(words.empty());
}

TEST_CASE("when the first one does not come nobody hears anything") {
  const Place place;
  for (const auto& words : meeting(place, 3, {1, 2}, 100ms)) CHECK(words.empty());
}

TEST_CASE("who comes when the others have given up gives up as well") {
  const Place place;
  for (const auto& words : meeting(place, 3, {0, 1, 2}, 100ms, 400ms)) CHECK(words.empty());
}

TEST_CASE("what another program of the launch has left is nobody's answer") {
  const Place place;
  meeting(place, 3, {0, 1, 2}, 20s);  // and nobody ends it
  for (const auto& words : meeting(place, 3, {1, 2}, 100ms)) CHECK(words.empty());
  for (const auto& words : meeting(place, 3, {0, 1}, 200ms)) CHECK(words.empty());
  end_meeting(place.path, "m");
  for (const auto& words : meeting(place, 3, {0, 1, 2}, 20s)) CHECK(words == std::vector<std::uint64_t>{100, 101, 102});
}

TEST_CASE("who cannot write for the limit of file sizes hears nothing, and lives") {
  const Place place;
  CHECK(test::holds_without_file_room([&] { return meet(place.path, "m", 0, 2, 1, 60s).empty(); }));
}

TEST_CASE("the more are to meet the seldomer each of them looks") {
  const auto looks_in_two_seconds = [](std::uint32_t size) {
    const Pauses pauses = pauses_of(size);
    int looks = 1;
    std::chrono::microseconds time{0}, pause = pauses.first;
    for (; time < 2s; pause = std::min(pause * 2, pauses.longest), ++looks) time += pause;
    return looks;
  };
  CHECK(looks_in_two_seconds(4) > 100);
  CHECK(looks_in_two_seconds(10'000) <= 5);
  CHECK(looks_in_two_seconds(100'000) == 2);  // at once, and in the end
}

TEST_CASE("where there is no directory nobody waits") {
  CHECK(meet("/tmp/tracer-no-such-directory", "m", 0, 2, 1, 60s).empty());
}

}  // namespace
}  // namespace tracer
