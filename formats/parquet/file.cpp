// SPDX-License-Identifier: BSD-3-Clause
// See file.hpp. "Apache Parquet File Format", data pages of version 1; no levels, as nothing is optional or nested.
#include "formats/parquet/file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <utility>

#include "formats/parquet/encode.hpp"
#include "formats/parquet/thrift.hpp"
#include "tracer/base/file.hpp"
#include "tracer/error.hpp"

namespace tracer::parquet {
namespace {

// Values of the format's enumerations.
enum : std::int64_t { physical_int32 = 1, physical_int64 = 2, physical_double = 5, physical_byte_array = 6 };
enum : std::int64_t { plain = 0, rle = 3, delta_binary_packed = 5, rle_dictionary = 8 };
enum : std::int64_t { uncompressed = 0, zstd = 6 };
enum : std::int64_t { data_page = 0, dictionary_page = 2 };
constexpr std::string_view magic = "PAR1";
/// Fast; the packed pages hardly get smaller at higher levels.
constexpr int level = 1;

std::int64_t physical(Type type) {
  switch (type) {
    case Type::int32:
      return physical_int32;
    case Type::int64:
      return physical_int64;
    case Type::real:
      return physical_double;
    default:
      return physical_byte_array;
  }
}

std::int64_t encoding(Type type) {
  return type == Type::text ? rle_dictionary : type == Type::real ? plain : delta_binary_packed;
}

/// What the statistics say of a column in a group: as PLAIN has the value, texts without their length.
struct Limits {
  bool any = false;
  std::int64_t least = 0, most = 0;
  double least_real = 0, most_real = 0;
  std::string least_text, most_text;
};

template <class T>
std::string plain_bytes(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

struct Chunk {
  std::uint64_t dictionary_at = 0, pages_at = 0;  ///< dictionary_at: 0 none
  std::uint64_t raw = 0, packed = 0;
  std::int64_t codec = zstd;
  std::string least, most;
  bool limits = false;
};

}  // namespace

struct File::ColumnState {
  Type type = Type::int64;
  std::string pages;      ///< headers and bodies of the group so far
  std::uint64_t raw = 0;  ///< their size uncompressed, with the headers
  std::int64_t codec = -1;
  Limits limits;
  std::deque<std::string> words;
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::vector<bool> used;  ///< in this group
};

struct File::Group {
  std::uint64_t at = 0, rows = 0, raw = 0, packed = 0;
  std::vector<Chunk> chunks;
};

namespace {

void end_page_header(Thrift& header) {
  header.end();
}

/// Compresses `body` unless the chunk's first page did not get smaller by it; appends header and body.
template <class State, class Head>
void add_page(State& column, void* compressor, std::int64_t type, const Bytes& body, std::string& out, Head&& head) {
  const std::uint8_t* bytes = body.data();
  std::size_t size = body.size();
  static thread_local Bytes packed;
  if (column.codec != uncompressed && size != 0) {
    packed.resize(ZSTD_compressBound(size));
    const std::size_t got =
        ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(compressor), packed.data(), packed.size(), body.data(), size, level);
    if (ZSTD_isError(got) != 0) throw Error{std::string{"zstd: "} + ZSTD_getErrorName(got)};
    if (column.codec == -1) column.codec = got > size - size / 16 ? uncompressed : zstd;
    if (column.codec == zstd) {
      bytes = packed.data();
      size = got;
    }
  }
  const std::size_t before = out.size();
  Thrift header{out};
  header.i32(1, type);
  header.i32(2, static_cast<std::int64_t>(body.size()));
  header.i32(3, static_cast<std::int64_t>(size));
  head(header);
  end_page_header(header);
  column.raw += out.size() - before + body.size();
  out.append(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace

File::File(std::filesystem::path path, Schema schema) : path_{std::move(path)}, schema_{std::move(schema)} {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd_ < 0) throw Error{system_message("make " + path_.string(), errno)};
  compressor_ = ZSTD_createCCtx();
  for (const Column& column : schema_.columns) {
    values_.push_back(std::make_unique_for_overwrite<std::int64_t[]>(schema_.rows_of_page));
    columns_.emplace_back().type = column.type;
  }
  write(magic.data(), magic.size());
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
  ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(compressor_));
}

void File::put(std::size_t column, double value) noexcept {
  values_[column][rows_] = std::bit_cast<std::int64_t>(value);
}

std::uint32_t File::word(std::size_t column, std::string_view text) {
  ColumnState& state = columns_[column];
  if (const auto found = state.numbers.find(text); found != state.numbers.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(state.words.size());
  state.words.emplace_back(text);
  state.numbers.emplace(state.words.back(), number);
  return number;
}

std::size_t File::held() const noexcept {
  std::size_t bytes = 0;
  for (const ColumnState& column : columns_) bytes += column.pages.size();
  return bytes;
}

void File::end_page() {
  if (rows_ == 0) return;
  Bytes body;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    ColumnState& column = columns_[c];
    const std::span<const std::int64_t> values{values_[c].get(), rows_};
    Limits& limits = column.limits;
    body.clear();
    if (column.type == Type::text) {
      encode_indices(values, column.words.size(), body);
      column.used.resize(column.words.size());
      for (const std::int64_t value : values) column.used[static_cast<std::size_t>(value)] = true;
    } else if (column.type == Type::real) {
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(values.data());
      body.assign(bytes, bytes + values.size_bytes());
      for (const std::int64_t bits : values) {
        const double value = std::bit_cast<double>(bits);
        if (!limits.any || value < limits.least_real) limits.least_real = value;
        if (!limits.any || value > limits.most_real) limits.most_real = value;
        limits.any = true;
      }
    } else {
      encode_delta(values, column.type == Type::int32, body);
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      limits.least = limits.any ? std::min(limits.least, *least) : *least;
      limits.most = limits.any ? std::max(limits.most, *most) : *most;
      limits.any = true;
    }
    add_page(column, compressor_, data_page, body, column.pages, [&](Thrift& header) {
      header.begin_struct(5);
      header.i32(1, static_cast<std::int64_t>(rows_));
      header.i32(2, encoding(column.type));
      header.i32(3, rle);
      header.i32(4, rle);
      header.end_struct();
    });
  }
  in_group_ += rows_;
  rows_ = 0;
  if (in_group_ >= rows_of_group) end_group();
}

void File::end_group() {
  if (rows_ != 0) {
    const std::uint64_t before = written_;
    end_page();
    if (written_ != before) return;  // that was the group's last page
  }
  if (in_group_ == 0) return;
  Group group;
  group.at = size_;
  group.rows = in_group_;
  for (ColumnState& column : columns_) {
    Chunk chunk;
    if (column.type == Type::text) {
      Bytes body;
      for (std::size_t w = 0; w < column.words.size(); ++w) {
        const std::string& word = column.words[w];
        const auto length = static_cast<std::uint32_t>(word.size());
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&length);
        body.insert(body.end(), bytes, bytes + sizeof length);
        body.insert(body.end(), word.begin(), word.end());
        if (w >= column.used.size() || !column.used[w]) continue;
        Limits& limits = column.limits;
        if (!limits.any || word < limits.least_text) limits.least_text = word;
        if (!limits.any || word > limits.most_text) limits.most_text = word;
        limits.any = true;
      }
      std::string page;
      add_page(column, compressor_, dictionary_page, body, page, [&](Thrift& header) {
        header.begin_struct(7);
        header.i32(1, static_cast<std::int64_t>(column.words.size()));
        header.i32(2, plain);
        header.end_struct();
      });
      chunk.dictionary_at = size_;
      write(page.data(), page.size());
      chunk.packed += page.size();
      std::fill(column.used.begin(), column.used.end(), false);
    }
    chunk.pages_at = size_;
    write(column.pages.data(), column.pages.size());
    chunk.packed += column.pages.size();
    chunk.raw = column.raw;
    chunk.codec = column.codec == -1 ? static_cast<std::int64_t>(uncompressed) : column.codec;
    const Limits& limits = column.limits;
    chunk.limits = limits.any;
    switch (column.type) {
      case Type::int32:
        chunk.least = plain_bytes(static_cast<std::int32_t>(limits.least));
        chunk.most = plain_bytes(static_cast<std::int32_t>(limits.most));
        break;
      case Type::int64:
        chunk.least = plain_bytes(limits.least);
        chunk.most = plain_bytes(limits.most);
        break;
      case Type::real:
        chunk.least = plain_bytes(limits.least_real);
        chunk.most = plain_bytes(limits.most_real);
        break;
      case Type::text:
        chunk.least = limits.least_text;
        chunk.most = limits.most_text;
        break;
    }
    group.raw += chunk.raw;
    group.packed += chunk.packed;
    group.chunks.push_back(std::move(chunk));
    column.pages = {};
    column.raw = 0;
    column.codec = -1;
    column.limits = {};
  }
  groups_.push_back(std::move(group));
  written_ += in_group_;
  in_group_ = 0;
}

std::string File::footer() const {
  std::string bytes;
  Thrift meta{bytes};
  meta.i32(1, 2);  // the format's version, of which the newer encodings are
  meta.list_of_structs(2, schema_.columns.size() + 1);
  meta.begin_element();
  meta.binary(4, "schema");
  meta.i32(5, static_cast<std::int64_t>(schema_.columns.size()));
  meta.end_struct();
  for (const Column& column : schema_.columns) {
    meta.begin_element();
    meta.i32(1, physical(column.type));
    meta.i32(3, 0);  // required
    meta.binary(4, column.name);
    if (column.type == Type::text) {
      meta.i32(6, 0);  // UTF8
      meta.begin_struct(10);
      meta.begin_struct(1);  // STRING
      meta.end_struct();
      meta.end_struct();
    }
    meta.end_struct();
  }
  meta.i64(3, static_cast<std::int64_t>(written_));
  meta.list_of_structs(4, groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    meta.begin_element();
    meta.list_of_structs(1, group.chunks.size());
    for (std::size_t c = 0; c < group.chunks.size(); ++c) {
      const Chunk& chunk = group.chunks[c];
      const Column& column = schema_.columns[c];
      const bool text = column.type == Type::text;
      meta.begin_element();
      meta.i64(2, static_cast<std::int64_t>(text ? chunk.dictionary_at : chunk.pages_at));
      meta.begin_struct(3);
      meta.i32(1, physical(column.type));
      meta.list_of_i32(2, text ? 2 : 1);
      if (text) meta.element(std::int64_t{plain});
      meta.element(encoding(column.type));
      meta.list_of_binary(3, 1);
      meta.element(std::string_view{column.name});
      meta.i32(4, chunk.codec);
      meta.i64(5, static_cast<std::int64_t>(group.rows));
      meta.i64(6, static_cast<std::int64_t>(chunk.raw));
      meta.i64(7, static_cast<std::int64_t>(chunk.packed));
      meta.i64(9, static_cast<std::int64_t>(chunk.pages_at));
      if (text) meta.i64(11, static_cast<std::int64_t>(chunk.dictionary_at));
      if (chunk.limits) {
        meta.begin_struct(12);
        meta.i64(3, 0);  // nulls
        meta.binary(5, chunk.most);
        meta.binary(6, chunk.least);
        meta.end_struct();
      }
      meta.end_struct();
      meta.end_struct();
    }
    meta.i64(2, static_cast<std::int64_t>(group.raw));
    meta.i64(3, static_cast<std::int64_t>(group.rows));
    if (schema_.sorted_by >= 0) {
      meta.list_of_structs(4, 1);
      meta.begin_element();
      meta.i32(1, schema_.sorted_by);
      meta.boolean(2, false);
      meta.boolean(3, false);
      meta.end_struct();
    }
    meta.i64(5, static_cast<std::int64_t>(group.at));
    meta.i64(6, static_cast<std::int64_t>(group.packed));
    if (g < 32768) meta.i16(7, static_cast<std::int64_t>(g));
    meta.end_struct();
  }
  meta.list_of_structs(5, schema_.key_values.size());
  for (const auto& [key, value] : schema_.key_values) {
    meta.begin_element();
    meta.binary(1, key);
    meta.binary(2, value);
    meta.end_struct();
  }
  meta.binary(6, "tracer version 0.1.0");
  meta.list_of_structs(7, schema_.columns.size());
  for (std::size_t c = 0; c < schema_.columns.size(); ++c) {
    meta.begin_element();
    meta.begin_struct(1);  // values are ordered as their type is
    meta.end_struct();
    meta.end_struct();
  }
  meta.end();
  return bytes;
}

std::uint64_t File::close() {
  end_group();
  std::string end = footer();
  const auto length = static_cast<std::uint32_t>(end.size());
  end.append(reinterpret_cast<const char*>(&length), sizeof length);
  end.append(magic);
  write(end.data(), end.size());
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) throw Error{system_message("write " + path_.string(), errno)};
  return size_;
}

void File::write(const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  for (std::size_t left = size; left != 0;) {
    const ssize_t done = ::write(fd_, at, left);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw Error{system_message("write " + path_.string(), errno)};
    at += done;
    left -= static_cast<std::size_t>(done);
  }
  size_ += size;
}

}  // namespace tracer::parquet
