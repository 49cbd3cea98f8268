// SPDX-License-Identifier: BSD-3-Clause
// Event files of which only a part is in memory.
#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/otf2/common/file.hpp"
#include "formats/otf2/join/event_copy.hpp"
#include "formats/otf2/read/event_reader.hpp"
#include "formats/otf2/read/local_definitions.hpp"
#include "support/scratch.hpp"

using namespace tracer;
using namespace tracer::otf2;
using namespace tracer::test;

namespace {

constexpr std::size_t chunk_bytes = 256 * 1024;
constexpr std::uint64_t events = 120'000;

/// The n-th event of the file: most are small, some longer than the smallest part that is in memory.
EventView event_of(std::uint64_t n, std::vector<std::uint64_t>& values) {
  EventView event;
  event.time = 1000 + n / 3 * 7;
  event.kind = n % 2 == 0 ? EventKind::enter : EventKind::leave;
  event.field[0] = n % 300;
  if (n % 5000 == 4999) {
    values.assign(100 + n / 100, 70'000 + n);
    event.kind = EventKind::program_begin;
    event.field = {1, values.size()};
    event.values = values;
  }
  return event;
}

void write(const Scratch& scratch, const std::string& name, std::size_t window) {
  const UniqueFd directory{::open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY)};
  ChunkPool pool;
  EventCopy copy{directory.get(), name, pool, chunk_bytes, window};
  std::vector<std::uint64_t> values;
  for (std::uint64_t n = 0; n < events; ++n) copy.append(event_of(n, values));
  CHECK(copy.events() == events);
  copy.finish();
}

bool is_as_written(const std::filesystem::path& file) {
  EventReader reader{file, 0, chunk_bytes, std::make_shared<const LocalDefinitions>()};
  EventView event;
  std::vector<std::uint64_t> values;
  for (std::uint64_t n = 0; n < events; ++n) {
    const EventView expected = event_of(n, values);
    if (!reader.next(event) || event.time != expected.time || event.kind != expected.kind ||
        event.field[0] != expected.field[0] || event.values.size() != expected.values.size())
      return false;
    if (!std::equal(event.values.begin(), event.values.end(), expected.values.begin())) return false;
  }
  return !reader.next(event);
}

/// Of each chunk: the numbers of its first and last event, as its header says.
std::vector<std::pair<std::uint64_t, std::uint64_t>> headers(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (std::size_t at = 0; at < bytes.size(); at += chunk_bytes) {
    std::pair<std::uint64_t, std::uint64_t> numbers;
    std::memcpy(&numbers.first, bytes.data() + at + 2, 8);
    std::memcpy(&numbers.second, bytes.data() + at + 10, 8);
    found.push_back(bytes[at] == 3 && bytes[at + 1] == 0x42 ? numbers : std::pair<std::uint64_t, std::uint64_t>{});
  }
  return found;
}

}  // namespace

TEST_CASE("an event file of which a part is in memory holds the same events") {
  const Scratch scratch;
  for (const std::size_t window : {std::size_t{512}, std::size_t{4096}, std::size_t{100'000}, chunk_bytes}) {
    CAPTURE(window);
    const std::string name = std::to_string(window) + ".evt";
    write(scratch, name, window);
    CHECK(is_as_written(scratch / name));
    const auto chunks = headers(read_whole(scratch / name, 1 << 30));
    REQUIRE(chunks.size() > 2);
    std::uint64_t last = 0;
    for (const auto& [first, end] : chunks) {
      CHECK(first == last + 1);
      last = end;
    }
    CHECK(last == events);
  }
}

TEST_CASE("an event file of which a part is in memory takes no other's place") {
  const Scratch scratch;
  write(scratch, "taken.evt", 4096);
  CHECK_THROWS(write(scratch, "taken.evt", 4096));
}
