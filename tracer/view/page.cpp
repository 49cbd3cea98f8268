// SPDX-License-Identifier: BSD-3-Clause
// See page.hpp.
#include "tracer/view/page.hpp"

#include "tracer/report/page/page_data.hpp"

namespace tracer::view {

std::string page_with(const std::string& meta) {
  std::string out;
  const auto put = [&](std::string_view text) { out += text; };
  report::fill_places(page_html, put, [&](std::string_view place) {
    if (place == "STYLE") put(page_css);
    if (place == "SCRIPT") put(page_js);
    if (place == "META") put(report::for_script(meta));
  });
  return out;
}

}  // namespace tracer::view
