// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the links of an archive, also with the lengths and checksums that they should have: what the viewer asks
// of them is answered or an Error. First, once, each beginning of the right file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/linked_archive.hpp"
#include "tracer/base/files/checksum.hpp"
#include "tracer/error.hpp"
#include "tracer/view/links_format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace tracer;
using view::Chunk;

constexpr std::size_t header_bytes = 8 * view::links_header_words, checksum_at = header_bytes - 8;

void set_word(std::string& bytes, std::size_t at, std::uint64_t value) {
  std::string word;
  put_word(word, value);
  bytes.replace(at, word.size(), word);
}

std::uint64_t word_at(const std::string& bytes, std::size_t at) {
  return BytesIn{std::string_view{bytes}.substr(at)}.word();
}

/// The header, and the checksum of each part that lies within the file.
std::string sealed(std::string bytes) {
  if (bytes.size() < header_bytes) return bytes;
  constexpr std::size_t version_at = 8, size_at = 16, stamp_at = 24, directory_at = 32, length_at = 40;
  constexpr std::size_t offset_in_chunk = 16, bytes_in_chunk = 24, checksum_in_chunk = 40;
  bytes.replace(0, view::links_magic.size(), view::links_magic);
  set_word(bytes, version_at, view::links_version);
  set_word(bytes, size_at, bytes.size());
  set_word(bytes, stamp_at, test::stamp_of_links);
  const std::size_t directory =
      static_cast<std::size_t>(std::clamp<std::uint64_t>(word_at(bytes, directory_at), header_bytes, bytes.size()));
  set_word(bytes, directory_at, directory);
  set_word(bytes, length_at, bytes.size() - directory);
  const std::uint64_t chunks = directory + 8 <= bytes.size() ? word_at(bytes, directory) : 0;
  for (std::size_t i = 0, at = directory + 8; i < chunks && at + 8 * view::chunk_words <= bytes.size();
       ++i, at += 8 * view::chunk_words) {
    const std::uint64_t offset = word_at(bytes, at + offset_in_chunk), size = word_at(bytes, at + bytes_in_chunk);
    if (offset <= bytes.size() && size <= bytes.size() - offset)
      set_word(bytes, at + checksum_in_chunk,
               checksum(bytes.data() + static_cast<std::size_t>(offset), static_cast<std::size_t>(size)));
  }
  set_word(bytes, checksum_at,
           checksum(bytes.data(), checksum_at, checksum(bytes.data() + directory, bytes.size() - directory)));
  return bytes;
}

template <class Ask>
void try_to(Ask&& ask) {
  try {
    ask();
  } catch (const Error&) {
  }
}

void ask_all(const std::string& bytes) {
  try_to([&] {
    const view::LinksFile file{test::file_of(bytes), test::stamp_of_links, test::locations_of_links};
    const std::vector<bool> some{true, false, true, true, false};
    constexpr std::uint64_t ever = ~std::uint64_t{0};
    for (const auto& [from, to] : {std::pair<std::uint64_t, std::uint64_t>{0, ever}, {1100, 1200}, {1200, 1100}}) {
      view::LinksFile::Query query;
      query.from = from;
      query.to = to;
      query.kinds = (1u << view::link_kinds) - 1;
      query.most = 20;
      query.chunks = 1;
      try_to([&] { file.links(query); });
      query.locations = &some;
      try_to([&] { file.links(query); });
      try_to([&] { file.of_location(3, query.from, query.to, 4); });
      try_to([&] { file.path(query.from, query.to, 100); });
      for (std::size_t series = 0; series < std::min<std::size_t>(file.series().size(), 8); ++series)
        try_to([&] { file.counter(series, query.from, query.to, 100); });
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool is_begun = [] {
    const std::string right = test::right_links();
    if (sealed(right) != right) __builtin_trap();  // the right file is what sealed() makes of it
    for (std::size_t length = 0; length < right.size(); ++length) {
      ask_all(right.substr(0, length));
      ask_all(sealed(right.substr(0, length)));
    }
    return true;
  }();
  if (!is_begun) return 0;
  const std::string bytes{reinterpret_cast<const char*>(data), size};
  ask_all(bytes);
  ask_all(sealed(bytes));
  return 0;
}
