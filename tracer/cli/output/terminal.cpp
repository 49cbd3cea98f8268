// SPDX-License-Identifier: BSD-3-Clause
// Colours, messages and the progress bar of the command line.
#include "tracer/cli/output/terminal.hpp"

#include <stdio_ext.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/formatted.hpp"
#include "tracer/base/message.hpp"
#include "tracer/base/terminal_text.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {

bool takes_escapes(int fd) noexcept {
  const char* term = std::getenv("TERM");
  return term != nullptr && *term != '\0' && std::strcmp(term, "dumb") != 0 && isatty(fd) == 1;
}

bool use_colour(int fd) noexcept {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && takes_escapes(fd);
}

namespace {

bool is_coloured() noexcept {
  static const bool colour = use_colour(STDOUT_FILENO);
  return colour;
}

void put(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error{system_message("cannot write to standard output", errno)};
}

}  // namespace

std::string styled(std::string_view text, const char* sgr) {
  if (!is_coloured()) return std::string{text};
  return std::string{"\x1b["} + sgr + "m" + std::string{text} + "\x1b[0m";
}

void print_error(std::string_view text) {
  const std::string lines = shown_lines(with_names_of_descriptors(std::string{text}));
  const char* begin = use_colour(STDERR_FILENO) ? "\x1b[1;31merror:\x1b[0m" : "error:";
  write_message(STDERR_FILENO, std::string{"tracer: "} + begin + " " + lines + "\n");
}

void print_note(std::string_view text) {
  write_message(STDERR_FILENO, "tracer: " + shown_lines(with_names_of_descriptors(std::string{text})) + "\n");
}

void print_text(std::string_view text) {
  put(shown_on_terminal(with_names_of_descriptors(std::string{text}), is_coloured()));
}

void print_formatted(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = formatted_list(format, arguments);
  va_end(arguments);
  print_text(text);
}

void flush_output() {
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.flush();
  if (!is_written) throw Error{system_message("cannot write to standard output", errno)};
}

void forget_output() noexcept {
  ::__fpurge(stdout);
  std::clearerr(stdout);
  std::cout.clear();
}

void print_data(std::string_view text) {
  put(isatty(STDOUT_FILENO) == 1 ? shown_lines(text) : std::string{text});
}

namespace {

/// The terminal that standard output is; zeros: it is none.
winsize terminal_size() noexcept {
  winsize size{};
  return isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

/// The first `columns` characters of a line, and all its changes of style.
std::string cut_line(std::string_view line, std::size_t columns) {
  std::string cut;
  std::size_t used = 0;
  bool is_style = false;
  for (const char c : line) {
    is_style = is_style || c == '\x1b';
    if (!is_style && (static_cast<unsigned char>(c) & 0xC0) != 0x80) ++used;
    if (is_style || used <= columns) cut += c;
    if (c == 'm') is_style = false;
  }
  return cut;
}

}  // namespace

std::string fitted(std::string_view text, std::size_t rows, std::size_t columns) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  const bool all = rows == 0 || lines.size() < rows;  // the cursor has the last row
  const std::size_t count = all ? lines.size() : std::max<std::size_t>(rows, 2) - 2;
  std::string screen;
  for (std::size_t i = 0; i < count; ++i)
    screen += (columns == 0 ? std::string{lines[i]} : cut_line(lines[i], columns)) + '\n';
  if (!all) screen += "... " + format_counted(lines.size() - count, "more line") + '\n';
  return screen;
}

void print_screen(std::string_view text) {
  if (!takes_escapes(STDOUT_FILENO)) return print_text(text);
  const winsize size = terminal_size();
  put("\x1b[H\x1b[J");
  print_text(fitted(text, size.ws_row, size.ws_col));
}

std::size_t terminal_width() noexcept {
  return terminal_size().ws_col;
}

report::TextOptions text_options(std::size_t rows, const std::string& output) {
  constexpr std::size_t usual = 120, least = 60;
  const std::size_t width = output.empty() ? terminal_width() : 0;
  const bool is_terminal = output.empty() && isatty(STDOUT_FILENO) == 1;
  return {rows, is_terminal && use_colour(STDOUT_FILENO), width >= least ? width : usual, is_terminal};
}

std::string time_left(double elapsed, double fraction) {
  if (elapsed < 2 || fraction < 0.01 || fraction >= 1) return {};
  const double left = elapsed / fraction - elapsed;
  const bool minutes = left >= 100;
  const auto number = static_cast<unsigned long>(minutes ? left / 60 + 0.5 : left + 0.5);
  return "about " + std::to_string(std::max(1ul, number)) + (minutes ? " min left" : " s left");
}

Progress::Progress(std::string label) : label_{shown(label)}, terminal_{takes_escapes(STDERR_FILENO)} {}

Progress::~Progress() {
  if (shown_) write_message(STDERR_FILENO, "\r\x1b[K");
}

void Progress::update(double fraction) {
  if (!terminal_) return;
  const int percent = static_cast<int>(fraction < 0 ? 0 : fraction > 1 ? 100 : fraction * 100);
  if (percent == last_) return;
  last_ = percent;
  shown_ = true;
  const int filled = percent * 30 / 100;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  write_message(STDERR_FILENO,
                formatted("\r%s [%.*s%*s] %3d %%  %s\x1b[K", label_.c_str(), filled, "##############################",
                          30 - filled, "", percent, time_left(elapsed.count(), fraction).c_str()));
}

}  // namespace tracer::cli
