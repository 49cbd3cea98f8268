// SPDX-License-Identifier: BSD-3-Clause
// Tables, headings and paragraphs of plain text.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tracer/report/forms/write.hpp"

namespace tracer::report {

class Table {
 public:
  struct Column {
    /// ">title": the cells are aligned to the right, as numbers are.
    Column(const char* text) : title{*text == '>' ? text + 1 : text}, right{*text == '>'} {}
    Column(std::string text, bool is_right) : title{std::move(text)}, right{is_right} {}
    std::string title;
    bool right;
  };
  Table(std::string title, std::vector<Column> columns) : title_{std::move(title)}, columns_{std::move(columns)} {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Whether one more row would be shown. One that would not need not be made: count_hidden() instead.
  bool has_room(const TextOptions& options) const { return options.rows == 0 || rows_.size() < options.rows; }
  void count_hidden() { ++hidden_; }
  /// "" without rows. The first column gives way when the terminal is too narrow; then comes a line
  /// on how many rows are not shown.
  std::string text(const TextOptions& options) const;

 private:
  std::string title_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::size_t hidden_ = 0;  ///< rows behind these
};

std::string heading(const std::string& title, bool colour);
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

}  // namespace tracer::report
