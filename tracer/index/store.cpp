// SPDX-License-Identifier: BSD-3-Clause
// See store.hpp.
#include "tracer/index/store.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tracer/base/files/checksum.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/output_stream.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/files/pending_output.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/files/write_signals.hpp"
#include "tracer/base/limits.hpp"
#include "tracer/base/packed_numbers.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"
#include "tracer/index/build.hpp"
#include "tracer/index/cache_place.hpp"
#include "tracer/index/file_facts.hpp"

namespace tracer::index {
namespace {

namespace fs = std::filesystem;

void add_file(std::string& facts, const fs::path& path) {
  const FileFacts of = facts_of_file(path);
  for (const std::uint64_t word : {of.size, of.seconds, of.nanoseconds}) put_word(facts, word);
}

/// The user's cache directory; "" where no variable names it.
fs::path cache_directory() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fs::path{cache} / "tracer";
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? fs::path{home} / ".cache" / "tracer" : fs::path{};
}

/// By the archive's whole path and its stamp: an archive that is written anew has another one.
fs::path cached_name(const otf2::PositionedSource& source) {
  const fs::path directory = cache_directory();
  if (directory.empty()) return {};
  std::error_code error;
  const std::string path = fs::absolute(source.info().anchor, error).lexically_normal().string();
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.index",
                static_cast<unsigned long long>(checksum(path.data(), path.size())));
  return directory / name;
}

/// The bytes of the file; of one whose header gives another size, the header alone: no memory for what is no index.
std::string read_stated(const fs::path& path) {
  RegularInput in{path};
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(in.size(), 8 * header_words)), '\0');
  bool is_read = in.read(bytes.data(), bytes.size());
  BytesIn header{std::string_view{bytes}.substr(std::min<std::size_t>(bytes.size(), 16))};  // behind magic and version
  if (is_read && in.size() > bytes.size() && header.word() == in.size()) {
    if (in.size() > memory_left()) throw Error{"there is no memory for its " + format_bytes(in.size())};
    const std::size_t at = bytes.size();
    bytes.resize(static_cast<std::size_t>(in.size()));
    is_read = in.read(bytes.data() + at, bytes.size() - at);
  }
  if (!is_read) throw Error{"it cannot be read"};
  return bytes;
}

/// What is kept there; null where there is nothing.
std::unique_ptr<Contents> read_index(const fs::path& path, const otf2::PositionedSource& source, std::uint64_t stamp) {
  std::error_code error;
  if (path.empty() || !fs::exists(fs::symlink_status(path, error))) return nullptr;
  auto contents = std::make_unique<Contents>(read_stated(path));
  if (contents->header().stamp != stamp || contents->locations().size() != source.definitions().locations.size())
    throw Error{"the index is of the archive as it was before"};
  return contents;
}

fs::path beside_name(const otf2::PositionedSource& source) {
  return source.info().directory / (source.info().name + ".index");
}

/// One that is kept, or why it is not used.
Stored find(const otf2::PositionedSource& source, std::uint64_t stamp) {
  Stored out;
  for (const fs::path& path : {beside_name(source), cached_name(source)}) {
    try {
      out.contents = read_index(path, source, stamp);
      out.path = path;
      if (out.contents == nullptr) continue;
      out.note.clear();  // nothing is made anew
      return out;
    } catch (const Error& error) {
      out.note = path.string() + " is made anew: " + error.what();
    }
  }
  return out;
}

void write_index(const fs::path& path, std::string_view bytes) {
  const WithoutWriteSignals guard;
  PendingOutput pending{path, PendingOutput::Named::by_tracer};
  OutputStream out{pending.path(), OutputStream::Begin::new_only};
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (const int why = out.close()) throw Error{system_message("cannot write " + path.string(), why)};
  pending.keep();
}

bool make_cache(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory.parent_path(), error);
  try {
    make_private_directory(directory);
  } catch (const Error&) {
    return false;
  }
  return static_cast<bool>(open_private_directory(directory));
}

bool can_write_beside(const otf2::PositionedSource& source) {
  return ::access(source.info().directory.c_str(), W_OK) == 0;
}

}  // namespace

std::uint64_t stamp_of(const otf2::PositionedSource& source) {
  const otf2::ArchiveInfo& info = source.info();
  std::string facts = read_regular(info.anchor);
  add_file(facts, info.anchor);
  add_file(facts, info.definition_file());
  for (LocationRef i = 0; i < source.definitions().locations.size(); ++i) {
    const std::uint64_t number = source.number_of(i);
    put_word(facts, number);
    add_file(facts, info.event_file(number));
    add_file(facts, info.local_definition_file(number));
  }
  return checksum(facts.data(), facts.size());
}

void refuse_changed_archive() {
  throw Error{"the archive has changed since it was opened; start tracer view again"};
}

void require_unchanged(const otf2::PositionedSource& source, std::uint64_t stamp) {
  if (stamp_of(source) != stamp) refuse_changed_archive();
}

bool can_keep_index(const otf2::PositionedSource& source) {
  if (can_write_beside(source)) return true;
  const fs::path cached = cached_name(source);
  return !cached.empty() && make_cache(cached.parent_path());
}

std::shared_ptr<const Contents> find_index(const otf2::PositionedSource& source) {
  return find(source, stamp_of(source)).contents;
}

Stored open_or_build(otf2::PositionedSource& source, const std::function<void(double)>& progress,
                     const std::function<TableBuilders()>& make_tables, unsigned threads) {
  const std::uint64_t stamp = stamp_of(source);
  Stored out = find(source, stamp);
  if (out.contents != nullptr) return out;
  const fs::path beside = beside_name(source), cached = cached_name(source);
  const TableBuilders tables = make_tables ? make_tables() : TableBuilders{};
  auto contents = std::make_unique<Contents>(build(source, stamp, progress, tables, threads));
  out.is_new = true;
  out.path.clear();
  for (const fs::path& path : {can_write_beside(source) ? beside : fs::path{}, cached}) {
    if (path.empty() || (path == cached && !make_cache(path.parent_path()))) continue;
    try {
      write_index(path, contents->text());
      out.path = path;
      break;
    } catch (const Error& error) {
      out.note = std::string{"the index is not kept there: "} + error.what();
    }
  }
  if (out.path.empty() && out.note.empty())
    out.note = "the index is kept in memory only: there is no place to write it";
  out.contents = std::move(contents);
  return out;
}

fs::path place_in_cache(const otf2::PositionedSource& source, const char* ending) {
  fs::path path = cached_name(source);
  return path.empty() || !make_cache(path.parent_path()) ? fs::path{} : path.replace_extension(ending);
}

}  // namespace tracer::index
