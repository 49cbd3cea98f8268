// SPDX-License-Identifier: BSD-3-Clause
// The options of `tracer run`.
#pragma once

#include <string>
#include <vector>

namespace tracer::cli {

struct RunOptions {
  std::string output, filter, runtime, html, annotations = "all", format = "otf2", counters, python;
  std::vector<std::string> settings;
  unsigned sample = 0;
  bool transfer_content = false;
  bool verbose = false, quiet = false, raw = false, report = false, separate = false;
  std::vector<std::string> command;
};

/// Something is to be made of the archive: --report, --html or --format.
inline bool wants_results(const RunOptions& options) {
  return options.report || !options.html.empty() || options.format != "otf2";
}

}  // namespace tracer::cli
