// SPDX-License-Identifier: BSD-3-Clause
// Small functions on text and numbers that several layers need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tracer {

std::vector<std::string> split(std::string_view text, char separator);
/// The entries of a list as LD_PRELOAD (": ") and OMP_TOOL_LIBRARIES (":") have it, without the empty ones.
std::vector<std::string> entries_of(std::string_view list, std::string_view separators);

/// Decimal digits only.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// "64K", "4M", "1G", "2T", also with an i and a B behind ("4MiB"); no unit: bytes.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// "3.2 MiB"
std::string format_bytes(std::uint64_t bytes);

/// "12,345,678"
std::string format_count(std::uint64_t count);

/// "1 thread", "2,000 threads", "3 processes": `one` is the singular.
std::string format_counted(std::uint64_t count, std::string_view one);

/// Of records by the names of their kinds: how many they are, and "kind, kind".
struct CountedKinds {
  std::uint64_t count = 0;
  std::string names;
};
CountedKinds counted_kinds(const std::map<std::string, std::uint64_t>& kinds);

/// "libopenblas" for .../libopenblas.so.0, "_lloyd" for .../_lloyd.cpython-311-x86_64-linux-gnu.so.
std::string module_name(const std::string& path);

/// Two digits for each byte.
std::string hexadecimal(std::span<const unsigned char> bytes);
/// Its 16 digits, the highest first.
std::string hexadecimal(std::uint64_t number);

/// A C++ symbol as it was written; as it is what is none, or would be a text of many megabytes.
std::string demangled(const std::string& symbol);
/// A function as people name it: what demangled() gave without result, parameters and arguments of templates.
std::string plain_function(std::string_view demangled);

/// `text` with control characters and bytes that are not UTF-8 letters' replaced by "?"; at most 200 characters.
std::string printable(std::string_view text);

/// `text` as it may be shown on a terminal, whoever wrote it: UTF-8, with everything that a terminal obeys (control
/// characters, escape sequences, changes of the writing direction) and what is no UTF-8 replaced by "?".
std::string shown(std::string_view text);
/// The same; lines stay lines.
std::string shown_lines(std::string_view text);

/// The character at the front of a text that is not empty: its bytes (1 of what is no UTF-8), and its columns on a
/// screen. As wcwidth(), which knows the characters of the program's locale only.
struct Letter {
  std::size_t bytes = 1, columns = 1;
};
Letter first_letter(std::string_view text) noexcept;

/// `path` as a shell's command takes it: one word, and no option.
std::string shell_word(const std::string& path);

constexpr std::uint64_t floor_power_of_two(std::uint64_t value) noexcept {
  while (value & (value - 1)) value &= value - 1;
  return value;
}

}  // namespace tracer
