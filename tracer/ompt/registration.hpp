// SPDX-License-Identifier: BSD-3-Clause
// Registers the callback table with a runtime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "omp-tools.h"
#include "tracer/journal.hpp"

namespace tracer::ompt {

struct Registration {
  std::vector<CallbackAnswer> answers;  ///< one per row, in the table's order
  std::string missing;                  ///< essential callbacks the runtime will never call, "" none
  bool target_events = false;           ///< the runtime will call target_submit or its twin
};

/// Asks for the rows of the groups in `record` (Config::record), and those that belong to none.
Registration register_callbacks(ompt_set_callback_t set_callback, std::uint32_t record);

}  // namespace tracer::ompt
