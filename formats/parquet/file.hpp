// SPDX-License-Identifier: BSD-3-Clause
// Writes one flat Parquet file: required columns of numbers and texts, pages packed and compressed by zstd, minimum
// and maximum of each column in each row group. docs/formats/parquet.md describes the tables.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/parquet/column.hpp"

namespace tracer::parquet {

struct Schema {
  std::vector<Column> columns;
  int sorted_by = -1;                                           ///< a column in ascending order; -1 none
  std::vector<std::pair<std::string, std::string>> key_values;  ///< of the file, for whom it concerns
  std::size_t rows_of_page = 64 * 1024;
  std::shared_ptr<Chosen> chosen = std::make_shared<Chosen>();  ///< shared by a table's files, of one thread
};

/// Used by one thread. Memory: a page, packed, and one row group's pages, compressed. Throws
/// tracer::Error when the file cannot be made (it must not exist) or written; what was written then has no end,
/// and no reader takes it.
class File {
 public:
  static constexpr std::size_t rows_of_page = 64 * 1024, rows_of_group = 256 * 1024;

  File(std::filesystem::path path, Schema schema);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// A value for each column: integers, double for reals, and for texts the number that word() gave.
  template <class... Values>
  void row(const Values&... values) {
    std::int64_t* to = values_.data() + in_block_;
    ((*to = bits_of(values), to += stride), ...);
    if (++in_block_ == ColumnWriter::most_values) end_block();
  }
  /// The number of `text` in the dictionary of a column of texts.
  std::uint32_t word(std::size_t column, std::string_view text) { return columns_[column].word(text); }
  /// The same, in less time: ColumnWriter::word().
  std::uint32_t word(std::size_t column, std::size_t key, std::string_view text) {
    return columns_[column].word(key, text);
  }

  std::uint64_t rows() const noexcept { return written_ + in_group_ + rows_ + in_block_ - (rows_ == 0 ? 0 : 1); }
  /// Bytes in memory that end_group() would write.
  std::size_t held() const noexcept;
  /// Writes out what is held as a row group of its own.
  void end_group();
  /// The file's end. Returns its size.
  std::uint64_t close();

 private:
  struct Group {
    std::uint64_t at = 0, rows = 0, raw = 0, packed = 0;
    std::vector<Chunk> chunks;
  };
  static constexpr std::size_t stride = ColumnWriter::most_values;
  static std::int64_t bits_of(double value) noexcept { return std::bit_cast<std::int64_t>(value); }
  template <class Integer>
  requires std::is_integral_v<Integer>
  static std::int64_t bits_of(Integer value) noexcept { return static_cast<std::int64_t>(value); }
  void end_block();
  void end_page();
  void write(const void* bytes, std::size_t size);
  std::string footer() const;

  std::filesystem::path path_;
  Schema schema_;
  int fd_ = -1;
  std::uint64_t size_ = 0, written_ = 0, in_group_ = 0;
  std::size_t rows_ = 0;              ///< of the page, without those of the block
  std::size_t in_block_ = 0;          ///< with the row before the block, where the page has one
  std::vector<std::int64_t> values_;  ///< of the block, column by column; reals by their bits
  std::vector<ColumnWriter> columns_;
  std::vector<Group> groups_;
};

}  // namespace tracer::parquet
