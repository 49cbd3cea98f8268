// SPDX-License-Identifier: BSD-3-Clause
// The account of the time, and what is concluded from it, in the report's JSON.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tracer/report/report.hpp"

namespace tracer::report {

/// The cells that are shown: the largest ones and those of findings; the rest of each place as one. And where each
/// finding's are among them.
std::vector<AccountRow> shown_cells(const Report& report, std::map<std::size_t, std::size_t>& where);
nlohmann::ordered_json account_json(const Report& report, const std::vector<AccountRow>& cells);
nlohmann::ordered_json json_of(const Verdict& verdict, const std::map<std::size_t, std::size_t>& where);

}  // namespace tracer::report
