// SPDX-License-Identifier: BSD-3-Clause
// Seeds of the target that reads indexes.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "fuzz/indexed_archive.hpp"
#include "support/scratch.hpp"
#include "tracer/base/packed_numbers.hpp"
#include "tracer/index/contents.hpp"

namespace {

using namespace tracer;

void set_word(std::string& bytes, std::size_t at, std::uint64_t value) {
  std::string word;
  put_word(word, value);
  bytes.replace(at, word.size(), word);
}

/// The tree of the first location has as many levels as a word has steps of 16, more than its blocks need.
std::string with_deep_tree(std::string bytes) {
  constexpr std::size_t levels = 16, directory_at = 64, levels_in_row = 7 * 8;
  const index::Contents contents{bytes};
  const index::LocationIndex& of = contents.locations().front();
  std::string section{of.places};
  section += of.nodes;
  for (std::size_t level = of.level_nodes.size(); level < levels; ++level) put_word(section, of.payloads.size());
  section += of.payloads;
  const auto row = static_cast<std::size_t>(BytesIn{std::string_view{bytes}.substr(directory_at)}.word());
  set_word(bytes, row, bytes.size());
  set_word(bytes, row + 8, section.size());
  set_word(bytes, row + levels_in_row, levels);
  return bytes + section;
}

void write_seed(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream{path, std::ios::binary} << bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  const test::Scratch scratch;
  test::write_job(scratch / "job");
  const std::string bytes = test::index_of(scratch / "job");
  write_seed(directory / "job", bytes);
  write_seed(directory / "deep", with_deep_tree(bytes));
}
