// SPDX-License-Identifier: BSD-3-Clause
// What other commands use of `tracer report`.
#pragma once

#include <filesystem>
#include <string>

namespace tracer::cli {

/// The page into the file `html` unless that is empty; the text on standard output when `text` is set.
void show_report(const std::filesystem::path& archive, const std::string& html, bool text);

}  // namespace tracer::cli
