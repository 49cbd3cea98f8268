// SPDX-License-Identifier: BSD-3-Clause
// Rings in a file where the system's pages are larger than the file's.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/session/spool.hpp"

using namespace tracer;

TEST_CASE("rings outlive the process whatever the size of the system's pages") {
  constexpr std::uint64_t records = 512;  // 16 KiB
  for (const std::uint64_t page : {std::uint64_t{0}, std::uint64_t{16} << 10, std::uint64_t{64} << 10}) {
    const test::Scratch scratch;
    Spool spool{page};
    std::string reason;
    REQUIRE(spool.create(scratch.path(), "owner", {1, 2}, reason, true));
    Slot slots[3];
    for (std::uint64_t i = 0; i < 3; ++i) {
      REQUIRE(spool.add(records, slots[i]));
      CHECK(slots[i].survives);
      REQUIRE(spool.commit(slots[i], records));
      for (std::uint64_t r = 0; r < records; ++r)
        slots[i].records[r] = Record{.time = 1000 * (i + 1) + r,
                                     .kind = RecordKind::flush,
                                     .endpoint = Endpoint::none,
                                     .sub = 0,
                                     .a = 0,
                                     .b = 0,
                                     .c = 0};
    }
    // A system refuses other offsets than those of its pages.
    std::ifstream maps("/proc/self/maps");
    std::size_t seen = 0;
    for (std::string line; std::getline(maps, line);) {
      if (line.find(spool.directory().string() + "/rings") == line.npos) continue;
      std::istringstream words(line);
      std::string addresses, rights, offset;
      words >> addresses >> rights >> offset;
      CHECK(std::stoull(offset, nullptr, 16) % std::max<std::uint64_t>(page, 4096) == 0);
      ++seen;
    }
    CHECK(seen != 0);
    std::ifstream file(spool.directory() / "rings", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    for (std::uint64_t i = 0; i < 3; ++i) {
      Record last{};
      REQUIRE(bytes.size() >= slots[i].offset + raw::spool_page + records * sizeof last);
      bytes.copy(reinterpret_cast<char*>(&last), sizeof last,
                 slots[i].offset + raw::spool_page + (records - 1) * sizeof last);
      CHECK(last.time == 1000 * (i + 1) + records - 1);
    }
    spool.remove();
  }
}
