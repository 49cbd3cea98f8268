// SPDX-License-Identifier: BSD-3-Clause
// What depends on whether a person is looking: colours and the progress bar.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tracer/report/forms/write.hpp"

namespace tracer::cli {

/// True when `fd` is a terminal that obeys escape sequences: TERM is set, and not to "dumb".
bool takes_escapes(int fd) noexcept;
/// The same, and NO_COLOR does not forbid colours.
bool use_colour(int fd) noexcept;

/// `text` in the given SGR style ("1", "31") when standard output takes colours, else as it is.
std::string styled(std::string_view text, const char* sgr);

/// "tracer: error: ..." on stderr.
void print_error(std::string_view text);
/// "tracer: ..." on stderr.
void print_note(std::string_view text);

/// Columns of the terminal that standard output is; 0: it is none.
std::size_t terminal_width() noexcept;
/// How text is laid out that goes to standard output, or into the file `output` where that is not "". What is no
/// terminal has lines as long as they need to be.
report::TextOptions text_options(std::size_t rows, const std::string& output = {});

// All that a command writes to standard output, but for files' contents (write_output) and its own words (help,
// completion, manual), goes through these three: a trace, a program and a path may have any name, also one that a
// terminal obeys.
/// Text for people, with the styles of styled() where standard output takes colours. Throws tracer::Error when it
/// cannot be written.
void print_text(std::string_view text);
[[gnu::format(printf, 1, 2)]] void print_formatted(const char* format, ...);
/// JSON and other forms for programs: as it is, unless standard output is a terminal.
void print_data(std::string_view text);
/// At the end of a command. Throws tracer::Error where not all that it wrote has arrived.
void flush_output();
/// What waits to be written is dropped, and flush_output() no longer throws for what could not be written so far.
void forget_output() noexcept;
/// `text` as print_text() writes it: the part that fits, alone on the screen, where standard output takes escapes.
void print_screen(std::string_view text);
/// What of `text` fits: lines are cut, styles are not, and the last line counts those that are missing. 0: no limit.
std::string fitted(std::string_view text, std::size_t rows, std::size_t columns);

/// "about 2 min left" after `elapsed` seconds for `fraction` of the work; "" while that is no estimate: in the first
/// two seconds, and before a hundredth is done.
std::string time_left(double elapsed, double fraction);

/// A bar on stderr while long work goes on; nothing when stderr takes no escapes.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(double fraction);

 private:
  std::string label_;
  bool shown_ = false;
  bool terminal_;
  int last_ = -1;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tracer::cli
