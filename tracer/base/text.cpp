// SPDX-License-Identifier: BSD-3-Clause
// Small functions on text and numbers that several layers need.
#include "tracer/base/text.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "tracer/base/formatted.hpp"

namespace tracer {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> entries_of(std::string_view list, std::string_view separators) {
  std::vector<std::string> entries;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(separators), list.size());
    if (end != 0) entries.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return entries;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  unsigned shift = 0;
  if (!unit.empty()) {
    constexpr std::string_view letters = "kmgtKMGT";
    const auto at = letters.find(unit.front());
    if (at != letters.npos) {
      shift = 10 * (static_cast<unsigned>(at % 4) + 1);
      unit.remove_prefix(1);
      if (unit.starts_with('i')) unit.remove_prefix(1);
    }
    if (unit == "B") unit.remove_prefix(1);
  }
  if (!unit.empty() || value > (~std::uint64_t{0} >> shift)) return std::nullopt;
  return value << shift;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  unsigned unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return formatted("%.*f %s", unit == 0 ? 0 : 1, value, units[unit]);
}

std::string format_count(std::uint64_t count) {
  std::string grouped;
  std::size_t left = std::to_string(count).size();
  for (const char digit : std::to_string(count)) {
    grouped += digit;
    if (--left != 0 && left % 3 == 0) grouped += ',';
  }
  return grouped;
}

std::string format_counted(std::uint64_t count, std::string_view one) {
  const char* const plural = one.ends_with('s') ? "es" : "s";
  return format_count(count) + " " + std::string{one} + (count == 1 ? "" : plural);
}

CountedKinds counted_kinds(const std::map<std::string, std::uint64_t>& kinds) {
  CountedKinds all;
  for (const auto& [name, records] : kinds) {
    all.count += records;
    all.names += (all.names.empty() ? "" : ", ") + name;
  }
  return all;
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 200;
  std::string result{text.substr(0, longest)};
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) c = '?';
  }
  if (text.size() > longest) result += "...";
  return result;
}

namespace {

/// Bytes of the character at the front of `text` and its code point; 0 bytes when there is no valid UTF-8.
std::size_t decode(std::string_view text, std::uint32_t& code) noexcept {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return code = lead, 1;
  const std::size_t size = lead >= 0xf0 && lead < 0xf5   ? 4
                           : lead >= 0xe0 && lead < 0xf0 ? 3
                           : lead >= 0xc2 && lead < 0xe0 ? 2
                                                         : 0;
  if (size == 0 || text.size() < size) return 0;
  code = lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return 0;
    code = code << 6 | (next & 0x3fu);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  return code >= smallest[size] && code < 0x110000 && (code < 0xd800 || code > 0xdfff) ? size : 0;
}

/// What a terminal obeys instead of showing it: C0, C1, line separators, marks of the writing direction.
bool is_obeyed(std::uint32_t code) noexcept {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || (code >= 0x200e && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

struct WidthBlock {
  std::uint32_t first, last;
  std::size_t columns;
};
/// Characters that are two columns wide (East Asian ones, pictures), and marks that are on the one before them; the
/// rest has one column.
constexpr WidthBlock width_blocks[] = {
    {0x300, 0x36f, 0},   {0x200b, 0x200d, 0}, {0x20d0, 0x20ff, 0},   {0xfe00, 0xfe0f, 0},  {0x1100, 0x115f, 2},
    {0x2e80, 0x303e, 2}, {0x3041, 0xa4cf, 2}, {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},  {0xfe30, 0xfe6f, 2},
    {0xff00, 0xff60, 2}, {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2}};

}  // namespace

Letter first_letter(std::string_view text) noexcept {
  std::uint32_t code = 0;
  const std::size_t bytes = decode(text, code);
  if (bytes == 0) return {};
  for (const WidthBlock& block : width_blocks)
    if (code >= block.first && code <= block.last) return {bytes, block.columns};
  return {bytes, 1};
}

std::string shown(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::uint32_t code = 0;
    const std::size_t size = decode(text, code);
    if (size == 0 || is_obeyed(code)) {
      result += '?';
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

std::string shown_lines(std::string_view text) {
  std::string lines;
  for (const std::string& line : split(text, '\n')) lines += shown(line) + '\n';
  lines.pop_back();
  return lines;
}

std::string hexadecimal(std::span<const unsigned char> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) (text += digits[byte >> 4]) += digits[byte & 15];
  return text;
}

std::string hexadecimal(std::uint64_t number) {
  return formatted("%016llx", static_cast<unsigned long long>(number));
}

std::string module_name(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  for (const char* ending : {".so", ".cpython-", ".abi3"})
    if (const auto at = name.find(ending); at != std::string::npos && at != 0) name.resize(at);
  return name;
}

namespace {

/// What in a mangled name repeats another part of it, which may itself contain such.
struct RepeatedParts {
  std::vector<std::uint64_t> refs;  ///< in their order: substitutions by their numbers, from 1, or a parameter
  std::size_t packs = 0;            ///< expansions, which repeat a part once for each of up to as many arguments
};
constexpr std::uint64_t parameter = 0;  ///< of a template, which may have a part of any number in it

/// Two letters of an expression that is repeated: "sp" is also in names, as in "dispatch".
bool begins_expression(std::string_view text) {
  constexpr std::string_view operators =
      "aa ad an at aw az cc cl cm co cv da dc de di dl ds dt dv dx eo eq fl fp fr ge gs gt il ix le li ls lt mi ml mm "
      "na ne ng nt nw nx on oo or pl pm pp ps pt qu rc rm rs sc sp sr ss st sz te ti tl tr tw";
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  return text.size() < 2 || !is_small(text[0]) || !is_small(text[1]) ||
         operators.find(text.substr(0, 2)) != operators.npos;
}

/// All that could be such: where names end in a mangled name is not looked at.
RepeatedParts repeats_in(std::string_view symbol) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  RepeatedParts found;
  std::size_t end = 0;  // of the digits: S and T are such too, and for all in one run it is looked for once
  for (std::size_t i = 0; i + 1 < symbol.size(); ++i) {
    const std::string_view rest = symbol.substr(i);
    if (rest.starts_with("Dp") || (rest.starts_with("sp") && begins_expression(rest.substr(2)))) ++found.packs;
    if (rest[0] != 'S' && rest[0] != 'T') continue;
    if (end <= i) end = std::min(symbol.find_first_not_of(digits, i + 1), symbol.size());
    if (end == symbol.size() || symbol[end] != '_') continue;
    std::uint64_t number = 0;  // S_ is the first, S0_ the second
    for (std::size_t at = i + 1; at < end && number < most; ++at)
      number = std::min<std::uint64_t>(most, number * 36 + digits.find(symbol[at]));
    found.refs.push_back(rest[0] == 'T' ? parameter : end == i + 1 ? 1 : number + 2);
  }
  return found;
}

/// Whether a mangled name stands for a text of bounded length: 110 letters can stand for 34,757, and each 10 more for
/// twice as many.
bool has_bounded_text(std::string_view symbol) {
  constexpr double most_bytes = 64 << 20, each_of_three = 1.4422495703074083;  // of n repetitions: 3^(n/3) at most
  constexpr std::size_t most_refs = 256;
  const RepeatedParts repeats = repeats_in(symbol);
  const std::vector<std::uint64_t>& refs = repeats.refs;
  double each = static_cast<double>(symbol.size());
  for (std::size_t i = 0; i < repeats.packs && each <= most_bytes; ++i) each *= static_cast<double>(symbol.size());
  double bytes = each;
  for (std::size_t i = 0; i < refs.size() && bytes <= most_bytes; ++i) bytes *= each_of_three;
  if (bytes <= most_bytes) return true;
  if (refs.size() > most_refs || each > most_bytes) return false;
  // What repeats a part comes behind it, and has a higher number than all that is in the part.
  std::vector<double> copies(refs.size());
  double all = 1;
  for (std::size_t i = refs.size(); i-- > 0;) {
    copies[i] = 1;
    for (std::size_t later = i + 1; later < refs.size(); ++later)
      if (refs[later] == parameter || refs[later] > refs[i]) copies[i] += copies[later];
    all += copies[i];
  }
  return each * all <= most_bytes;
}

}  // namespace

// Of what does not begin as mangled names do, __cxa_demangle takes a type's code: "i" would be "int".
std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z") || !has_bounded_text(symbol)) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? text.get() : symbol;
}

std::string plain_function(std::string_view demangled) {
  std::string plain;
  int templates = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const std::string_view rest = demangled.substr(i);
    if (templates == 0) {
      // What has brackets of its own: it stays, whatever is in it.
      std::size_t whole = 0;
      if (constexpr std::string_view nameless = "(anonymous namespace)"; rest.starts_with(nameless))
        whole = nameless.size();
      else if (rest.front() == '{')
        whole = std::min(rest.find('}'), rest.size() - 1) + 1;
      else if (rest.starts_with("operator") && (plain.empty() || plain.ends_with(':')))
        whole = std::min(rest.find('(', rest.starts_with("operator()") ? std::size_t{9} : 0), rest.size());
      if (whole != 0) {
        plain += rest.substr(0, whole);
        i += whole - 1;
        continue;
      }
    }
    const char c = rest.front();
    templates += c == '<' ? 1 : 0;
    if (templates == 0) {
      if (c == '(') break;
      c == ' ' ? plain.clear() : plain.push_back(c);  // what was before was the result
    }
    templates -= c == '>' ? 1 : 0;
  }
  return plain.empty() ? std::string{demangled} : plain;
}

std::string shell_word(const std::string& path) {
  if (path.starts_with('-')) return shell_word("./" + path);
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:@%";
  if (!path.empty() && path.find_first_not_of(plain) == path.npos) return path;
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + "'";
}

}  // namespace tracer
