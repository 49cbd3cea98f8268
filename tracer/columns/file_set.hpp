// SPDX-License-Identifier: BSD-3-Clause
// The files of all tables: a directory for each process, or for so many of them together that files stay few, in it a
// file of each table for each thread, or for so many of them, and a further one when one is long. Rows of one thread
// beside each other are alike: of two threads mixed they take nearly twice the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "formats/parquet/file.hpp"
#include "tracer/definitions.hpp"

namespace tracer::columns {

/// Raise it when a column changes its meaning or goes away; new columns and tables do not change it.
inline constexpr const char* version = "tracer-parquet/2";

enum class Table : std::uint8_t {
  regions,
  events,
  tasks,
  dependences,
  locks,
  teams,
  messages,
  device_operations,
  metrics,
  samples,
  pauses,
  sampled_values,
  not_recorded,
  count_
};
inline constexpr std::size_t number_of_tables = static_cast<std::size_t>(Table::count_);

/// Name and columns of a table; rows are in the order of `sorted_by`.
struct TableLayout {
  const char* name;
  std::vector<parquet::Column> columns;
  int sorted_by = -1;
};
const TableLayout& layout_of(Table table);

/// As SQL has numbers: -1 where there is none.
constexpr std::int64_t or_none(std::uint32_t ref) noexcept {
  return ref == undefined_ref ? -1 : std::int64_t{ref};
}

class FileSet {
 public:
  /// `anchor`: as WriteOptions has it.
  FileSet(std::filesystem::path directory, const Definitions& definitions, std::string anchor);
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;

  /// Where a row of a location goes. Call it for each row: files are made, and changed when they are long.
  parquet::File& file(Table table, LocationRef location) {
    Slot& slot = sets_[set_of_[location]].slots[static_cast<std::size_t>(table)];
    if (slot.file == nullptr || --slot.until_look == 0) look_after(table, location, slot);
    return *slot.file;
  }
  /// A file of its own beside those of the processes.
  parquet::File make(const char* name, std::vector<parquet::Column> columns) const;
  void close(parquet::File& file);
  /// Each process' files, also those that have no rows.
  void close_all();

  /// Processes by the order of their groups; streams belong to the process that uses them.
  std::uint32_t process_of(LocationRef location) const { return process_of_[location]; }
  const std::vector<std::uint32_t>& processes() const { return processes_; }  ///< their groups of locations
  std::uint64_t rows() const noexcept { return rows_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Slot {
    std::unique_ptr<parquet::File> file;
    std::uint32_t until_look = 0;
  };
  /// Of some processes.
  struct Directory {
    std::string name;
    std::array<std::uint32_t, number_of_tables> parts{};  ///< of each table, so far
  };
  /// What is written for some locations of a directory.
  struct Set {
    std::size_t directory = 0;
    std::array<Slot, number_of_tables> slots;
  };
  void make_directories();
  void look_after(Table table, LocationRef location, Slot& slot);
  std::unique_ptr<parquet::File> open(Table table, Directory& directory);
  void limit_memory();
  std::vector<std::pair<std::string, std::string>> key_values(const char* table) const;

  std::filesystem::path directory_;
  std::vector<std::uint32_t> processes_, process_of_, set_of_;
  std::vector<Directory> directories_;
  std::vector<Set> sets_;
  std::string origin_, realtime_, creator_, anchor_;
  std::size_t page_rows_;
  std::array<std::shared_ptr<parquet::Chosen>, number_of_tables> chosen_;
  std::uint64_t rows_ = 0, bytes_ = 0;
};

}  // namespace tracer::columns
