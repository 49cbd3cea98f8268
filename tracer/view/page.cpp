// SPDX-License-Identifier: BSD-3-Clause
// See page.hpp.
#include "tracer/view/page.hpp"

#include <algorithm>
#include <cstddef>

namespace tracer::view {

std::string page_with(const std::string& meta) {
  std::string out;
  std::string_view rest = page_html;
  while (!rest.empty()) {
    const std::size_t at = std::min({rest.find("/*STYLE*/"), rest.find("/*META*/"), rest.find("/*SLICES*/"),
                                     rest.find("/*SAMPLES*/"), rest.find("/*SCRIPT*/")});
    out += rest.substr(0, at);
    if (at == std::string_view::npos) break;
    const std::string_view place = rest.substr(at, rest.find("*/", at) + 2 - at);
    if (place == "/*STYLE*/") out += page_css;
    if (place == "/*SCRIPT*/") out += page_js;
    if (place == "/*META*/")
      for (const char c : meta) {  // "<" could end the script element
        if (c == '<')
          out += "\\u003c";
        else
          out += c;
      }
    rest.remove_prefix(at + place.size());
  }
  return out;
}

}  // namespace tracer::view
