// SPDX-License-Identifier: BSD-3-Clause
// Where threads contradict each other - a runtime's fault, records that were lost - each one's events are made as its
// own records say, and only all together show that a thread ends a team that was joined, or runs a task that nobody
// made yet. So the writing is run dry first: what breaks a relation between threads is taken out of the tables, until
// nothing does.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tracer/definitions.hpp"
#include "tracer/event_sink.hpp"
#include "tracer/translate/repairs.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// Translates all locations into writers of this, naming by ids.
using DryRun = std::function<void(const std::function<std::unique_ptr<LocationWriter>(LocationRef)>& open)>;

/// After all linking, before the writing that counts. What was left out is counted in `repairs`. Traces with more
/// than most_dry_run things to name are left as they are: it needs some 60 bytes for each.
void dry_run(Tables& tables, Definitions& definitions, Repairs& repairs, const DryRun& run);

inline constexpr std::uint64_t most_dry_run = std::uint64_t{1} << 22;

}  // namespace tracer::translate
