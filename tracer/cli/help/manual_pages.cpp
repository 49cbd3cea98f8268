// SPDX-License-Identifier: BSD-3-Clause
// See manual_pages.hpp.
#include "tracer/cli/help/manual_pages.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace tracer::cli {
namespace {

/// Links, code and bold text of a paragraph.
std::string inline_roff(std::string_view text) {
  std::string out;
  bool is_bold = false;
  while (!text.empty()) {
    const std::size_t special = std::min({text.find('`'), text.find('['), text.find("**")});
    out += roff(text.substr(0, special));
    if (special == std::string_view::npos) break;
    text.remove_prefix(special);
    if (text.front() == '`') {
      const std::size_t end = std::min(text.find('`', 1), text.size());
      out += "\\fB" + roff(text.substr(1, end - 1)) + "\\fR";
      text.remove_prefix(std::min(end + 1, text.size()));
    } else if (text.front() == '*') {
      out += is_bold ? "\\fR" : "\\fB";
      is_bold = !is_bold;
      text.remove_prefix(2);
    } else {
      const std::size_t middle = text.find("]("), end = text.find(')', middle);
      const bool is_link = middle < text.find('[', 1) && end != std::string_view::npos;
      out += is_link ? inline_roff(text.substr(1, middle - 1)) : "[";
      text.remove_prefix(is_link ? end + 1 : 1);
    }
  }
  return out;
}

class Page {
 public:
  std::string text() && {
    end_paragraph();
    end_example();
    return std::move(out_);
  }

  void line(std::string_view line) {
    if (line.starts_with("    ") && paragraph_.empty()) return example(line.substr(4));
    if (line.empty()) return is_example_ ? void(blank_ = true) : end_paragraph();
    end_example();
    if (line.starts_with("#")) return heading(line);
    if (line.starts_with("![") || line.starts_with("<!--")) return;
    if (line.starts_with("|")) return row(line);
    if (line.starts_with("- ")) {
      end_paragraph();
      request_ = ".IP \\(bu 2\n";
      line.remove_prefix(2);
    }
    const std::size_t from = std::min(line.find_first_not_of(' '), line.size());
    paragraph_ += std::string{paragraph_.empty() ? "" : "\n"} + std::string{line.substr(from)};
  }

 private:
  void heading(std::string_view line) {
    end_paragraph();
    const std::size_t level = line.find_first_not_of('#');
    if (level == std::string_view::npos || level == 1) return;  // the title
    std::string title{line.substr(std::min(level + 1, line.size()))};
    is_left_out_ = title == "Options";
    if (level == 2)
      std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
    add((level == 2 ? ".SH " : ".SS ") + inline_roff(title) + "\n");
    is_first_ = true;
  }
  void example(std::string_view line) {
    end_paragraph();
    if (!is_example_) add(".PP\n.nf\n.RS\n");
    if (is_example_ && blank_) add("\n");
    blank_ = false;
    is_example_ = true;
    add(line.empty() ? "\n" : roff(line) + "\n");
  }
  void end_example() {
    if (is_example_) add(".RE\n.fi\n");
    is_example_ = blank_ = is_first_ = false;
  }
  /// The first cell, and its description; the row below the table's head is one of lines.
  void row(std::string_view line) {
    end_paragraph();
    if (line.starts_with("|-")) {
      out_.resize(table_head_);
      return;
    }
    table_head_ = out_.size();
    std::string cells[2];
    std::size_t cell = 0;
    line.remove_prefix(1);
    while (!line.empty()) {
      std::size_t end = line.find('|');
      while (end != std::string_view::npos && end > 0 && line[end - 1] == '\\') end = line.find('|', end + 1);
      std::string_view text = line.substr(0, end);
      const std::size_t from = std::min(text.find_first_not_of(' '), text.size());
      text = text.substr(from, text.find_last_not_of(' ') + 1 - from);
      if (!text.empty()) cells[std::min<std::size_t>(cell, 1)] += (cell > 1 ? "; " : "") + inline_roff(text);
      ++cell;
      line.remove_prefix(std::min(end, line.size() - 1) + 1);
    }
    add(".TP\n" + cells[0] + "\n" + cells[1] + "\n");
  }
  void end_paragraph() {
    if (paragraph_.empty()) return;
    add((request_.empty() ? (is_first_ ? "" : ".PP\n") : request_) + inline_roff(paragraph_) + "\n");
    is_first_ = false;
    paragraph_.clear();
    request_.clear();
  }
  void add(const std::string& text) {
    if (!is_left_out_) out_ += text;
  }

  std::string out_, paragraph_, request_;
  bool is_example_ = false, blank_ = false, is_left_out_ = false, is_first_ = true;
  std::size_t table_head_ = 0;
};

}  // namespace

std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-')
      out += "\\-";
    else if (c == '\\')
      out += "\\e";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string{"\\&"} + c;
    else
      out += c;
  }
  return out;
}

std::string roff_of_markdown(std::string_view page) {
  Page roff;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    roff.line(page.substr(0, end));
    page.remove_prefix(std::min(end + 1, page.size()));
  }
  return std::move(roff).text();
}

}  // namespace tracer::cli
