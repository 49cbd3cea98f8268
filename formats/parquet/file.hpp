// SPDX-License-Identifier: BSD-3-Clause
// Writes one flat Parquet file: required columns of numbers and texts, pages packed and compressed by zstd, minimum
// and maximum of each column in each row group. docs/formats/parquet.md says what tables are made of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tracer::parquet {

enum class Type : std::uint8_t { int32, int64, real, text };

struct Column {
  std::string name;
  Type type = Type::int64;
};

struct Schema {
  std::vector<Column> columns;
  int sorted_by = -1;                                           ///< a column in ascending order; -1 none
  std::vector<std::pair<std::string, std::string>> key_values;  ///< of the file, for whom it concerns
  std::size_t rows_of_page = 16 * 1024;                         ///< at most 16 K
};

/// Used by one thread. Memory: a page of rows as they are and one row group's pages, compressed. Throws
/// tracer::Error when the file cannot be made (it must not exist) or written; what was written then has no end,
/// and no reader takes it.
class File {
 public:
  static constexpr std::size_t rows_of_page = 16 * 1024, rows_of_group = 1024 * 1024;

  File(std::filesystem::path path, Schema schema);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// A value for each column: integers, double for reals, and for texts the number that word() gave.
  template <class... Values>
  void row(const Values&... values) {
    std::size_t column = 0;
    (put(column++, values), ...);
    if (++rows_ == schema_.rows_of_page) end_page();
  }
  /// The number of `text` in the dictionary of a column of texts.
  std::uint32_t word(std::size_t column, std::string_view text);

  std::uint64_t rows() const noexcept { return written_ + in_group_ + rows_; }
  /// Bytes in memory that end_group() would write.
  std::size_t held() const noexcept;
  /// Writes out what is held as a row group of its own.
  void end_group();
  /// The file's end. Returns its size.
  std::uint64_t close();

 private:
  struct ColumnState;
  struct Group;
  void put(std::size_t column, double value) noexcept;
  template <class Integer>
  requires std::is_integral_v<Integer>
  void put(std::size_t column, Integer value) noexcept { values_[column][rows_] = static_cast<std::int64_t>(value); }
  void end_page();
  void write(const void* bytes, std::size_t size);
  std::string footer() const;

  std::filesystem::path path_;
  Schema schema_;
  int fd_ = -1;
  std::uint64_t size_ = 0, written_ = 0, in_group_ = 0;
  std::size_t rows_ = 0;                                 ///< of the page
  std::vector<std::unique_ptr<std::int64_t[]>> values_;  ///< of the page; reals by their bits
  std::vector<ColumnState> columns_;
  std::vector<Group> groups_;
  void* compressor_ = nullptr;
};

}  // namespace tracer::parquet
