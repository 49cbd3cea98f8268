// SPDX-License-Identifier: BSD-3-Clause
// See code_names.hpp.
#include "tracer/convert/code_names.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <system_error>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"

namespace tracer {
namespace {

constexpr std::uint64_t largest_map = 256 << 20;
constexpr std::size_t longest_name = 4096;

/// A hexadecimal number and the space behind it.
std::optional<std::uint64_t> take_number(std::string_view& line) {
  std::uint64_t value = 0;
  if (line.starts_with("0x")) line.remove_prefix(2);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  if (error != std::errc{} || end == line.data() + line.size() || *end != ' ') return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return value;
}

/// "/a/b.js:3:13" or "/a/b.js:3".
bool take_place(std::string_view place, CodeName& name) {
  std::uint32_t numbers[2] = {0, 0};
  for (std::uint32_t& number : numbers) {
    const std::size_t colon = place.rfind(':');
    if (colon == place.npos) break;
    const char* const end = place.data() + place.size();
    const auto [at, error] = std::from_chars(place.data() + colon + 1, end, number);
    if (error != std::errc{} || at != end) break;
    place = place.substr(0, colon);
  }
  const std::uint32_t line = numbers[1] != 0 ? numbers[1] : numbers[0];
  if (line == 0 || place.empty()) return false;
  name.file = place;
  name.line = line;
  return true;
}

/// The blank before it: names and paths may have blanks too.
std::size_t begin_of_place(std::string_view text) {
  for (const char* begin : {" /", " file:", " node:"})
    if (const std::size_t at = text.find(begin); at != text.npos) return at;
  return text.rfind(' ');
}

/// What terminals and tables would take for more than text.
std::string plain(std::string_view text) {
  std::string result{text.substr(0, longest_name)};
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return result;
}

/// "_ZN8__main__6kernelB2v1Ed", also behind "cfunc.": __main__::kernel(double). Tags (numba's version of a function)
/// are nothing that people have written.
std::string readable(const std::string& whole) {
  const std::size_t dot = whole.find("._Z"), begin = dot == whole.npos ? 0 : dot + 1;
  std::string name = demangled(whole.substr(begin));
  constexpr std::string_view tag = "[abi:";
  for (std::size_t at = name.find(tag); at != name.npos; at = name.find(tag, at)) {
    const std::size_t end = name.find(']', at);
    if (end == name.npos) break;
    name.erase(at, end + 1 - at);
  }
  return whole.substr(0, begin) + name;
}

}  // namespace

CodeName parse_code_name(std::string_view text) {
  CodeName name;
  const std::string whole = plain(text);
  std::string_view rest{whole};
  if (rest.starts_with("py::")) {
    rest.remove_prefix(4);
    const std::size_t colon = rest.find(':');
    name.function = rest.substr(0, colon);
    if (colon != rest.npos && !rest.substr(colon + 1).starts_with('<')) name.file = rest.substr(colon + 1);
    name.is_python = true;
  } else if (const std::size_t space = begin_of_place(rest);
             space != rest.npos && rest.find(':') < space && take_place(rest.substr(space + 1), name)) {
    rest = rest.substr(rest.find(':') + 1, space - rest.find(':') - 1);
    while (rest.starts_with('*') || rest.starts_with('~') || rest.starts_with('^') || rest.starts_with('+'))
      rest.remove_prefix(1);
    name.function = rest.empty() ? "(anonymous)" : rest;
  } else {
    name.function = readable(whole);
  }
  if (name.function.empty()) name.function = whole;
  return name;
}

CodeNames::CodeNames(const std::filesystem::path& map) {
  if (!is_there(map)) return;
  const RegularFile file = open_to_read(map, Links::refuse);
  text_.resize(std::min(file.size, largest_map));
  if (!read_at(file.fd.get(), text_.data(), text_.size(), 0)) text_.clear();
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    add_line(at, end);
    at = end + 1;
  }
}

void CodeNames::add_line(std::size_t at, std::size_t end) {
  std::string_view line = std::string_view{text_}.substr(at, end - at);
  const auto begin = take_number(line);
  const auto size = begin ? take_number(line) : std::nullopt;
  constexpr std::uint64_t highest = std::uint64_t{1} << 56, largest = std::uint64_t{1} << 32;
  if (!size || *size == 0 || *size > largest || *begin >= highest || line.empty()) return;
  add(*begin, {*begin + *size, end - line.size(), line.size()});
}

// Memory is used again: what comes later is what is there.
void CodeNames::add(std::uint64_t begin, const Code& code) {
  auto next = codes_.lower_bound(begin);
  if (next != codes_.begin()) {
    const auto before = std::prev(next);
    const Code old = before->second;
    if (old.end > begin) before->second.end = begin;
    if (old.end > code.end) codes_.emplace(code.end, old);
  }
  while (next != codes_.end() && next->first < code.end) {
    const Code old = next->second;
    next = codes_.erase(next);
    if (old.end > code.end) next = codes_.emplace(code.end, old).first;
  }
  codes_.insert_or_assign(begin, code);
}

std::string_view CodeNames::find(std::uint64_t address) const {
  const auto after = codes_.upper_bound(address);
  if (after == codes_.begin()) return {};
  const Code& code = std::prev(after)->second;
  return address < code.end ? std::string_view{text_}.substr(code.at, code.size) : std::string_view{};
}

}  // namespace tracer
