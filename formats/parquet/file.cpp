// SPDX-License-Identifier: BSD-3-Clause
// See file.hpp. "Apache Parquet File Format", data pages of version 1; no levels, as nothing is optional or nested.
#include "formats/parquet/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "formats/parquet/thrift.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/error.hpp"
#include "tracer/version.hpp"

namespace tracer::parquet {
namespace {

constexpr std::string_view magic = "PAR1";
}  // namespace

File::File(std::filesystem::path path, Schema schema) : path_{std::move(path)}, schema_{std::move(schema)} {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd_ < 0) throw Error{system_message("make " + path_.string(), errno)};
  schema_.chosen->resize(schema_.columns.size());
  for (std::size_t c = 0; c < schema_.columns.size(); ++c)
    columns_.emplace_back(schema_.columns[c], (*schema_.chosen)[c], schema_.rows_of_page);
  values_.resize(columns_.size() * stride);
  write(magic.data(), magic.size());
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

std::size_t File::held() const noexcept {
  std::size_t bytes = 0;
  for (const ColumnWriter& column : columns_) bytes += column.held();
  return bytes;
}

void File::end_block() {
  const std::size_t own = in_block_ - (rows_ == 0 ? 0 : 1);
  if (own == 0) return;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::int64_t* const values = values_.data() + c * stride;
    columns_[c].add({values, in_block_});
    values[0] = values[in_block_ - 1];
  }
  in_block_ = 1;
  rows_ += own;
  if (rows_ > schema_.rows_of_page - delta_block) end_page();
}

void File::end_page() {
  for (ColumnWriter& column : columns_) column.end_page();
  in_group_ += rows_;
  rows_ = in_block_ = 0;
  if (in_group_ >= rows_of_group) end_group();
}

void File::end_group() {
  const std::uint64_t before = written_;
  end_block();
  if (rows_ != 0) end_page();
  if (written_ != before || in_group_ == 0) return;  // that was the group's last page, or there is none
  Group group;
  group.at = size_;
  group.rows = in_group_;
  for (ColumnWriter& column : columns_) {
    ColumnWriter::Group done = column.end_group();
    if (!done.dictionary.empty()) {
      done.chunk.dictionary_at = size_;
      write(done.dictionary.data(), done.dictionary.size());
    }
    done.chunk.pages_at = size_;
    for (const std::string& page : done.pages) write(page.data(), page.size());
    group.raw += done.chunk.raw;
    group.packed += done.chunk.packed;
    group.chunks.push_back(std::move(done.chunk));
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
      const bool has_dictionary = chunk.dictionary_at != 0;
      meta.begin_element();
      meta.i64(2, static_cast<std::int64_t>(has_dictionary ? chunk.dictionary_at : chunk.pages_at));
      meta.begin_struct(3);
      meta.i32(1, physical(column.type));
      meta.list_of_i32(2, chunk.encodings.size());
      for (const std::int64_t encoding : chunk.encodings) meta.element(encoding);
      meta.list_of_binary(3, 1);
      meta.element(std::string_view{column.name});
      meta.i32(4, chunk.codec);
      meta.i64(5, static_cast<std::int64_t>(group.rows));
      meta.i64(6, static_cast<std::int64_t>(chunk.raw));
      meta.i64(7, static_cast<std::int64_t>(chunk.packed));
      meta.i64(9, static_cast<std::int64_t>(chunk.pages_at));
      if (has_dictionary) meta.i64(11, static_cast<std::int64_t>(chunk.dictionary_at));
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
  meta.binary(6, std::string{"tracer version "} + tracer_version);
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
