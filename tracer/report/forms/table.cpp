// SPDX-License-Identifier: BSD-3-Clause
// Lays out columns for a terminal.
#include "tracer/report/forms/table.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "tracer/base/text.hpp"

namespace tracer::report {
namespace {

/// Columns on the screen.
std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    width += letter.columns;
    text.remove_prefix(letter.bytes);
  }
  return width;
}

/// The begin of a text, of at most `width` columns.
std::string_view begin_of(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Letter letter = first_letter(text.substr(bytes));
    if (letter.columns > width) break;
    width -= letter.columns;
    bytes += letter.bytes;
  }
  return text.substr(0, bytes);
}

/// The end of a text, of at most `width` columns; no mark of a letter that is not in it.
std::string_view end_of(std::string_view text, std::size_t width) {
  for (std::size_t left = width_of(text); !text.empty();) {
    const Letter letter = first_letter(text);
    if (left <= width && letter.columns != 0) break;
    left -= letter.columns;
    text.remove_prefix(letter.bytes);
  }
  return text;
}

/// Of "MPI_Send @0x2b0c in libapp (Comm::Brick::borders)", a place without its line, less and less: without the module,
/// with the function's own name, without it. What distinguishes it, the address, stays.
std::vector<std::string> shorter_places(const std::string& text) {
  const std::size_t address = text.find(" @0x"),
                    in = text.find(" in ", address == std::string::npos ? text.size() : address);
  if (in == std::string::npos) return {};
  const std::string place = text.substr(0, in);
  const std::size_t function = text.find(" (", in);
  if (function == std::string::npos || text.back() != ')') return {place};
  const std::size_t own = text.rfind("::");
  std::vector<std::string> shorter{place + text.substr(function)};
  if (own != std::string::npos && own > function) shorter.push_back(place + " (" + text.substr(own + 2));
  shorter.push_back(place);
  return shorter;
}

/// The end of a region's name is its place: the middle gives way.
std::string shortened(const std::string& whole, std::size_t width) {
  if (width_of(whole) <= width || width < 8) return whole;
  std::string text = whole;
  for (std::string& shorter : shorter_places(whole)) {
    text = std::move(shorter);
    if (width_of(text) <= width) return text;
  }
  const std::size_t tail = (width - 3) / 2;
  return std::string{begin_of(text, width - 3 - tail)}.append("...").append(end_of(text, tail));
}

}  // namespace

std::string heading(const std::string& title, bool colour) {
  return "\n" + (colour ? std::string{"\x1b[1m"}.append(title).append("\x1b[0m") : title) + "\n";
}

std::string Table::text(const TextOptions& options) const {
  if (rows_.empty()) return {};
  const std::size_t shown = options.rows == 0 ? rows_.size() : std::min(options.rows, rows_.size());
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width_of(column.title));
  for (std::size_t i = 0; i < shown; ++i) {
    for (std::size_t j = 0; j < columns_.size(); ++j) widths[j] = std::max(widths[j], width_of(rows_[i][j]));
  }
  // Where it is too wide the widest texts give way, down to what can still be read.
  constexpr std::size_t least = 24;
  const auto all = [&] { return std::accumulate(widths.begin(), widths.end(), 2 * widths.size()); };
  for (std::size_t too_much = options.is_cut ? all() - std::min(all(), options.width) : 0; too_much != 0; --too_much) {
    std::size_t widest = columns_.size();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const bool may = !columns_[j].right && widths[j] > std::max(least, width_of(columns_[j].title));
      if (may && (widest == columns_.size() || widths[j] > widths[widest])) widest = j;
    }
    if (widest == columns_.size()) break;
    --widths[widest];
  }
  std::string out = title_.empty() ? std::string{} : heading(title_, options.colour);
  const auto line = [&](const auto& cell) {
    std::string text = "  ";
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const std::string shorter = columns_[j].right ? cell(j) : shortened(cell(j), widths[j]);
      const std::string blanks(widths[j] - std::min(widths[j], width_of(shorter)), ' ');
      text += columns_[j].right ? blanks + shorter : shorter + (j + 1 < columns_.size() ? blanks : std::string{});
      if (j + 1 < columns_.size()) text += "  ";
    }
    out += text + "\n";
  };
  line([&](std::size_t j) { return columns_[j].title; });
  for (std::size_t i = 0; i < shown; ++i) line([&](std::size_t j) { return rows_[i][j]; });
  const std::size_t all_rows = rows_.size() + hidden_;
  if (shown < all_rows) out += "  ... and " + std::to_string(all_rows - shown) + " more (--rows 0 shows all)\n";
  return out;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out, line(indent, ' ');
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    if (line.size() > indent && line.size() + 1 + (end - at) > width) {
      out += line + "\n";
      line.assign(indent + 2, ' ');
    } else if (line.size() > indent) {
      line += ' ';
    }
    line += text.substr(at, end - at);
    at = end + 1;
  }
  return out + line + "\n";
}

}  // namespace tracer::report
