// SPDX-License-Identifier: BSD-3-Clause
// The viewer's page.
#pragma once

#include <string>
#include <string_view>

namespace tracer::view {

extern const std::string_view page_html, page_css, page_js;  ///< of web/ and the report's page, built in
extern const std::string_view page_policy;                   ///< the Content-Security-Policy

/// With what it has from its start, JSON.
std::string page_with(const std::string& meta);

}  // namespace tracer::view
