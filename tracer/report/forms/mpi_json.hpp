// SPDX-License-Identifier: BSD-3-Clause
// MPI in the report's JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tracer/report/report.hpp"

namespace tracer::report {

/// `begin`: of the trace, from which its times count. `has_calls`: what each rank called, too.
nlohmann::ordered_json json_of(const MpiReport& mpi, std::uint64_t begin, bool has_calls);

}  // namespace tracer::report
