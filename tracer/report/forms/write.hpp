// SPDX-License-Identifier: BSD-3-Clause
// The forms in which a report is written.
#pragma once

#include <cstddef>
#include <string>

#include "tracer/report/report.hpp"

namespace tracer::report {

/// The schema's version: the first number rises when a reader of the old form would be wrong,
/// the second when something is added. docs/formats/report-json.md is its description.
inline constexpr const char* json_schema = "tracer-report/1.4";

/// How much JSON has of lists with an entry for each parallel region and thread, or rank and function.
struct JsonLimits {
  static constexpr std::size_t all = ~std::size_t{0};
  std::size_t regions_with_members = all;  ///< the first parallel regions; the others' lists are empty
  std::size_t members = all;               ///< of each of those: the ones that work most, and that wait most
  bool has_calls_by_rank = true;           ///< of MPI: what each rank called
};

/// Indented by `indent` blanks; -1: one line.
std::string to_json(const Report& report, int indent = 2, const JsonLimits& limits = {});

struct TextOptions {
  std::size_t rows = 15;  ///< of each table; 0: all
  bool colour = false;
  std::size_t width = 100;  ///< columns of the terminal, and of paragraphs
  bool is_cut = true;       ///< tables that are wider give way: on a terminal, not in files
};
std::string to_text(const Report& report, const TextOptions& options);

}  // namespace tracer::report
