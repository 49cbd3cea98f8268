// SPDX-License-Identifier: BSD-3-Clause
// The files of page/, built in (CMakeLists.txt), and what fills the places in page.html.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tracer::report {

extern const std::string_view page_html, page_css, page_js;

/// `text` goes to `put` as it is, the name of a place ("STYLE", "META", ...) to `fill`.
template <class Put, class Fill>
void fill_places(std::string_view html, const Put& put, const Fill& fill) {
  while (!html.empty()) {
    const std::size_t at = std::min({html.find("/*STYLE*/"), html.find("/*META*/"), html.find("/*SLICES*/"),
                                     html.find("/*SAMPLES*/"), html.find("/*SCRIPT*/")});
    put(html.substr(0, at));
    if (at == std::string_view::npos) break;
    const std::size_t length = html.find("*/", at) + 2 - at;
    fill(html.substr(at + 2, length - 4));
    html.remove_prefix(at + length);
  }
}

/// JSON inside of <script>: "<" could end it.
inline std::string for_script(std::string_view json) {
  std::string text;
  for (const char c : json) text += c == '<' ? std::string_view{"\\u003c"} : std::string_view{&c, 1};
  return text;
}

}  // namespace tracer::report
