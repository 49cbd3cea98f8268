// SPDX-License-Identifier: BSD-3-Clause
// The commands' documentation (docs/cli), as text of manual pages.
#pragma once

#include <string>
#include <string_view>

namespace tracer::cli {

/// docs/cli/COMMAND.md; "" when there is none.
std::string_view page_of(std::string_view command);

/// Text for roff: hyphens stay hyphens, no line begins a request.
std::string roff(std::string_view text);

/// The text of a page in Markdown, without its title and its section "Options": paragraphs, lists, tables, examples and
/// sections, links by their text alone.
std::string roff_of_markdown(std::string_view page);

}  // namespace tracer::cli
