// SPDX-License-Identifier: BSD-3-Clause
// Small raw traces that are made to be much work: what readers do for damaged places is bounded for the whole file.
#include <fcntl.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/raw/journal.hpp"
#include "formats/raw/layout.hpp"
#include "formats/raw/segment_index.hpp"
#include "formats/raw/writer.hpp"
#include "support/scratch.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/record.hpp"

using namespace tracer;

namespace {

const raw::RunId run_id{1, 2};

std::string content(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("damaged places of a journal that look like long entries are not much work together") {
  const test::Scratch scratch;
  {
    raw::JournalWriter writer;
    writer.create(OwnFile::create(scratch / "sound"), run_id);
    writer.message("x");
  }
  const std::string sound = content(scratch / "sound");
  const std::string header = sound.substr(0, sizeof(raw::FileHeader)), entry = sound.substr(header.size());
  constexpr std::size_t places = 50'000, head = 16;
  const std::size_t size = header.size() + places * (head + entry.size());
  std::string journal = header;
  for (std::size_t i = 0; i < places; ++i) {
    const std::uint32_t words[4] = {1, static_cast<std::uint32_t>(size - journal.size() - head), 0, 0};
    journal.append(reinterpret_cast<const char*>(words), sizeof words);
    journal += entry;
  }
  std::ofstream(scratch / "journal", std::ios::binary) << journal;
  const auto file = raw::read_journal(scratch / "journal");
  CHECK(!file.damage.empty());
  CHECK(!file.journal.messages.empty());
  CHECK(file.in_vain < std::uint64_t{400} << 20);
}

TEST_CASE("a trace with thousands of damaged places is read once to find what is behind them") {
  const test::Scratch scratch;
  {
    raw::TraceWriter writer;
    writer.create(OwnFile::create(scratch / "sound"), run_id);
    std::vector<Record> records(3);
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i] = Record{};
      records[i].time = i + 1;
      records[i].kind = RecordKind::work;
    }
    REQUIRE(writer.append(0, 0, records, {}) == 0);
  }
  const std::string sound = content(scratch / "sound");
  constexpr std::size_t places = 20'000;
  std::string trace = sound.substr(0, sizeof(raw::FileHeader));
  for (std::size_t i = 0; i < places; ++i) trace += sound.substr(sizeof(raw::FileHeader)) + '?';
  std::ofstream(scratch / "trace", std::ios::binary) << trace;
  const UniqueFd fd{::open((scratch / "trace").c_str(), O_RDONLY | O_CLOEXEC)};
  REQUIRE(fd);
  const raw::SegmentIndex index = raw::index_segments(fd.get());
  CHECK(index.segments == places);
  CHECK(index.damage.size() + (index.cut_bytes != 0 ? 1 : 0) == places);
  CHECK(index.searched_bytes < 2 * trace.size());
}

TEST_CASE("of a journal that unloads very many modules and names very many devices each has its own") {
  constexpr std::uint64_t count = 30'000;
  const test::Scratch scratch;
  {
    raw::JournalWriter writer;
    writer.create(OwnFile::create(scratch / "journal"), run_id);
    for (std::uint64_t i = 0; i < count; ++i) writer.module({"/a", "", (i + 1) << 12, (i + 2) << 12, 0, i + 1, 0});
    writer.module({"/again", "", 1 << 12, 2 << 12, 0, count + 1, 0});  // where the first one is
    writer.module_unloaded(1 << 12, 5);                                // the last one that is there
    writer.module_unloaded(1 << 12, 6);
    writer.module_unloaded(1 << 12, 7);  // of none
    for (std::uint64_t i = 1; i < count; ++i) writer.module_unloaded((i + 1) << 12, 100 + i);
    for (const Ticks finalized : {0, 9})
      for (std::uint64_t i = 0; i < count; ++i) {
        DeviceInfo device;
        device.number = static_cast<std::int32_t>(i);
        device.finalized = finalized;
        if (finalized == 0) device.properties["name"] = std::to_string(i);
        writer.device(device);
      }
  }
  const Journal journal = raw::read_journal(scratch / "journal").journal;
  REQUIRE(journal.modules.size() == count + 1);
  CHECK(journal.modules.back().unloaded == 5);
  CHECK(journal.modules.front().unloaded == 6);
  CHECK(journal.modules[count - 1].unloaded == 100 + count - 1);
  REQUIRE(journal.devices.size() == count);
  CHECK(journal.devices[7].finalized == 9);
  CHECK(journal.devices[7].properties.at("name") == "7");
}
