// SPDX-License-Identifier: BSD-3-Clause
// The files of page/, built in (CMakeLists.txt).
#pragma once

#include <string_view>

namespace tracer::report {

extern const std::string_view page_html, page_css, page_js;

}  // namespace tracer::report
