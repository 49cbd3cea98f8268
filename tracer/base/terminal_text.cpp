// SPDX-License-Identifier: BSD-3-Clause
// See terminal_text.hpp.
#include "tracer/base/terminal_text.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "tracer/base/text.hpp"

namespace tracer {

std::string shown_on_terminal(std::string_view text, bool styles) {
  constexpr std::string_view kept[] = {"\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[1;31m"};
  std::string result;
  for (std::size_t at = 0; styles && (at = text.find('\x1b', at)) != text.npos;) {
    const auto is_next = [&](std::string_view style) { return text.substr(at).starts_with(style); };
    const auto* const style = std::find_if(std::begin(kept), std::end(kept), is_next);
    if (style == std::end(kept)) {
      ++at;
      continue;
    }
    result += shown_lines(text.substr(0, at));
    result += *style;
    text.remove_prefix(at + style->size());
    at = 0;
  }
  return result + shown_lines(text);
}

}  // namespace tracer
