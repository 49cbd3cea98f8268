// SPDX-License-Identifier: BSD-3-Clause
// Any two files as what a dead process left of its rings: u16 size of `owner`, then owner and rings. Looking for
// leftovers names it or leaves it out, and removing it takes these two files and no other.
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "formats/raw/leftovers.hpp"
#include "formats/raw/spool_reader.hpp"
#include "support/scratch.hpp"
#include "tracer/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace raw = tracer::raw;

void write(const std::filesystem::path& path, const std::uint8_t* data, std::size_t size) {
  std::ofstream{path, std::ios::binary}.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
}

void require(bool holds) {
  if (!holds) std::abort();
}

void open_it(const std::filesystem::path& spool, std::size_t size) {
  try {
    for (const auto& ring : raw::open_spool(spool).rings) {
      require(ring.from <= ring.to && ring.to - ring.from <= ring.capacity && ring.offset <= size);
    }
  } catch (const tracer::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tracer::test::Scratch scratch;
  if (size < 2) return 0;
  const std::size_t owner = std::min<std::size_t>(data[0] | data[1] << 8, size - 2);
  const auto spool = scratch / ("tracer-" + std::to_string(::geteuid()) + "-fuzz"), other = spool / "other";
  std::filesystem::create_directory(spool);
  write(spool / "owner", data + 2, owner);
  write(spool / "rings", data + 2 + owner, size - 2 - owner);
  open_it(spool, size);
  const auto found = raw::find_leftovers(scratch.path());
  require(found.size() == 1 && found[0].spool == spool);
  write(other, data, 1);
  require(!raw::remove_spool(spool));  // not empty
  require(std::filesystem::exists(other) && !std::filesystem::exists(spool / "rings"));
  std::filesystem::remove(other);
  raw::remove_spool_of(scratch.path(), spool);
  require(!std::filesystem::exists(spool));
  return 0;
}
