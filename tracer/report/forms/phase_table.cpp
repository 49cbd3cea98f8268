// SPDX-License-Identifier: BSD-3-Clause
// See phase_table.hpp.
#include "tracer/report/forms/phase_table.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/report/measures/phases.hpp"

namespace tracer::report {

Table phase_table(const Report& report) {
  const auto any = [&](std::uint64_t PhaseRow::*ns) {
    return std::any_of(report.phases.begin(), report.phases.end(), [ns](const PhaseRow& row) { return row.*ns != 0; });
  };
  const bool mpi = any(&PhaseRow::mpi), devices = any(&PhaseRow::operations);
  std::vector<Table::Column> columns{"phase", "source",   ">count",  ">total",   ">longest",
                                     ">work", ">waiting", ">device", ">threads", ">max/mean"};
  if (mpi) columns.emplace_back(">MPI");
  if (devices) columns.emplace_back(">on devices");
  Table table{"Phases, as the program names them", std::move(columns)};
  for (const PhaseRow& row : report.phases) {
    std::vector<std::string> cells{row.name,
                                   row.domain,
                                   format_count(row.count),
                                   duration_text(row.total),
                                   duration_text(row.longest),
                                   duration_text(at(row.ns, Activity::work)),
                                   duration_text(waiting_of(row)),
                                   duration_text(at(row.ns, Activity::device)),
                                   format_count(row.balance.threads),
                                   row.balance.threads > 1 ? formatted("%.2f", row.balance.max_over_mean()) : ""};
    if (mpi) cells.push_back(duration_text(row.mpi));
    if (devices) cells.push_back(duration_text(row.operations));
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace tracer::report
