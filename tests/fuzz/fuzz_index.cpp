// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as an archive's index, also with the length and the checksum that they should have: what is asked of it by
// the viewer, and by readers of a part, is answered or an Error. First, once, each beginning of the right index.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/indexed_archive.hpp"
#include "support/scratch.hpp"
#include "tracer/base/files/checksum.hpp"
#include "tracer/cut/part_source.hpp"
#include "tracer/error.hpp"
#include "tracer/index/activity.hpp"
#include "tracer/index/not_shown.hpp"
#include "tracer/index/trace_index.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace tracer;

constexpr std::size_t size_at = 16, checksum_at = 72, header_bytes = 80;

void set_word(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

std::string sealed(std::string bytes) {
  if (bytes.size() < header_bytes) return bytes;
  bytes.replace(0, 8, "TRCINDEX");
  set_word(bytes, 8, index::format_version);
  set_word(bytes, size_at, bytes.size());
  const std::uint64_t rest = checksum(bytes.data() + header_bytes, bytes.size() - header_bytes);
  set_word(bytes, checksum_at, checksum(bytes.data(), checksum_at, rest));
  return bytes;
}

class Count final : public EventVisitor {
 public:
  void event(LocationRef, const Event&, std::span<const EventAttribute>) override { ++events; }
  std::uint64_t events = 0;
};

template <class Ask>
void try_to(Ask&& ask) {
  try {
    ask();
  } catch (const Error&) {
  }
}

void ask_all(const std::filesystem::path& archive, std::string bytes) {
  std::shared_ptr<const index::Contents> contents;
  try_to([&] { contents = std::make_shared<index::Contents>(std::move(bytes)); });
  if (contents == nullptr) return;
  try_to([&] { index::not_shown_in(contents->table(index::TableKind::not_shown)); });
  auto whole = otf2::open_archive(archive);
  if (contents->locations().size() != whole->definitions().locations.size()) return;
  const std::uint64_t first = whole->definitions().clock.offset, length = whole->definitions().clock.length;
  const std::size_t locations = whole->definitions().locations.size();
  const std::vector<bool> all(locations, true), regions(whole->definitions().regions.size(), true);
  for (const std::uint64_t share : {3, 7}) {
    report::Part part;
    part.from = length * share / 10;
    try_to([&] {
      const auto cut = report::part_of(*whole, part, part_starts(*whole, contents));
      Count count;
      cut->read(count);
    });
  }
  index::TraceIndex index{std::move(whole), contents};
  for (LocationRef location = 0; location < locations; ++location) {
    const std::uint64_t from = first + length / 3, to = from + length / 50;
    try_to([&] { index.slices(location, from, to); });
    try_to([&] { index.groups(location, first, first + length, 100); });
    try_to([&] {
      index::Sums sums;
      index.add_sums(location, from, first + length, sums);
    });
    try_to([&] { index.events(location, from, [](const Event&, std::span<const EventAttribute>) { return false; }); });
  }
  for (const std::size_t process : {std::size_t{0}, std::size_t{1}, index::all_processes}) {
    try_to([&] {
      const index::ActivityRow row = index.activity(process);
      index::part_of(row, first, first + length, 100);
      index::part_of(row, 0, ~std::uint64_t{0}, 2);
    });
  }
  try_to([&] { index.next({regions, all}); });
  try_to([&] { index.next({regions, all, first + length / 2}); });
  try_to([&] { index.previous({regions, all, 0, first + length / 2, 1}); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::Scratch scratch;
  static const std::filesystem::path archive = scratch / "job" / "traces.otf2";
  static const bool is_made = [] {
    test::write_job(scratch / "job");
    const std::string right = test::index_of(scratch / "job");
    for (std::size_t length = 0; length < right.size(); ++length) {
      const std::string cut = right.substr(0, length);
      ask_all(archive, cut);
      if (length % 16 == 0) ask_all(archive, sealed(cut));
    }
    return true;
  }();
  if (!is_made) return 0;
  const std::string bytes{reinterpret_cast<const char*>(data), size};
  ask_all(archive, bytes);
  ask_all(archive, sealed(bytes));
  return 0;
}
