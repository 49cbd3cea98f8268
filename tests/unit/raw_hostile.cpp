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
